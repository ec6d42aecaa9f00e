"""Theorem 9 of docs/explanations/reward_range.md."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.stats import binom

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from tests.at_each import at_each
from theorems.p2_optimism_lemmas import Confusion, root_of_log


def test_the_divergence_is_at_most_log_one_over_four_delta():
    left, rounds = sympy.symbols("l T", positive=True)
    squared = left / (2 * rounds + left)
    assert sympy.simplify(2 * rounds * squared / (1 - squared) - left) == 0
    mean = np.linspace(1e-6, 1 - 1e-6, 10_000)
    assert (np.arctanh(mean) <= mean / (1 - mean**2)).all()


@at_each("epsilon", [0.1, 1.0, 8.0])
@at_each("left", [0.01, 1.0, 7.0, 70.0, 600.0])
@at_each("rounds", [1, 10, 1001, 10**6])
def test_the_best_test_of_t_labels_errs_as_often(epsilon, left, rounds):
    """All labels tell as much as any can; the likelier problem is chosen, ties by a coin."""
    mean = math.sqrt(left / (2 * rounds + left))
    if privacy_cost(epsilon) * mean > math.tanh(0.5):
        return
    wins, win = np.ceil(rounds / 2) - 1, (1 + mean) / 2
    tied = binom.pmf(rounds // 2, rounds, win) if rounds % 2 == 0 else 0.0
    assert binom.cdf(wins, rounds, win) + tied / 2 >= math.exp(-left) / 4


@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.1, 1.0])
def test_gaps_in_both_problems_sum_up_to_half_of_the_difference(size):
    share = np.linspace(1e-9, 1 - 1e-9, 100_001)
    tilt = 2 * math.log(4)
    good = 1 / (1 + math.exp(-tilt))
    gaps = [
        size / tilt * (share * np.log(share / one) + (1 - share) * np.log((1 - share) / (1 - one)))
        for one in (good, 1 - good)
    ]
    assert (gaps[0] + gaps[1]).min() >= size / 2
    assert size / tilt * abs(math.log(2 * (1 - good))) <= size
    assert 2 * good <= 2


def world(log_inverse_delta, horizon, epsilon=1.0):
    return Confusion(epsilon=epsilon, horizon=horizon, log_inverse_delta=log_inverse_delta)


@at_each("epsilon", [0.2, 1.0, 8.0])
@at_each("log_inverse_delta", [2.0, 7.0, 70.0, 690.0])
def test_every_test_errs_as_often_as_theorem_9_says(epsilon, log_inverse_delta):
    assert root_of_log(world(log_inverse_delta, 10**5, epsilon)) <= 1


@pytest.mark.parametrize(("log_inverse_delta", "horizon"), [(1.0, 10**5), (800.0, 10**9), (80, 99)])
def test_a_delta_that_cannot_be_asked_for_is_refused(log_inverse_delta, horizon):
    with pytest.raises(BadInput, match="log_inverse_delta"):
        world(log_inverse_delta, horizon)
