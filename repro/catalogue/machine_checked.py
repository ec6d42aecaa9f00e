"""Statements that Coq accepts a proof of, and whether it was checked on this machine."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repro.base.places import PACKAGE
from repro.base.schema import Model
from repro.catalogue.papers import Catalogue, ProvedTheorem

FOLDER = PACKAGE.parent / "proofs"
"""The Coq files of a source tree; an installed wheel has none."""
SHOWS = {
    "contradicted": "✗ contradicted",
    "unstated_condition": "false without a condition that is not stated",
    "notation": "false as written, by a misprint of notation",
    "step": "a step of its proof is false as printed",
    "supported": "✓ supported",
}
"""What a theorem may show of a statement as printed, in words; the order in which lists have it."""
COQ_MISSING = "not checked here: install coq"


class Checked(Model):
    """A theorem that speaks for a statement.

    Attributes:
        file: below the project's folder.
        theorem: its name there.
    """

    file: str
    theorem: str
    shows: str
    says: str

    @property
    def said(self) -> str:
        """What it shows, in words."""
        return SHOWS[self.shows]

    @property
    def command(self) -> str:
        """What checks it again."""
        return f"python proofs/verify.py {self.file}"


def by_statement(theorems: Sequence[ProvedTheorem]) -> dict[str, list[Checked]]:
    """Theorems by id of the catalogue, those that contradict first."""
    return _by(theorems, lambda proof: proof.statements)


def by_slip(theorems: Sequence[ProvedTheorem]) -> dict[str, list[Checked]]:
    """Theorems by id of the note that they are evidence of, those that contradict first."""
    return _by(theorems, lambda proof: proof.slips)


def _by(
    theorems: Sequence[ProvedTheorem], names: Callable[[ProvedTheorem], tuple[str, ...]]
) -> dict[str, list[Checked]]:
    by_name: dict[str, list[Checked]] = {}
    for proof in theorems:
        file = f"proofs/{proof.file}.v"
        line = Checked(file=file, theorem=proof.name, shows=proof.shows, says=proof.says)
        for name in names(proof):
            by_name.setdefault(name, []).append(line)
    order = list(SHOWS)
    return {
        name: sorted(lines, key=lambda proof: order.index(proof.shows))
        for name, lines in by_name.items()
    }


def dangling(catalogue: Catalogue) -> Iterator[str]:
    """One line per statement, slip or file that a theorem names and nothing has."""
    for proof in catalogue.theorems:
        at = f"{proof.statements[0]}: {proof.file}.{proof.name}"
        if proof.file not in catalogue.proofs:
            yield f"{at}: proofs has no digest of {proof.file}"
        for name in proof.statements:
            if name not in catalogue.items:
                yield f"{at}: the catalogue has no {name}"
        for name in proof.slips:
            if name not in catalogue.slips:
                yield f"{at}: there is no slip {name}"


def here(file: str, folder: Path = FOLDER) -> str:
    """Whether a file has been checked on this machine, in words.

    Args:
        file: as in ``Checked.file``.
        folder: where the files are.
    """
    path = folder / Path(file).name
    if not path.is_file():
        return "not checked here: it comes with the source tree"
    mark = path.with_suffix(".checked")
    if mark.is_file():
        now = hashlib.sha256(path.read_bytes()).hexdigest()
        same = mark.read_text(encoding="utf-8").strip() == now
        return "checked here" if same else "changed since it was checked here"
    return "not checked here yet" if shutil.which("coqc") else COQ_MISSING
