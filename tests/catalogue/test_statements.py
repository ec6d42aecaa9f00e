"""The statements against the catalogue, and planted faults."""

import pytest

from repro.base.errors import BadInput
from repro.catalogue.entries import load as catalogue
from repro.catalogue.statements import Part, gaps, load, parts

STATEMENTS = load()
NAMES = list(catalogue().items)


def test_every_item_of_the_catalogue_has_a_statement_and_none_is_left_over():
    assert gaps(STATEMENTS, NAMES) == []


def test_they_stand_in_the_order_of_the_catalogue():
    assert list(STATEMENTS) == NAMES


def test_a_planted_gap_is_found():
    without = [name for name in STATEMENTS if name != "p1.thm_4_2"]
    assert gaps(without, NAMES) == ["p1.thm_4_2: no statement"]
    assert gaps([*STATEMENTS, "p1.thm_9_9"], NAMES) == ["p1.thm_9_9: not in the catalogue"]


def test_a_statement_is_a_few_sentences():
    for name, statement in STATEMENTS.items():
        words = [part.text for part in parts(statement.text) if not part.math]
        assert len(statement.text) <= 1000, name
        assert not any("\\" in part or "_" in part for part in words), name


def test_parts_keep_words_and_formulas_apart():
    assert parts("$a$ if $b_{1}$.") == (
        Part(True, "a"), Part(False, " if "), Part(True, "b_{1}"), Part(False, "."),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("{place: A, text: 'costs $5'}", "pairs of dollar signs"),
        ("{place: A, text: 'a <b>bold</b> claim'}", "no HTML"),
        ("{place: A, text: 'a &lt; b'}", "no HTML"),
        ("{place: A, text: '$e^{x$'}", "matching braces"),
        ("{place: A, text: '$}x{$'}", "matching braces"),
        ("{place: A}", "text"),
        ("{place: '', text: a}", "at least 1 character"),
        ("{place: A, text: a, title: b}", "unknown key"),
        ("{place: A, text: [}", "YAML"),
    ],
)
def test_malformed_files_are_refused(tmp_path, entry, complaint):
    file = tmp_path / "statements.yaml"
    file.write_text(f"statements:\n  p1.thm_4_2: {entry}\n")
    with pytest.raises(BadInput, match=complaint):
        load(file)


def test_a_file_without_statements_has_none(tmp_path):
    file = tmp_path / "statements.yaml"
    file.write_text("statements:\n")
    assert dict(load(file)) == {}


def test_escaped_braces_do_not_count(tmp_path):
    file = tmp_path / "statements.yaml"
    file.write_text(r"statements: {p1.thm_4_2: {place: A, text: '$\{x$'}}")
    assert load(file)["p1.thm_4_2"].text == r"$\{x$"
