"""Catalogue entries: ids, and what an entry must say."""

import pytest

from repro.base.errors import BadInput
from repro.catalogue.entries import counted, kind, load, number, paper


def written(tmp_path, item, planned="planned: []"):
    path = tmp_path / "catalogue.yaml"
    path.write_text(
        f"papers: {{p1: {{title: a paper, authors: somebody}}}}\n{planned}\nitems:\n  {item}\n"
    )
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p1.def_3_10", ("p1", "definition", "3.10", True)),
        ("p3.claim_a_1", ("p3", "claim", "A.1", True)),
        ("p4.tab_5", ("p4", "table", "5", True)),
        ("p2.rem_5_1", ("p2", "remark", "5.1", False)),
        ("p4.app_c", ("p4", "appendix", "C", False)),
        ("own.sharper_floor", ("own", "own result", "", False)),
    ],
)
def test_ids_are_read(name, expected):
    assert (paper(name), kind(name), number(name), counted(name)) == expected


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        ("p1.thm_4_2: {title: t}", "experiments or a reason"),
        ("p1.thm_4_2: {title: t, experiments: [a], reason: b}", "experiments or a reason"),
        ("p1.theorem_4_2: {title: t, reason: b}", "p1.theorem_4_2 is none"),
        ("p5.thm_4_2: {title: t, reason: b}", "p5.thm_4_2 is none"),
        ("p1.thm_4_2: {title: '', reason: b}", "at least 1 character"),
        ("p1.thm_4_2: {title: t, reasons: b}", "unknown key"),
    ],
)
def test_malformed_entries_are_refused(tmp_path, item, complaint):
    with pytest.raises(BadInput, match=complaint):
        load(written(tmp_path, item))


def test_a_sound_entry_is_accepted(tmp_path):
    found = load(written(tmp_path, "p1.thm_4_2: {title: t, experiments: [offline_gap]}"))
    assert found.items["p1.thm_4_2"].experiments == ("offline_gap",)


@pytest.mark.parametrize("planned", ["planned: []", "planned:", ""])
def test_nothing_may_be_planned(tmp_path, planned):
    found = load(written(tmp_path, "p1.thm_4_2: {title: t, reason: b}", planned))
    assert found.planned == ()
