"""``python -m repro catalogue``."""

import json

import pytest

from repro.catalogue.papers import Item, load
from repro.commands import catalogue as command
from repro.commands.new_paper import main as new_paper
from repro.commands.new_theorem import main as new_theorem
from repro.commands.process.command import status_of


def test_json_accounts_for_every_item(capsys):
    assert status_of(command.main, ["--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [item["id"] for item in printed["items"]] == list(load().items)
    counts = dict(printed["summary"])
    assert counts.pop("numbered") == sum(counts.values()) == 132
    assert printed["problems"] == []


def test_the_table_shows_numbers_titles_and_experiments(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert status_of(command.main, []) == 0
    text = capsys.readouterr().out
    for shown in (
        "theorem 4.2", "offline_gap (contradicted)", "hyperparameters", "statements of papers",
    ):  # fmt: skip
        assert shown in text


def test_an_unknown_argument_is_one_line_and_status_two(capsys):
    assert status_of(command.main, ["--yaml"]) == 2
    line = capsys.readouterr().err
    assert line.startswith("error: argument=--yaml: allowed: one of --json, --page, --slips; ")
    assert line.count("\n") == 1


def test_a_paper_that_is_not_here_is_no_word_of_a_formula(capsys):
    assert status_of(command.main, ["pm"]) == 2
    line = capsys.readouterr().err
    assert "statement=pm: " in line
    assert "a paper (p1, p2, p3, p4; one of yours in its folder)" in line


def test_the_page_of_one_paper_has_its_statements_alone(capsys):
    assert status_of(command.main, ["p2", "--page"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    ids = [line.split(" | ")[1].strip("`") for line in lines]
    assert ids == ["id", *(name for name in load().items if name.startswith("p2."))]
    assert status_of(command.main, ["--page", "p9"]) == 2
    assert capsys.readouterr().err == "error: paper=p9: allowed: p1, p2, p3, p4\n"


def test_the_page_of_an_own_paper_has_only_what_is_true_of_it(tmp_path, monkeypatch, capsys):
    """No link to a page that its folder lacks, no letter of P1 to P4, and its own results."""
    assert new_paper(["mine"], tmp_path) == 0
    assert new_theorem(["my_bound"], tmp_path) == 0
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert status_of(command.main, ["mine", "--page"]) == 0
    page = capsys.readouterr().out
    assert "The paper has 1 statement: 1 … not run yet." in page
    assert "`python -m repro catalogue mine --page` writes this page" in page
    assert not any(words in page for words in (".md", "P1", "W(B)", "recorded"))
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    ids = [line.split(" | ")[1].strip("`") for line in lines]
    assert ids == ["id", "mine.thm_1", "id", "own.my_bound"]


@pytest.mark.parametrize("arguments", [["--json"], []])
def test_a_gap_is_status_one_and_named(capsys, monkeypatch, arguments):
    sound = load()
    item = sound.items["p1.alg_1"].model_copy(update={"experiments": ("never_written",)})
    faulty = sound.model_copy(update={"items": {**sound.items, "p1.alg_1": item}})
    monkeypatch.setattr(command, "load", lambda: faulty)
    assert status_of(command.main, arguments) == 1
    assert "never_written: no such experiment" in capsys.readouterr().err


def test_a_statement_without_an_experiment_yet_is_no_gap_and_help_says_so(capsys, monkeypatch):
    sound = load()
    to_come = Item(title="to come")
    more = sound.model_copy(update={"items": {**sound.items, "p1.thm_99": to_come}})
    monkeypatch.setattr(command, "load", lambda: more)
    assert status_of(command.main, []) == 0
    assert " 1 without an experiment yet;" in " ".join(capsys.readouterr().out.split())
    assert "A statement without an experiment yet leaves it sound." in command.__doc__
