"""Printed statements with formulas as MathML, which browsers typeset without a script."""

from __future__ import annotations

from markupsafe import Markup, escape

from repro.catalogue.statements import parts


def typeset(text: str) -> Markup:
    """Words escaped, formulas as inline MathML."""
    pieces = (mathml(part.text) if part.math else escape(part.text) for part in parts(text))
    return Markup("").join(pieces)


def mathml(latex: str) -> Markup:
    """A formula; angle brackets are signs, never markup.

    >>> "<mfrac>" in mathml(r"\\frac{1}{n}")
    True
    """
    from latex2mathml.converter import convert

    signs = latex.replace("<", r"\lt ").replace(">", r"\gt ")
    return Markup(convert(signs))
