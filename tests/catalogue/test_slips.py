"""The list of suspected errors: sound, and a dangling name is seen to fail."""

from pathlib import Path

import pytest

from repro.catalogue import slips as command
from repro.catalogue.slips import Slip, dangling, load_slips, page, pinned_by_check
from repro.errors import BadInput
from repro.study.experiment import find, slugs

ROOT = Path(__file__).parents[2]
ENTRY = "{place: a, suspected: b, finding: confirmed, corrected: c, reading: d}"
PROOF = "tests/catalogue/test_slips.py::test_every_name_exists"


def slip(**evidence):
    return Slip(place="a", suspected="b", finding="confirmed", corrected="c", **evidence)


def written(tmp_path, text):
    path = tmp_path / "slips.yaml"
    path.write_text(f"slips:\n{text}\n")
    return path


def test_every_name_exists():
    assert dangling(load_slips(), ROOT) == []


def test_every_paper_has_entries_and_ids_name_it():
    assert {name.split(".")[0] for name in load_slips()} == {"p1", "p2", "p3", "p4"}


def test_every_contradicted_row_is_listed():
    """A row pinned contradicted is an error of a paper: it must be on the list."""
    listed = {(e, c) for s in load_slips().values() for e, names in s.checks.items() for c in names}
    pinned = {
        (slug, check)
        for slug in slugs()
        for check, verdict in pinned_by_check(slug).items()
        if verdict == "contradicted"
    }
    assert pinned - listed == set()


def test_a_contradicted_check_stands_under_a_confirmed_slip():
    for name, entry in load_slips().items():
        verdicts = {pinned_by_check(e)[c] for e, names in entry.checks.items() for c in names}
        assert "contradicted" not in verdicts or entry.finding == "confirmed", name


def test_pinned_checks_are_the_rows_of_the_experiment():
    for slug in slugs():
        rows = {row.name for row in getattr(find(slug), "rows", ())}
        assert rows <= set(pinned_by_check(slug)), slug


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (slip(checks={"offline_gap": ("no_such_row",)}), "x: no check no_such_row in offline_gap"),
        (slip(checks={"no_such": ("n_pairs",)}), "x: no experiment no_such"),
        (slip(proofs=(f"{PROOF}_not",)), f"x: no test {PROOF}_not"),
        (slip(proofs=("tests/none.py::test_a",)), "x: no test tests/none.py::test_a"),
    ],
)
def test_a_dangling_name_is_found(entry, complaint):
    assert dangling({"x": entry}, ROOT) == [complaint]


def test_sound_evidence_is_accepted():
    entries = {"x": slip(checks={"offline_gap": ("n_pairs",)}), "y": slip(proofs=(PROOF,))}
    assert dangling(entries, ROOT) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"  p1.a: {ENTRY}\n  p1.a: {ENTRY}", "each id once"),
        ("  p1.a: {place: a, suspected: b, finding: confirmed, corrected: c}", "or a reading"),
        (f"  p1.a: {ENTRY.replace('confirmed', 'maybe')}", "finding"),
    ],
)
def test_malformed_entries_are_refused(tmp_path, text, complaint):
    with pytest.raises(BadInput, match=complaint):
        load_slips(written(tmp_path, text))


def test_the_page_is_up_to_date():
    written_page = (ROOT / command.PAGE).read_text(encoding="utf-8")
    assert written_page == page(load_slips()), "run python -m repro.catalogue.slips"


def test_the_page_shows_evidence_of_each_kind():
    text = page({"p1.a": slip(checks={"offline_gap": ("n_pairs",)}), "p2.b": slip(reading="|d|")})
    assert "`offline_gap`: n_pairs [supported]" in text
    assert "## P2" in text
    assert "reading: \\|d\\|" in text


def test_the_command_writes_the_page_or_names_what_is_missing(tmp_path, monkeypatch, capsys):
    entries = {"p1.a": slip(reading="d")}
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(command, "load_slips", lambda: entries)
    monkeypatch.setattr(command, "conf_dir", lambda: tmp_path / "conf")
    assert command.main() == 0
    assert (tmp_path / command.PAGE).read_text() == page(entries)
    entries["p1.b"] = slip(proofs=("tests/none.py::test_a",))
    assert command.main() == 1
    assert "p1.b: no test tests/none.py::test_a" in capsys.readouterr().err
