"""Statements as MathML: every one converts, names a statement, and cannot carry markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from repro.catalogue import entries
from repro.errors import BadInput
from repro.report.html.typeset import load, mathml, typeset

SPACE = "{http://www.w3.org/1998/Math/MathML}"


def test_statements_are_of_the_catalogue_and_settled_by_an_experiment():
    items = entries.load().items
    assert [name for name in load() if not items[name].experiments] == []


@pytest.mark.parametrize("name", load())
def test_every_formula_is_well_formed_and_leaves_no_latex(name):
    for formula in typeset(load()[name]).formulas:
        tree = ET.fromstring(str(formula))
        assert tree.tag == f"{SPACE}math"
        assert tree.get("display") == "block"
        assert not any("\\" in (part.text or "") for part in tree.iter())
        assert tree.find(f".//{SPACE}merror") is None


def test_a_fraction_has_its_two_parts():
    (fraction,) = ET.fromstring(str(mathml(r"\frac{1}{n}"))).iter(f"{SPACE}mfrac")
    assert ["".join(part.itertext()) for part in fraction] == ["1", "n"]


def test_markup_in_a_formula_stays_text():
    shown = str(mathml(r"\text{<script>alert(1)</script>} < x"))
    assert "<script" not in shown
    ET.fromstring(shown)


@pytest.mark.parametrize(
    "text", ["p1.x: {words: w}", "p1.x: {words: w, math: []}", "p1.x: {words: w, math: [a], b: c}"]
)
def test_a_malformed_entry_is_one_line_with_its_place(tmp_path, text):
    path = tmp_path / "statements.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"^statements\.p1\.x"):
        load(path)
