"""P4's reduction of DPO to estimation, and what happens when its implementation is broken."""

from repro.families.robust import proofs_reduction


def test_bad_input_is_one_line(refused):
    refused("changes nothing in dpo_reduction", "epsilon=1")


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_a_slope_half_as_large_turns_the_verdict(turned):
    """With ½σ′ for σ′ the printed bound would hold."""

    def wrong(right, x):
        return 2 * right(x)

    found = turned("search", proofs_reduction, "_inverse_slope", wrong)
    assert found == ("contradicted", "supported")
