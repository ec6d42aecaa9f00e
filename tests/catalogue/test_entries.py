"""Catalogue entries: ids, and what an entry must say."""

import os

import pytest

from repro.base import places
from repro.base.errors import BadInput
from repro.catalogue.papers import load


def written(folder, item, name="kbr"):
    """A folder of one's own with one paper."""
    path = folder / "conf" / "papers" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"title: a paper\nauthors: somebody\nstatements:\n  {item}\n")
    return folder


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        ("thm_4_2: {title: t, experiments: [a], reason: b}", "a reason, or experiments"),
        ("theorem_4_2: {title: t}", "theorem_4_2: no such kind and number; did you mean thm_4_2"),
        ("thm_4_2: {title: ''}", "papers.kbr.statements.thm_4_2.title"),
        ("thm_4_2: {title: t, reasons: b}", "unknown key; did you mean reason"),
        ("thm_4_2: {titel: t}", r"thm_4_2\.titel: unknown key; did you mean title\? allowed: "),
        ("thm_4_2: {title: t, slips: {x: {place: p, suspected: s, grade: maybe}}}", "grade=maybe"),
        ("thm_4_2: {title: t, not_reproduced: a, reason: b}", "or experiments or not_reproduced"),
        ("thm_4_2: {title: t, substitute: a, not_reproduced: b}", "one of the two"),
        ("thm_4_2: {title: t, text: 'costs $5'}", "pairs of dollar signs"),
        ("thm_4_2: {title: t, text: '$}a{$'}", "matching braces"),
        ("thm_4_2: {title: t, text: '${a$'}", "matching braces"),
        ("thm_4_2: {title: t, text: 'a <b>x</b>'}", "no HTML"),
        (r"thm_4_2: {title: t, text: '$\href{a}{b}$'}", "without links"),
        ('thm_4_2: {title: "\\e[2J"}', "printable"),
    ],
)
def test_malformed_entries_are_refused(tmp_path, item, complaint):
    with pytest.raises(BadInput, match=complaint):
        load(written(tmp_path, item))


def test_a_paper_of_ones_own_stands_behind_those_shipped(tmp_path):
    found = load(written(tmp_path, "thm_4_2: {title: t, experiments: [offline_gap]}"))
    assert list(found.papers) == ["p1", "p2", "p3", "p4", "kbr"]
    assert found.items["kbr.thm_4_2"].experiments == ("offline_gap",)
    assert "kbr.thm_4_2" not in load().items


def test_a_paper_of_an_installed_package_is_found(tmp_path, monkeypatch):
    place = places.Place(written(tmp_path, "thm_4: {title: t}"), "bounds.theorems")
    monkeypatch.setattr(places, "installed", lambda: (place,))
    assert load().items["kbr.thm_4"].title == "t"


def test_two_papers_of_one_name_are_refused(tmp_path):
    with pytest.raises(BadInput, match="p1: is of two places|paper=p1"):
        load(written(tmp_path, "thm_9: {title: t}", "p1"))


def test_an_edited_paper_is_read_again(tmp_path):
    assert load(written(tmp_path, "thm_4: {title: t}")).items["kbr.thm_4"].title == "t"
    assert load(written(tmp_path, "thm_4: {title: other}")).items["kbr.thm_4"].title == "other"
    of_one_size = written(tmp_path, "thm_4: {title: otter}")
    os.utime(of_one_size / "conf" / "papers" / "kbr.yaml", (1e9, 1e9))
    assert load(of_one_size).items["kbr.thm_4"].title == "otter"
