"""The statements against the catalogue, and planted faults."""

import pytest

from repro.catalogue.papers import Item, load
from repro.catalogue.statements import Part, parts

STATEMENTS = load().items


def test_every_printed_statement_has_its_text_and_place():
    assert [name for name, one in STATEMENTS.items() if not (one.text and one.place)] == []


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
    ("text", "complaint"),
    [
        ("costs $5", "pairs of dollar signs"),
        ("a <b>bold</b> claim", "no HTML"),
        ("a &lt; b", "no HTML"),
        ("$e^{x$", "matching braces"),
        ("$}x{$", "matching braces"),
        (r"$\href{x}{y}$", "without links"),
        ("", "at least 1 character"),
    ],
)
def test_malformed_texts_are_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        Item(title="t", text=text)


def test_escaped_braces_do_not_count():
    assert Item(title="t", text=r"$\{x$").text == r"$\{x$"
