"""Robust DPO as P4 and as its authors write it, and what happens when it is broken."""

from repro.families.robust import quantities_rdpo


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_a_missing_debias_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1.0

    found = turned("identity", quantities_rdpo, "privacy_cost", wrong)
    assert found == ("supported", "contradicted")
