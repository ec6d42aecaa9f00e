"""Sentences that newcomers read are short and have none of the listed smells."""

from pathlib import Path

import pytest

from tools.plain_english import LONGEST, of_first_lines, of_help, of_page, paragraphs, smells

DOCS = (
    "index questions headlines tutorial glossary for_authors citing howto/mlflow howto/gpu"
    " howto/check_a_proof howto/cluster howto/suite_with_dvc howto/privatise_and_audit"
    " howto/own_preference_data howto/add_paper howto/language_models howto/private_reward"
    " howto/add_theorem releasing_preferences reference/commands reference/engine reference/files"
    " reference/python performance"
)
PAGES = ["README.md", *(f"docs/{name}.md" for name in DOCS.split())]


def hard(read):
    return [f"{place}: {smell}: {text}" for place, text in read for smell in smells(text)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_for_newcomers_has_no_sentence_that_is_hard_to_read(page):
    assert hard(of_page(Path(page))) == []


@pytest.mark.parametrize("read", [of_first_lines, of_help], ids=["first lines", "help"])
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
