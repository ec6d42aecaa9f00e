"""conf/proofs.yaml as typed values: statements that Coq accepts a proof of, and where it stands."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from repro.base.files import yaml_mapping
from repro.base.paths import PACKAGE, conf_dir
from repro.base.schema import Model, validate
from repro.catalogue.entries import Text

FOLDER = PACKAGE.parent / "proofs"
"""The Coq files of a source tree; an installed wheel has none."""
SHOWS = {
    "contradicted": "✗ contradicted",
    "unstated_condition": "false without a condition that is not stated",
    "notation": "false as written, by a slip of notation",
    "step": "a step of its proof is false as printed",
    "supported": "✓ supported",
}
"""What a theorem may show of a statement as printed, in words; the order in which lists have it."""
COQ_MISSING = "not checked here: install coq"


class CheckedTheorem(Model):
    """What one theorem of a file says about statements of the catalogue.

    Attributes:
        statements: ids.
        shows: what it makes of them as printed, one of SHOWS.
        says: what is proved, in one sentence.
        slips: notes of conf/slips.yaml that it is evidence of.
    """

    statements: Annotated[tuple[Text, ...], Field(min_length=1)]
    shows: Literal["contradicted", "unstated_condition", "notation", "step", "supported"]
    says: Text
    slips: tuple[Text, ...] = ()


class Proof(Model):
    """One file of proofs/.

    Attributes:
        digest: SHA-256 of the text above its line "proofs".
        theorems: by the name that the statement has in the file.
    """

    digest: Annotated[str, Field(pattern="[0-9a-f]{64}")]
    theorems: Annotated[dict[str, CheckedTheorem], Field(min_length=1)]


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


class _ProofsFile(Model):
    proofs: dict[str, Proof]


def load(path: Path | None = None) -> Mapping[str, Proof]:
    """Proofs by file name without .v.

    Raises:
        BadInput: the file cannot be read, or an entry is malformed.
    """
    file = path or conf_dir() / "proofs.yaml"
    return validate(_ProofsFile, yaml_mapping("proofs", file), "proofs").proofs


def by_statement(proofs: Mapping[str, Proof]) -> dict[str, list[Checked]]:
    """Theorems by id of the catalogue, those that contradict first."""
    return _by(proofs, lambda one: one.statements)


def by_slip(proofs: Mapping[str, Proof]) -> dict[str, list[Checked]]:
    """Theorems by id of the note that they are evidence of, those that contradict first."""
    return _by(proofs, lambda one: one.slips)


def _by(
    proofs: Mapping[str, Proof], names: Callable[[CheckedTheorem], tuple[str, ...]]
) -> dict[str, list[Checked]]:
    found: dict[str, list[Checked]] = {}
    for file, theorem, one in _theorems(proofs):
        line = Checked(file=file, theorem=theorem, shows=one.shows, says=one.says)
        for name in names(one):
            found.setdefault(name, []).append(line)
    order = list(SHOWS)
    return {
        name: sorted(lines, key=lambda one: order.index(one.shows)) for name, lines in found.items()
    }


def _theorems(proofs: Mapping[str, Proof]) -> Iterator[tuple[str, str, CheckedTheorem]]:
    for name, proof in proofs.items():
        for theorem, one in proof.theorems.items():
            yield f"proofs/{name}.v", theorem, one


def dangling(
    proofs: Mapping[str, Proof], items: Collection[str], slips: Collection[str]
) -> Iterator[str]:
    """One line per statement that the catalogue, or note that conf/slips.yaml, does not have."""
    for file, theorem, one in _theorems(proofs):
        for name in one.statements:
            if name not in items:
                yield f"{file}: {theorem}: the catalogue has no {name}"
        for name in one.slips:
            if name not in slips:
                yield f"{file}: {theorem}: conf/slips.yaml has no {name}"


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
