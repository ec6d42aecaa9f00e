"""The page of ablations counts what was noticed, and the rows by how they know."""

from types import SimpleNamespace

from repro.study.ablations import Finding
from repro.study.row import Evidence, Need

from repro.report.ablation_table import NO_STAGE, page


def finding(name, after, ablation="fair coins"):
    return Finding("toy", name, "measured", "labels", ablation, "supported", after)


def row(evidence, *needs):
    return SimpleNamespace(measure=SimpleNamespace(evidence=evidence), needs=needs)


def test_what_was_not_noticed_is_named():
    text = page([finding("a", "contradicted"), finding("b", "supported")], [])
    assert "1 of 2 ablations noticed." in text
    assert "- `toy` `b` needs labels; fair coins: NOT NOTICED: still supported" in text
    assert "- `toy` `a`" not in text


def test_a_need_without_a_stage_is_not_noticed():
    text = page([finding("a", "supported", ablation="")], [])
    assert f"| {NO_STAGE} | 0 | 1 |" in text
    assert "Nothing." not in text


def test_rows_are_counted_by_evidence_with_needs_and_without():
    rows = [row(Evidence.MEASURED, Need.LABELS)] * 3 + [row(Evidence.SEARCHED)] * 2
    text = page([], rows)
    assert "| measured | 3 | 0 |" in text
    assert "| searched | 0 | 2 |" in text
    assert "exact" not in text
