"""The floor against enumeration, and against every private test of a small number of records."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from repro.p3.curator.floor import floor, label_sum, told_apart


@pytest.mark.parametrize(("changed", "n", "epsilon"), [(0.3, 7, 0.5), (0.9, 4, 1.0), (1e-4, 90, 2)])
def test_closed_form_is_the_expectation(changed, n, epsilon):
    number = np.arange(n + 1)
    kept = binom.pmf(number, n, changed) @ np.exp(-epsilon * np.ceil(number / 2))
    assert told_apart(changed, n, epsilon, 1e-3) == pytest.approx(
        (1 + 2e-3 / math.expm1(epsilon)) * (1 - kept)
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("dp_delta", [0.0, 0.01])
@pytest.mark.parametrize("changed", [1.0, 0.5])
def test_no_private_test_of_few_labels_does_better(epsilon, dp_delta, changed):
    """Tests of n labels are functions of their sum; the best one is a linear program."""
    n, win = 6, (1 + changed) / 2
    ones = np.arange(n + 1)
    gain = binom.pmf(ones, n, win) - binom.pmf(ones, n, 1 - win)
    rows, limits = [], []
    for k in range(n):
        for one, other in ((k, k + 1), (k + 1, k)):
            for sign, limit in ((1, dp_delta), (-1, dp_delta + math.expm1(epsilon))):
                row = np.zeros(n + 1)
                row[one], row[other] = sign, -sign * math.exp(epsilon)
                # P(S) ≤ e^ε P′(S) + δ, and the same for the other choice 1 − P.
                rows.append(row)
                limits.append(limit)
    best = linprog(-gain, A_ub=np.array(rows), b_ub=limits, bounds=(0, 1))
    assert -best.fun <= told_apart(changed, n, epsilon, dp_delta) + 1e-9
    assert -best.fun >= 0.75 * told_apart(changed, n, epsilon)


def test_label_sum_is_a_sum_of_trinomials():
    total, prob = label_sum(0.3, 0.8, 3)
    law = {0: 1.0}
    for _ in range(3):
        step = {-1: 0.06, 0: 0.7, 1: 0.24}
        law = {
            s: sum(law.get(s - k, 0.0) * p for k, p in step.items())
            for s in range(min(law) - 1, max(law) + 2)
        }
    for value, p in law.items():
        assert prob[total == value] == pytest.approx(p, abs=1e-14)
    assert prob.sum() == pytest.approx(1)


def test_floor_at_a_rare_state_is_a_constant_over_the_root():
    for epsilon, n in ((0.01, 10**5), (1.0, 10**4)):
        found = floor(1 / (epsilon * n), (epsilon * n) ** -0.5, 1.0, n, epsilon, 0.0)
        least = math.exp(-(math.tanh(1) + epsilon) / 2)
        assert least <= found * math.sqrt(epsilon * n) <= 0.7
