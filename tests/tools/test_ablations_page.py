"""The page of needs is that of the snapshots, and every reason of a check stands in it."""

from types import SimpleNamespace

import pytest

from repro.core.needs import Need
from repro.study.discovery import slugs
from tools import ablations_page
from tools.ablations_page import PAGE, CheckNeeds, checks_of, page


def needs_of(needs, blind=(), evidence="measured"):
    check = SimpleNamespace(
        name="n_pairs", blind=dict(blind), quantity=SimpleNamespace(evidence=evidence)
    )
    return CheckNeeds("toy", check, tuple(needs))  # type: ignore[arg-type]


def test_the_page_is_that_of_today():
    made = page(one for theorem in slugs() for one in checks_of(theorem))
    assert PAGE.read_text(encoding="utf-8") == made, "python -m tools.ablations_page"


def test_every_check_about_an_algorithm_notices_or_says_why_not():
    found = [one for theorem in slugs() for one in checks_of(theorem)]
    assert len(found) > 800
    assert [(one.theorem, one.check.name) for one in found if "no reason" in one.reasons] == []


def test_reasons_are_those_of_what_is_not_noticed():
    both = {"labels": "no label is read", "estimate": "nothing is fitted", "algorithm": "it is π*"}
    assert needs_of([Need.LABELS], both).reasons == ["nothing is fitted", "it is π*"]
    assert needs_of([Need.LABELS, Need.TRUTH_HIDDEN, Need.ALGORITHM], both).reasons == []
    assert needs_of([], both, "proved").reasons == []
    assert needs_of([]).reasons == ["no reason"]


def test_checks_are_counted_by_need_and_by_evidence():
    text = page([needs_of([Need.LABELS]), needs_of([]), needs_of([], evidence="computed")])
    assert "3 checks; 2 are about an algorithm, of which 0 notice all three." in text
    assert "| `labels` | 1 |" in text
    assert "| measured | 1 | 1 |" in text
    assert "| computed | 0 | 1 |" in text
    assert "| `n_pairs` | measured | `labels` | no reason |" in text


def test_a_check_that_was_never_ablated_is_an_error(monkeypatch, tmp_path):
    file = tmp_path / "kl_contraction.json"
    file.write_text("{}")
    monkeypatch.setattr(ablations_page, "needs_file", lambda theorem: file)
    with pytest.raises(KeyError):
        checks_of("kl_contraction")
