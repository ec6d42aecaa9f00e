"""P4's concentration lemmas, and what happens when its implementation is broken."""

from theorems import concentration_lemmas


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_mechanisms_of_a_larger_budget_turn_the_verdict(turned):
    def wrong(right, cost, *more):
        smaller = (1 + cost) / 2
        return right(smaller, *more) * cost / smaller

    found = turned("contraction", concentration_lemmas, "contraction_ratio", wrong)
    assert found == ("supported", "contradicted")
