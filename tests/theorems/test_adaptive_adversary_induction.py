"""The best adversary who sees past labels: by hand, by trying all, by simulation, by bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import norm

from theorems.adaptive_adversary import (
    ReportsOfOnePair,
    idle_adversary,
    largest_squared_error,
    oblivious_squared_error,
    sees_nothing,
    sees_the_past,
    simulated_errors,
)


def exact(cell: ReportsOfOnePair, bad: np.ndarray) -> float:
    """E[(c·z̄ − h)²] of one adversary, forward over the law of the sum."""
    law = {0: 1.0}
    for k in range(cell.n_pairs):
        later: dict[int, float] = {}
        for s, mass in law.items():
            up = (1 + cell.report_mean(bad[k, s + k])) / 2
            later[s + 1] = later.get(s + 1, 0) + mass * up
            later[s - 1] = later.get(s - 1, 0) + mass * (1 - up)
        law = later
    return sum(mass * float(cell.error(np.array(s))) ** 2 for s, mass in law.items())


CELLS = [ReportsOfOnePair(4, h, c, k, a) for h, (c, k), a in itertools.product(
    (0.0, 0.3, -0.7), ((1.0, 1.0), (2.2, 1.0), (2.2, 2.2)), (0.0, 0.1, 0.45))]  # fmt: skip


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_no_adversary_of_all_that_see_the_sum_does_better(cell):
    """All 2^10 tables of labels at 1 + 2 + 3 + 4 places of four steps."""
    places = [(k, i) for k in range(4) for i in range(0, 2 * k + 1, 2)]
    found = 0.0
    for labels in itertools.product((-1.0, 1.0), repeat=len(places)):
        bad = np.zeros((4, 9))
        for (k, i), label in zip(places, labels, strict=True):
            bad[k, i] = label
        found = max(found, exact(cell, bad))
    assert largest_squared_error(cell) == pytest.approx(found, rel=1e-12)
    assert exact(cell, sees_the_past(cell)) == pytest.approx(found, rel=1e-12)


def test_who_sees_nothing_is_best_with_one_side():
    for cell in CELLS:
        sides = [np.tile(np.array(side)[:, None], (1, 9))
                 for side in itertools.product((-1.0, 1.0), repeat=4)]  # fmt: skip
        best = max(exact(cell, bad) for bad in sides)
        assert exact(cell, sees_nothing(cell)) == pytest.approx(oblivious_squared_error(cell))
        if cell.clean_mean == 0:
            assert oblivious_squared_error(cell) == pytest.approx(best, rel=1e-12)


def test_at_zero_it_pushes_away():
    cell = ReportsOfOnePair(30, 0.0, 2.0, 2.0, 0.2)
    bad = sees_the_past(cell)
    for k in range(30):
        sums = np.arange(-k, k + 1)
        away = sums % 2 == k % 2
        away &= sums != 0
        np.testing.assert_array_equal(bad[k, : 2 * k + 1][away], np.sign(sums[away]))


def test_bounds_on_random_cells():
    rng = np.random.default_rng(5)
    for _ in range(300):
        cost = 1 + rng.exponential(2)
        reach = rng.choice([1.0, cost])
        cell = ReportsOfOnePair(int(rng.integers(1, 120)), rng.uniform(-0.99, 0.99), cost, reach,
                    0.5 * rng.random() ** 3)  # fmt: skip
        assert math.sqrt(largest_squared_error(cell)) <= cell.bound * (1 + 1e-12)
        assert largest_squared_error(cell) >= oblivious_squared_error(cell) * (1 - 1e-12)
        even = ReportsOfOnePair(cell.n_pairs, 0.0, cost, reach, cell.corruption)
        p, n = even.corruption * reach / cost, even.n_pairs
        limit = (cost / n) ** 2 * (n**2 * p**2 + 2 * n * (1 - p**2))
        assert largest_squared_error(even) <= limit * (1 + 1e-12)


def test_the_limit_of_many_labels_is_a_reflected_motion():
    a, n = 0.71, 3000
    cell = ReportsOfOnePair(n, 0.0, 1.0, 1.0, a / math.sqrt(n))

    def beyond(m: float) -> float:
        return float(2 * m * (norm.sf(m - a) + math.exp(2 * a * m + norm.logcdf(-m - a))))

    second = quad(beyond, 0, 20)[0]
    assert math.sqrt(second / (1 + a * a)) == pytest.approx(1.1660, abs=1e-4)
    assert n * largest_squared_error(cell) == pytest.approx(second, rel=2e-3)


def test_the_variance_of_a_report_splits_into_three():
    alpha, h, b, c, kappa = sympy.symbols("alpha h b c kappa")
    mean = ((1 - alpha) * h + alpha * kappa * b) / c
    parts = (1 - alpha) * (1 - (h / c) ** 2) + alpha * (1 - (kappa * b / c) ** 2)
    coin = alpha * (1 - alpha) * ((kappa * b - h) / c) ** 2
    assert sympy.simplify(1 - mean**2 - parts - coin) == 0


def test_sums_of_the_second_theorem():
    n, p, k = sympy.symbols("n p k", positive=True)
    mean = k * p + (1 - p**2) / (2 * p)
    total = n + 2 * p * sympy.summation(mean, (k, 0, n - 1))
    assert sympy.simplify(total - n**2 * p**2 - 2 * n * (1 - p**2)) == 0


def test_weights_that_a_learner_chooses_as_it_goes():
    """Theorem 1 with weights, and an adversary who follows the weighted sum."""
    rng, n, runs, cost, alpha, h = np.random.default_rng(2), 150, 20_000, 2.0, 0.05, 0.2
    total, squares, drift = np.zeros(runs), np.zeros(runs), np.zeros(runs)
    for i in range(n):
        weight = np.where(total * np.cos(i) > 0, 1.0, 0.3)
        bad = np.where(total >= 0, 1.0, -1.0)
        mean = ((1 - alpha) * h + alpha * cost * bad) / cost
        report = np.where(rng.random(runs) < (1 + mean) / 2, 1.0, -1.0)
        total += weight * (cost * report - h)
        squares += weight**2
        drift += weight * (cost + h)
    bound = cost * math.sqrt(squares.mean()) + alpha * math.sqrt((drift**2).mean())
    assert 0.6 * bound < math.sqrt((total**2).mean()) < bound


def test_simulation_is_the_exact_law():
    cell = ReportsOfOnePair(40, 0.3, 2.0, 2.0, 0.1)
    for adversary in (sees_the_past, sees_nothing, idle_adversary):
        bad = adversary(cell)
        prob = (1 + ((1 - 0.1) * 0.3 + 0.1 * 2.0 * bad) / 2.0) / 2
        found = (simulated_errors(prob, cell, np.random.default_rng(1), 40_000) - 0.3) ** 2
        error = found.std() / math.sqrt(len(found))
        assert abs(found.mean() - exact(cell, bad)) < 4 * error
    unbiased = exact(cell, idle_adversary(cell))
    assert unbiased == pytest.approx(4 * (1 - 0.15**2) / 40)
