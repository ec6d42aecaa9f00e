"""conf/proofs.yaml as typed values: statements that Coq accepts a proof of, and where it stands."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from repro.base.files import yaml_mapping
from repro.base.paths import PACKAGE, conf_dir
from repro.base.schema import Model, validate
from repro.catalogue.entries import Text

FOLDER = PACKAGE.parent / "proofs"
"""The Coq files of a source tree; an installed wheel has none."""
COQ_MISSING = "not checked here: install coq"


class Theorem(Model):
    """What one theorem of a file says about statements of the catalogue.

    Attributes:
        statements: ids.
        shows: ``contradicted`` if it refutes them as printed, else ``supported``.
        says: what is proved, in one sentence.
    """

    statements: Annotated[tuple[Text, ...], Field(min_length=1)]
    shows: Literal["contradicted", "supported"]
    says: Text


class Proof(Model):
    """One file of proofs/.

    Attributes:
        digest: SHA-256 of the text above its line "proofs".
        theorems: by the name that the statement has in the file.
    """

    digest: Annotated[str, Field(pattern="[0-9a-f]{64}")]
    theorems: Annotated[dict[str, Theorem], Field(min_length=1)]


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
    def command(self) -> str:
        """What checks it again."""
        return f"python proofs/verify.py {self.file}"


class _File(Model):
    proofs: dict[str, Proof]


def load(path: Path | None = None) -> Mapping[str, Proof]:
    """Proofs by file name without .v.

    Raises:
        BadInput: the file cannot be read, or an entry is malformed.
    """
    file = path or conf_dir() / "proofs.yaml"
    return validate(_File, yaml_mapping("proofs", file), "proofs").proofs


def by_statement(proofs: Mapping[str, Proof]) -> dict[str, list[Checked]]:
    """Theorems by id of the catalogue, those that contradict first."""
    found: dict[str, list[Checked]] = {}
    for name, proof in proofs.items():
        for theorem, one in proof.theorems.items():
            line = Checked(
                file=f"proofs/{name}.v", theorem=theorem, shows=one.shows, says=one.says
            )
            for statement in one.statements:
                found.setdefault(statement, []).append(line)
    return {name: sorted(lines, key=lambda one: one.shows) for name, lines in found.items()}


def dangling(proofs: Mapping[str, Proof], items: Collection[str]) -> Iterator[str]:
    """One line per statement that the catalogue does not have."""
    for name, proof in proofs.items():
        for theorem, one in proof.theorems.items():
            for statement in one.statements:
                if statement not in items:
                    yield f"proofs/{name}.v: {theorem}: the catalogue has no {statement}"


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
        if mark.read_text(encoding="utf-8").strip() == hashlib.sha256(path.read_bytes()).hexdigest():
            return "checked here"
        return "changed since it was checked here"
    return "not checked here yet" if shutil.which("coqc") else COQ_MISSING
