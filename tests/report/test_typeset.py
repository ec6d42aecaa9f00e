"""Statements as MathML: each is well formed, leaves no LaTeX, and cannot carry markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from repro.catalogue.statements import Statement, load
from repro.report.html.typeset import mathml, typeset

SPACE = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("name", load())
def test_every_statement_is_well_formed_and_leaves_no_latex(name):
    tree = ET.fromstring(f"<p>{typeset(load()[name])}</p>")
    assert not any("\\" in (part.text or "") for part in tree.iter())
    assert tree.find(f".//{SPACE}merror") is None


def test_words_and_formulas_stand_in_order():
    shown = typeset(Statement(place="p", text="if $n < 2$ and a < b"))
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
