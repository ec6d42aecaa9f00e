"""Sentences of pages and commands are short and have none of the listed smells.

Records of decisions and of first results are as they were written.
"""

from pathlib import Path

import pytest

from tools.plain_english import (
    LONGEST,
    of_catalogue,
    of_first_lines,
    of_help,
    of_page,
    pages,
    paragraphs,
    smells,
)

RECORDS = {Path("docs/adr"), Path("docs/preregistration")}
PAGES = [str(page) for page in pages() if page.parent not in RECORDS]


def hard(read):
    return [f"{place}: {smell}: {text}" for place, text in read for smell in smells(text)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_sentence_that_is_hard_to_read(page):
    assert hard(of_page(Path(page))) == []


@pytest.mark.parametrize(
    "read", [of_first_lines, of_catalogue, of_help], ids=["first lines", "catalogue", "help"]
)
def test_what_commands_print_has_no_sentence_that_is_hard_to_read(read):
    sentences = list(read())
    assert len(sentences) > 50
    assert hard(sentences) == []


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("word " * LONGEST, []),
        ("word " * (LONGEST + 1), ["long"]),
        ("Beside it stands the form.", ["inverted"]),
        ("The rate has it.", ["no noun"]),
        ("The row settles the slip.", ["house words"]),
        ("One thing; another; a third.", ["semicolons"]),
        ("The bound O(n·log(n)) holds.", []),
        ("It holds (once large (or small)).", ["brackets"]),
    ],
)
def test_a_smell_is_seen(sentence, found):
    assert smells(sentence) == found


def test_code_tables_and_comments_are_no_prose():
    page = "<!-- a row -->\n# Head\n\n| row |\n\n```text\nrow\n```\n\nOne. \n- Two\n"
    assert [text for _, text in paragraphs(page)] == ["One.", "Two"]
