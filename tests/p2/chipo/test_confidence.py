"""Theorems 7 and 8 of docs/explanations/reward_range.md."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.special import expit
from scipy.stats import binom

from repro.base.errors import BadInput
from repro.p2.chipo.confidence import SmallFailureProb, SpuriousReports, root_of_log
from tests.at_each import at_each


def h(x):
    return math.tanh(x / 2)


def case_of(log_inverse_delta, n_pairs, epsilon=1.0, bound=1.0):
    return SmallFailureProb(epsilon=epsilon, n_pairs=n_pairs, coverage=4.0,
                            log_inverse_delta=log_inverse_delta, reward_bound=bound)  # fmt: skip


def test_the_divergence_of_theorem_7_is_log_one_over_four_delta():
    left, n = sympy.symbols("l n", positive=True)
    squared = left / (n + left)
    assert sympy.simplify(n * squared / (1 - squared) - left) == 0


@at_each("epsilon", [0.2, 1.0, 8.0])
@at_each("log_inverse_delta", [2.0, 7.0, 70.0, 690.0])
def test_every_test_errs_as_often_as_theorem_7_says(epsilon, log_inverse_delta):
    case = case_of(log_inverse_delta, 10**5, epsilon)
    if case.cost * math.sqrt(log_inverse_delta / case.n_pairs) < h(case.reward_bound):
        assert root_of_log(case) <= 1


def test_confusion_is_the_sum_over_labels_one_by_one():
    case, difference = case_of(3.0, 12), 0.7
    total = 0.0
    for pairs in range(13):
        for wins in range(pairs + 1):
            chance = binom.pmf(pairs, 12, 0.5) * binom.pmf(wins, pairs, case.win_prob(difference))
            total += chance * (1.0 if 2 * wins < pairs else 0.5 if 2 * wins == pairs else 0.0)
    assert case.confused(difference) == pytest.approx(total, rel=1e-12)


def test_a_mistake_is_the_smaller_log_loss():
    reports = SpuriousReports(10**6, 2.164, 1.0, (1 + h(1) / 2.164) / 2)
    rng = np.random.default_rng(0)
    pairs = rng.poisson(5.0, 200_000)
    wins = rng.binomial(pairs, reports.win_prob)
    truth, other, unsure = (1 + np.array([h(1), -h(2), 0]) / 2.164) / 2
    loss = [-(wins * np.log(p) + (pairs - wins) * np.log(1 - p)) for p in (truth, other, unsure)]
    seen = np.mean(loss[1] < np.minimum(loss[0], loss[2]))
    between = np.mean(loss[2] < np.minimum(loss[0], loss[1]))
    for policy, share in (("spurious", seen), ("unsure", between)):
        found = reports.chosen(policy, 5.0)
        assert found == pytest.approx(share, abs=4 * math.sqrt(share / 200_000))


def test_who_takes_the_worst_for_the_best_takes_an_end():
    reports = SpuriousReports(10**6, 2.164, 1.0, (1 + h(1) / 2.164) / 2, -1.0)
    assert reports.chosen("unsure", 5.0) == 0
    assert reports.chosen("spurious", 1e4) > 0.99


def test_the_constants_of_theorem_8():
    for bound in np.geomspace(1e-4, 1, 200):
        assert h(1) * bound <= h(bound) * (1 + 1e-12)
        assert h(bound) <= bound / 2
        assert h(2) * bound <= h(2 * bound) * (1 + 1e-12)
        assert h(2 * bound) <= bound
    assert 1.5**2 / (1 - h(1) ** 2) / 5.73 <= 0.5
    assert (1 + 0.75**2) / 0.611**2 <= 4.19
    assert math.log(1 / (4 * 9e-12)) >= 4.19 * 5.73
    assert 4 * 1.89**2 / 1.223**2 <= 9.6
    assert math.log(1 / (4 * 3e-25)) >= 9.6 * 5.73
    assert -math.log(1 - h(2)) <= 1.89 * h(2)
    assert -math.log(1 - h(1)) <= 1.89 * h(1)
    assert 0.05 <= 0.58 / (2 * 5.73)
    assert math.sqrt(0.05 / 6) >= 0.09


@at_each("epsilon", [0.2, 1.0, 4.0])
@at_each("bound", [0.1, 1.0])
@at_each("log_inverse_delta", [58.0, 200.0, 600.0])
def test_algorithm_1_is_mistaken_as_often_as_theorem_8_says(epsilon, bound, log_inverse_delta):
    case = case_of(log_inverse_delta, 10**12, epsilon, bound)
    left = log_inverse_delta - math.log(4)
    reports = SpuriousReports(case.n_pairs, case.cost, bound, case.win_prob(bound))
    assert reports.win_prob == pytest.approx((1 + (2 * expit(bound) - 1) / case.cost) / 2)
    expected = left * (case.cost / bound) ** 2 / 5.73
    assert reports.chosen("spurious", expected) >= case.failure_prob


@pytest.mark.parametrize(("log_inverse_delta", "n"), [(1.0, 10**5), (800.0, 10**9), (80, 200)])
def test_a_delta_that_cannot_be_asked_for_is_refused(log_inverse_delta, n):
    with pytest.raises(BadInput, match="log_inverse_delta"):
        case_of(log_inverse_delta, n)
