"""The statements against the catalogue, and planted faults."""

from repro.catalogue.papers import load
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
