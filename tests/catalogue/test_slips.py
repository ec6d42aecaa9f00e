"""Every suspected error has evidence that exists, and its page is the one in docs/."""

from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.catalogue.papers import Slip, load, read
from repro.catalogue.slips import dangling, page
from repro.catalogue.summaries import summaries
from repro.commands import catalogue as command
from repro.commands.process.command import status_of
from repro.study.discovery import find, slugs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checks():
    """Names of the controls of every check, by experiment."""
    return {
        slug: {one.name: tuple(wrong.__name__ for wrong in one.wrong) for one in find(slug).checks}
        for slug in slugs()
    }


def test_every_slip_has_evidence_that_exists(checks):
    assert list(dangling(load().slips, checks, ROOT)) == []


def test_every_check_pinned_contradicted_is_evidence_of_a_slip():
    named = {one.split("/")[0] for slip in load().slips.values() for one in slip.evidence}
    contradicted = {
        f"{slug}: {name}"
        for slug, summary in summaries().items()
        for name, verdict in ((check.name, check.expected) for check in summary.checks)
        if verdict == "contradicted"
    }
    assert contradicted - named == set()


def test_a_contradicted_check_never_stands_under_a_slip_that_is_none():
    """A misprint may have one: its letter is false, and its one possible reading holds."""
    pinned = {
        f"{slug}: {check.name}": check.expected
        for slug, summary in summaries().items()
        for check in summary.checks
    }
    weaker = {
        name
        for name, slip in load().slips.items()
        if slip.grade == "cleared" and "contradicted" in map(pinned.get, slip.evidence)
    }
    assert weaker == set()


@pytest.mark.parametrize(
    ("evidence", "grade", "complaint"),
    [
        ("lower_bound: misspelt", "error", "no such evidence: lower_bound: misspelt"),
        ("lower_bound: n_pairs/misspelt", "error", "no such evidence"),
        ("nowhere: n_pairs", "error", "no such evidence"),
        ("tests/catalogue/test_slips.py::test_nothing", "cleared", "no such evidence"),
        ("tests/nowhere.py::test_nothing", "cleared", "no such evidence"),
        ("tests/catalogue/test_slips.py::test_dangling", "cleared", "no such evidence"),
        (None, "not_claimed", "not claimed without evidence"),
    ],
)
def test_dangling_evidence_is_found(evidence, grade, complaint):
    slip = Slip(
        place="p", suspected="s", grade=grade, corrected="c",
        evidence=(evidence,) if evidence else (),
    )  # fmt: skip
    (line,) = dangling({"p1.x": slip}, {"lower_bound": {"n_pairs": ("no_data",)}}, ROOT)
    assert complaint in line


def test_evidence_that_nobody_can_look_up_is_not_asked_for():
    """Checks of an experiment that was not read, and tests without their folder."""
    evidence = ("mine: n_pairs", "tests/nowhere.py::test_nothing")
    slip = Slip(place="p", suspected="s", grade="error", corrected="c", evidence=evidence)
    assert list(dangling({"p1.x": slip}, {}, None, {"mine"})) == []
    assert len([*dangling({"p1.x": slip}, {}, ROOT)]) == 2


def test_notation_needs_no_evidence():
    slip = Slip(place="p", suspected="s", grade="notation", evidence=(), corrected="c")
    assert list(dangling({"p1.x": slip}, {}, ROOT)) == []


def test_a_malformed_file_is_one_line(tmp_path):
    file = tmp_path / "kbr.yaml"
    file.write_text(
        "title: t\nauthors: a\nstatements: {}\n"
        "slips: {x: {place: p, suspected: s, grade: maybe, corrected: c}}\n"
    )
    with pytest.raises(BadInput, match=r"papers\.kbr\.slips\.x\.grade=maybe"):
        read(file)


def test_the_page_is_up_to_date(capsys):
    assert status_of(command.main, ["--slips"]) == 0
    assert (ROOT / "docs" / "suspected_slips.md").read_text("utf-8") == capsys.readouterr().out


def test_a_bar_inside_a_cell_does_not_split_it():
    slip = Slip(place="|Π|", suspected="s", grade="notation", evidence=(), corrected="c")
    text = page({"p1.x": slip}, {n: p.said for n, p in load().papers.items()}, {})
    assert "| \\|Π\\| | s | notation | – | c |" in text
