"""Formulas of our pages as MathML: every sign is kept, scripts and roots where they belong."""

from xml.etree import ElementTree as ET

import pytest

from tools.formulas import block, formula, is_formula, span, wanted


def xml(element):
    return ET.tostring(element, "unicode")


def test_scripts_in_braces_and_bare_ones():
    assert (
        xml(formula("e^{2B}"))
        == xml(formula("e^2B"))
        == xml(formula("e^(2B)")).replace("<mi>B</mi>", "<mi>B</mi>")
    )
    assert '<msub><mi>π</mi><mi mathvariant="normal">ref</mi></msub>' in xml(formula("π_ref(y)"))
    assert "<msubsup><mi>π</mi><mi>β</mi><mo>*</mo></msubsup>" in xml(formula("π*_β"))
    assert "<msup><mi>B</mi><mn>2</mn></msup>" in xml(formula("4B²·x_i"))


def test_a_root_covers_its_brackets_and_no_more():
    found = formula("√(4B² + Σ_{i≤t}(Δ_r)²(x_i))·c").find("msqrt")
    assert found is not None
    assert "".join(found.itertext()) == "4B2+∑i≤t(Δr)2(xi)"
    assert formula("√p_z").find("msqrt") is None


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("e^(c − l)·√(x + 1), and", "e^(c − l)·√(x + 1)"),
        ("e^B). Then", "e^B"),
        ("o(1))·√(Z·g(B′)·κ) with", "o(1))·√(Z·g(B′)·κ)"),
        ("π_u* and", "π_u*"),
        ("e^B.** For", "e^B"),
        ("∇²ℓ_z(θ).* Proof", "∇²ℓ_z(θ)"),
        ("x_i\x02klzzwxh:1\x03", "x_i"),
    ],
)
def test_a_formula_ends_where_the_sentence_goes_on(text, held):
    assert text[: span(text, 0)] == held


def test_a_star_that_ends_an_emphasis_is_none_of_the_formula():
    assert span("*d_F*, so", 1) == 4


@pytest.mark.parametrize(
    "name", ["reward_bound", "n_pairs", "fast_rate_offline", "a/b_c.py", "x", "--out_dir"]
)
def test_names_are_no_formulas(name):
    assert not wanted(name)


def test_lines_are_rows_and_wide_spaces_set_columns_apart():
    found = block("any pair:      error ≤ c/√n\na pair:        sees nothing")
    rows = found.findall("mtable/mtr")
    assert [len(row.findall("mtd")) for row in rows] == [2, 2]
    assert "".join(rows[0].itertext()).replace("\u00a0", " ") == "any pair:error ≤c/√n"


def test_code_is_no_formula():
    assert is_formula("a ≤ b")
    assert not is_formula("options:\n  members: [run]")


def test_a_range_stands_below_its_sign_on_a_line_of_its_own_only():
    assert block("max_{t≤T} x").find("munder") is not None
    assert formula("max_{t≤T}").find("munder") is None
