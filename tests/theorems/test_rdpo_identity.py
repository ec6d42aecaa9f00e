"""Robust DPO as P4 and as its authors write it, and what happens when it is broken."""

from theorems import rdpo_identity


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_a_missing_debias_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1.0

    found = turned("identity", rdpo_identity, "privacy_cost", wrong)
    assert found == ("supported", "contradicted")
