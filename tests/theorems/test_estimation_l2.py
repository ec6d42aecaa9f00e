"""P4's estimation error in the Euclidean norm, and what happens when it is broken."""

from repro.labels.corruption import debiasing


def test_text_instance_has_its_own_rows(swept_of):
    names = set(swept_of(instance="preference_text"))
    assert names
    assert not names & {"ratio", "ltc_floor", "ridge"}


def test_bad_input_is_one_line(refused):
    refused("greater than or equal to 0", "theorem.worlds.ltc.corruption=-0.1")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_a_flip_probability_too_low_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.9 * right(epsilon)

    found = turned("noise_n_pairs", debiasing, "flip_prob", wrong)
    assert found == ("supported", "contradicted")
