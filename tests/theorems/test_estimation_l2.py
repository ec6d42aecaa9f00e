"""P4's estimation error in the Euclidean norm, and what happens when it is broken."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.catalogue.papers import load
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


def few(swept_of):
    """Six labels, at the δ nearest to 1."""
    return swept_of()["delta_near_one"].sweep.worlds[0]


def test_the_counterexample_near_delta_one_is_worked_out_by_hand(swept_of):
    """θ̂ = logit(wins/6) in [−1, 1]; 1/γ = 2 + e + 1/e; Theorem 5.7 asks for n ≥ 8·ln(2/δ)."""
    world = few(swept_of)
    logits = [math.log(wins / (6 - wins)) for wins in range(1, 6)]
    fitted = np.clip([-np.inf, *logits, np.inf], -1, 1)
    assert world.errors == pytest.approx(abs(fitted - 0.5))
    least, bound = math.log(2) - 0.5, math.sqrt(1e-10 / 6) * (2 + math.e + 1 / math.e)
    assert world.n_pairs >= 8 * (math.log(2) + world.log_inverse_delta)
    assert (world.errors.min(), world.bound(0.0)) == pytest.approx((least, bound))
    said = load().items["p4.thm_5_7"].counterexample
    for number in (f"{least:.3f}", f"{bound:.2e}".replace("e-0", "e-"), f"{least / bound:.0f}"):
        assert number in said


def test_below_one_half_the_printed_bound_is_above_every_error(swept_of):
    half = replace(few(swept_of), log_inverse_delta=math.log(2))
    assert half.errors.max() < half.bound(0.0)


def test_the_rate_in_the_slope_keeps_its_epsilon(swept_of):
    """Above ε = B′ noise grows like γ^(−1/2), inside the printed bound."""
    worlds = swept_of(epsilon=8)["noise_reward_bound"].sweep.worlds
    assert {world.epsilon for world in worlds} == {0.5}


def test_more_labels_than_an_exact_law_has_room_for_are_refused(refused):
    refused("n_pairs=100000000000: allowed: less than or equal to 10000000", "n_pairs=1e11")
