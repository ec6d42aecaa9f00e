"""Statements as MathML: each is well formed, leaves no LaTeX, and cannot carry markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from repro.catalogue.papers import load
from repro.report.html.typeset import mathml, typeset

SPACE = "{http://www.w3.org/1998/Math/MathML}"


def unconverted(shown):
    """What a page would show as LaTeX, as an error or as an empty sign."""
    parts = list(ET.fromstring(f"<p>{shown}</p>").iter())
    empty = [part.tag for part in parts if part.tag in (f"{SPACE}mo", f"{SPACE}mi")]
    empty = [part for part in parts if part.tag in empty and not part.text and not len(part)]
    errors = [part for part in parts if part.tag == f"{SPACE}merror"]
    return [part.text for part in parts if "\\" in (part.text or "")] + empty + errors


def test_every_statement_is_well_formed_and_leaves_no_latex():
    assert [name for name, one in load().items.items() if unconverted(typeset(one.text))] == []


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\operatorname*{arg\,max}_r x"])
def test_a_formula_outside_the_subset_is_seen_to_fail(latex):
    assert unconverted(mathml(latex))


def test_words_and_formulas_stand_in_order():
    shown = typeset("if $n < 2$ and a < b")
    tree = ET.fromstring(f"<p>{shown}</p>")
    assert "".join(tree.itertext()) == "if n<2 and a < b"
    assert [part.tag for part in tree] == [f"{SPACE}math"]


def test_a_fraction_has_its_two_parts():
    (fraction,) = ET.fromstring(str(mathml(r"\frac{1}{n}"))).iter(f"{SPACE}mfrac")
    assert ["".join(part.itertext()) for part in fraction] == ["1", "n"]


def test_markup_in_a_formula_stays_text():
    shown = str(mathml(r"\text{<script>alert(1)</script>} < x"))
    assert "<script" not in shown
    ET.fromstring(shown)
