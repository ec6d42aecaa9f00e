"""P4's private and robust DPO, and what happens when its implementation is broken."""

from repro.corruption import debiasing


def test_bad_input_is_one_line(refused):
    refused("less than 0.5", "theorem.corruption=0.6")


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_a_flip_probability_too_low_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.9 * right(epsilon)

    found = turned("n_pairs", debiasing, "flip_prob", wrong)
    assert found == ("supported", "contradicted")
