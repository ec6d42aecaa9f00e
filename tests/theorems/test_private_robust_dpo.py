"""P4's private and robust DPO, and what happens when its implementation is broken."""

from repro.labels.corruption import debiasing
from repro.p4.corruption_floors.rare_pairs import Uncovered
from repro.p4.linear_rlhf import dpo


def test_bad_input_is_one_line(refused):
    refused("less than 0.5", "theorem.worlds.ltc.corruption=0.6")


def test_coverage_leaves_room_for_the_other_pair(refused):
    refused("less than 0.25", "theorem.worlds.covered.min_eigenvalue=0.3")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_a_flip_probability_too_low_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.9 * right(epsilon)

    found = turned("n_pairs", debiasing, "flip_prob", wrong)
    assert found == ("supported", "contradicted")


def test_a_pessimist_who_takes_the_worst_response_turns_the_verdict(turned):
    def wrong(right, found, theta, covariance):
        return right(found, -theta, covariance)

    found = turned("uncovered", dpo, "_policy", wrong, replicates=150)
    assert found == ("supported", "contradicted")


def test_a_supremum_at_the_wrong_mass_turns_the_verdict(turned):
    def wrong(right, pair):
        return right(pair)[1:]

    found = turned("covered_corruption", Uncovered, "ladder", wrong)
    assert found == ("supported", "contradicted")
