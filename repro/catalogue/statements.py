"""conf/statements.yaml as typed values: what each item of the catalogue says, as printed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, model_validator

from repro.base.files import yaml_mapping
from repro.base.paths import conf_dir
from repro.base.schema import Model, validate
from repro.catalogue.entries import Text

_ATTRIBUTE = re.compile(r"\\(href|url|class|style|cssId|data|includegraphics)\b")
_TAG_OR_ENTITY = re.compile(r"</?[A-Za-z]|&#?\w+;")


class Part(NamedTuple):
    """A stretch of a statement: words, or LaTeX without its dollar signs."""

    math: bool
    text: str


class Statement(Model):
    """One item as its paper prints it, known slips included.

    Attributes:
        place: section or appendix; of an own result, the experiment or page that states it.
        text: words with inline LaTeX between dollar signs; no HTML, so ``a < b`` has spaces.
    """

    place: Text
    text: Text

    @model_validator(mode="after")
    def _well_formed(self):
        if self.text.count("$") % 2:
            raise ValueError("pairs of dollar signs")
        if _TAG_OR_ENTITY.search(self.text):
            raise ValueError("words and LaTeX, no HTML")
        if _ATTRIBUTE.search(self.text):
            raise ValueError("formulas without links, classes and styles")
        if any(part.math and not _braces_match(part.text) for part in parts(self.text)):
            raise ValueError("matching braces between dollar signs")
        return self


class _StatementsFile(Model):
    statements: Annotated[dict[str, Statement], BeforeValidator(lambda value: value or {})]


def load(path: Path | None = None) -> Mapping[str, Statement]:
    """Read the statements, by id of the catalogue.

    Raises:
        BadInput: the file cannot be read, or an entry is malformed.
    """
    file = path or conf_dir() / "statements.yaml"
    return validate(_StatementsFile, yaml_mapping("statements", file)).statements


def gaps(statements: Collection[str], items: Collection[str]) -> list[str]:
    """Ids that only one of the two files has, in words.

    >>> gaps(["p1.thm_4_2"], ["p1.thm_4_5"])
    ['p1.thm_4_2: not in the catalogue', 'p1.thm_4_5: no statement']
    """
    left_over = [f"{name}: not in the catalogue" for name in statements if name not in items]
    return left_over + [f"{name}: no statement" for name in items if name not in statements]


def parts(text: str) -> tuple[Part, ...]:
    """A statement's words and formulas in order; empty stretches are left out.

    >>> [part.text for part in parts("if $a$ then $b$")]
    ['if ', 'a', ' then ', 'b']
    """
    split = enumerate(text.split("$"))
    return tuple(Part(place % 2 == 1, piece) for place, piece in split if piece)


def _braces_match(latex: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
