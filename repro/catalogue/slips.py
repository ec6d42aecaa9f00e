"""Suspected errors of the four papers and what settled each: conf/slips.yaml, and a page of it.

``python -m repro.catalogue.slips`` writes docs/suspected_slips.md.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, model_validator

from repro.catalogue.entries import paper
from repro.errors import BadInput
from repro.paths import conf_dir
from repro.schema import Model, validate

Text = Annotated[str, Field(min_length=1)]
PAGE = Path("docs/suspected_slips.md")
HEAD = """# Suspected errors of the four papers

Written by `python -m repro.catalogue.slips` from conf/slips.yaml; do not edit.

*confirmed*: the printed form is wrong. *loose*: right, but not the rate that is attained.
*cleared*: the printed form holds. *unclear*: the text leaves it open. In brackets the verdict that
the config of a check pins; a printed form that fails is pinned contradicted.
"""


class Slip(Model):
    """One suspicion.

    Attributes:
        place: where it is printed.
        suspected: what is suspected, in one line.
        finding: what came out.
        corrected: the form that holds.
        checks: names of checks by experiment.
        proofs: tests, as tests/path.py::name.
        reading: why there is nothing to measure.
    """

    place: Text
    suspected: Text
    finding: Literal["confirmed", "loose", "cleared", "unclear"]
    corrected: Text
    checks: dict[str, tuple[Text, ...]] = {}
    proofs: tuple[Text, ...] = ()
    reading: Text | None = None

    @model_validator(mode="after")
    def _evidence(self):
        if not (self.checks or self.proofs or self.reading):
            raise ValueError("checks, proofs or a reading")
        return self


class Slips(Model):
    """The whole file, by id."""

    slips: dict[str, Slip]


class _Strict(yaml.SafeLoader):
    """Refuses a key that is written twice, which YAML would let the later one win."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {str(key) for key in keys if keys.count(key) > 1}
        if twice:
            raise BadInput("slips", ", ".join(sorted(twice)), "allowed: each id once")
        return super().construct_mapping(node, deep=deep)


def load_slips(path: Path | None = None) -> dict[str, Slip]:
    """Read the suspicions, in the order of the file.

    Raises:
        BadInput: an entry is malformed or an id is there twice.
    """
    text = (path or conf_dir() / "slips.yaml").read_text(encoding="utf-8")
    return validate(Slips, yaml.load(text, _Strict), "slips").slips


def pinned_by_check(slug: str) -> dict[str, str]:
    """The pinned verdict of every check of an experiment; the worst where instances differ."""
    path = conf_dir() / "theorem" / f"{slug}.yaml"
    if not path.is_file():
        return {}
    values: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for claims in values.get("claims", {}).values():
        for name, claim in claims.items():
            if found.get(name) != "contradicted":
                found[name] = claim["expected"]
    return found


def dangling(slips: Mapping[str, Slip], root: Path) -> list[str]:
    """One line per experiment, check or test that an entry names and that is not there."""
    return [
        *(line for name, slip in slips.items() for line in _missing_checks(name, slip)),
        *(
            f"{name}: no test {proof}"
            for name, slip in slips.items()
            for proof in slip.proofs
            if not _has_test(root, proof)
        ),
    ]


def _missing_checks(name: str, slip: Slip) -> Iterator[str]:
    for slug, checks in slip.checks.items():
        known = pinned_by_check(slug)
        if not known:
            yield f"{name}: no experiment {slug}"
        else:
            yield from (f"{name}: no check {c} in {slug}" for c in checks if c not in known)


def _has_test(root: Path, proof: str) -> bool:
    path, _, test = proof.partition("::")
    file = root / path
    if not file.is_file():
        return False
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(item, ast.FunctionDef) and item.name == test for item in tree.body)


def page(slips: Mapping[str, Slip]) -> str:
    """The suspicions as a Markdown page, one section a paper."""
    lines = [HEAD]
    for name in dict.fromkeys(paper(slip) for slip in slips):
        own = {key: slip for key, slip in slips.items() if paper(key) == name}
        lines += [
            f"## {name.upper()}",
            "",
            "| place | suspected | finding | corrected | settled by |",
        ]
        lines += ["|---|---|---|---|---|", *(_line(slip) for slip in own.values()), ""]
    return "\n".join(lines)


def _line(slip: Slip) -> str:
    cells = (slip.place, slip.suspected, slip.finding, slip.corrected, _evidence(slip))
    return "| " + " | ".join(cell.replace("|", "\\|").strip() for cell in cells) + " |"


def _evidence(slip: Slip) -> str:
    parts = []
    for slug, checks in slip.checks.items():
        known = pinned_by_check(slug)
        parts.append(f"`{slug}`: " + ", ".join(f"{c} [{known[c]}]" for c in checks))
    parts += [f"proof: `{proof}`" for proof in slip.proofs]
    parts += [f"reading: {slip.reading}"] if slip.reading else []
    return "; ".join(parts)


def main() -> int:
    """Write the page; status 1, one line each on stderr, if an entry names what is not there."""
    slips = load_slips()
    root = conf_dir().parent
    wrong = dangling(slips, root)
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        (root / PAGE).write_text(page(slips), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
