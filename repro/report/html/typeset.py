"""Printed statements as MathML, which browsers typeset without a script or a font of ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import yaml
from markupsafe import Markup
from pydantic import Field, TypeAdapter, ValidationError

from repro.catalogue.entries import Text
from repro.errors import BadInput
from repro.paths import conf_dir
from repro.schema import Model


class Printed(Model):
    """A statement as its paper prints it.

    Attributes:
        words: what stands before the formulas.
        math: LaTeX of each formula.
    """

    words: Text
    math: Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Typeset:
    """Words, and MathML of each formula."""

    words: str
    formulas: tuple[Markup, ...]


def load(path: Path | None = None) -> dict[str, Printed]:
    """conf/statements.yaml: printed statements by id.

    Raises:
        BadInput: an entry is malformed.
    """
    file = path or conf_dir() / "statements.yaml"
    values = yaml.safe_load(file.read_text(encoding="utf-8"))
    try:
        return TypeAdapter(dict[str, Printed]).validate_python(values)
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"statements.{where}", first.get("input"), first["msg"]) from None


def typeset(printed: Printed) -> Typeset:
    """MathML of a statement."""
    return Typeset(printed.words, tuple(mathml(one) for one in printed.math))


def mathml(latex: str) -> Markup:
    """A displayed formula; angle brackets are signs, never markup.

    >>> "<mfrac>" in mathml(r"\\frac{1}{n}")
    True
    """
    from latex2mathml.converter import convert

    signs = latex.replace("<", r"\lt ").replace(">", r"\gt ")
    return Markup(convert(signs, display="block"))
