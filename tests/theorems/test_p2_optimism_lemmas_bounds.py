"""Both sides of P2's Lemmas C.4 and C.5 on two responses."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from theorems.p2_optimism_lemmas import (
    TwoPolicies,
    corrected_sign,
    excess,
    lemma_fails,
    printed_sign,
    term_failure,
)

POLICIES = TwoPolicies(
    optimal=1.0, other=-0.5, epsilon=math.log(3), failure_prob=0.05, horizon=1000
)


def test_numbers_by_hand():
    assert POLICIES.win_prob(0.0) == pytest.approx(0.5)
    assert POLICIES.win_prob(1.0) == pytest.approx(0.25 + 0.5 / (1 + math.exp(-1)))
    assert POLICIES.margin == pytest.approx((8 * 2 * math.exp(2)) ** -2)


def test_the_mean_excess_is_minus_half_the_divergence_a_round():
    true, wrong = POLICIES.win_prob(1.0), POLICIES.win_prob(-0.5)
    divergence = true * math.log(true / wrong) + (1 - true) * math.log((1 - true) / (1 - wrong))
    found = excess(POLICIES, np.random.default_rng(0), 20_000)
    assert found.mean() == pytest.approx(-500 * divergence, rel=0.01)


def test_the_lemma_with_either_sign_by_hand():
    left = POLICIES.margin * 0.5 * 2.25
    err = 4 * math.log(2 * 10 / 0.05)
    just_fails = (left - err) / 4
    few, both = replace(POLICIES, horizon=10), np.array([just_fails - 1e-6, just_fails + 1e-6])
    assert lemma_fails(few, printed_sign, both, 2).tolist() == [1.0, 0.0]
    just_fails = (2 * err - 10 * left) / 4
    both = np.array([just_fails + 1e-6, just_fails - 1e-6])
    assert lemma_fails(few, corrected_sign, both, 2).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("rounds", "v", "constant"), [(7, 0.1, 1.0), (8, 1.0, 0.7), (8, 3.0, 2.0)])
def test_failure_probability_by_enumeration(rounds, v, constant):
    """Sum log(π/π*) over all draws of the two responses."""
    ratio = np.array([2 - math.exp(-v), math.exp(-v)])
    log_ratio = np.log(ratio / ratio[::-1])
    bound = constant * v * math.sqrt(rounds * 1.3)
    draws = itertools.product(log_ratio, repeat=rounds)
    share = np.mean([rounds * log_ratio.mean() - sum(draw) > bound for draw in draws])
    assert term_failure(rounds, v, constant, 1.3) == pytest.approx(share)


def test_the_policies_keep_the_density_ratio_bound():
    for v in (1e-3, 0.5, 4.0):
        ratio = np.array([2 - math.exp(-v), math.exp(-v)])
        assert ratio.mean() == pytest.approx(1.0)
        assert (np.abs(np.log(ratio)) <= v * (1 + 1e-12)).all()
