"""The page of ablations counts what was noticed, and the checks by how they know."""

from dataclasses import replace
from types import SimpleNamespace

from repro.core.results import Finding
from repro.report.ablation_table import page, printed


def finding(name, after, ablation="fair coins", evidence="measured", blind=""):
    return Finding("toy", name, evidence, "labels", ablation, "supported", after, blind)


def test_what_could_not_be_measured_is_noticed_and_counted_apart_too():
    """The reason is that of the numbers, and an old file of findings has none."""
    unmeasured = replace(finding("a", "inconclusive"), unmeasured="a mean is not positive")
    lines = printed([unmeasured, finding("b", "contradicted")]).splitlines()
    assert lines[1] == "  fair coins: noticed (not measured): a mean is not positive"
    assert lines[-1] == "2 of 2 ablations noticed, 1 of them not measured"
    assert "| fair coins | 2 | 1 | 0 | 0 |" in page([unmeasured, finding("b", "contradicted")], [])


def test_a_check_without_a_verdict_is_not_said_to_notice_or_not_to():
    undecided = replace(finding("a", "inconclusive"), before="inconclusive")
    lines = printed([undecided, replace(undecided, after="contradicted")]).splitlines()
    assert set(lines[1:3]) == {
        "  fair coins: could not be judged: inconclusive with everything in place"
    }
    assert lines[-1] == "0 of 2 ablations noticed; 2 could not be judged"


def test_an_experiment_without_a_stage_has_a_line():
    lines = printed([finding("a", "contradicted")], ["identity", "toy"]).splitlines()
    assert lines[2:] == ["identity: nothing to take away", "1 of 1 ablations noticed"]


def check(evidence):
    return SimpleNamespace(quantity=SimpleNamespace(evidence=evidence))


def test_what_was_not_noticed_is_named():
    text = page([finding("a", "contradicted"), finding("b", "supported")], [])
    assert "1 of 2 ablations noticed." in text
    assert "- `toy` `b`: fair coins: NOT NOTICED: still supported" in text
    assert "- `toy` `a`" not in text
    assert "Nothing." not in text
    assert "Nothing." in page([finding("a", "contradicted")], [])


def test_every_ablation_is_counted():
    text = page([finding("a", "contradicted"), finding("b", "supported"),
                 finding("b", "contradicted", "no bonus")], [])  # fmt: skip
    assert "| fair coins | 1 | 0 | 1 | 0 |" in text
    assert "| no bonus | 1 | 0 | 0 | 0 |" in text


def test_checks_are_counted_by_evidence_with_needs_and_without():
    """A check needs something where it notices something, once however much it notices."""
    found = [finding("a", "contradicted"), finding("a", "contradicted", "no bonus"),
             finding("b", "contradicted"), finding("c", "supported")]  # fmt: skip
    text = page(found, [check("measured")] * 3 + [check("searched")] * 2)
    assert "| measured | 2 | 1 |" in text
    assert "| searched | 0 | 2 |" in text
    assert "exact" not in text


def test_the_terminal_has_a_check_and_what_happened_to_it():
    found = [finding("b", "supported", blind="a constant"), finding("a", "contradicted"),
             finding("a", "error: ValueError", "no bonus")]  # fmt: skip
    assert printed(found).splitlines() == [
        "toy a (measured): supported",
        "  fair coins: contradicted",
        "  no bonus: error: ValueError",
        "toy b (measured): supported",
        "  fair coins: NOT NOTICED: still supported (blind: a constant)",
        "2 of 3 ablations noticed",
    ]
