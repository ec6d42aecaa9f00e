"""Chosen labels, against labels that are replaced one by one, and the steps of the proofs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.labels.corruption.orders import Order
from theorems import chosen_labels
from theorems.chosen_labels import OneCell, errors, lower, upper

SMALL = OneCell(epsilon=1.0, n_pairs=4000, corruption=0.02, mean=0.5)


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_labels_that_are_replaced_one_by_one_have_the_same_means(order):
    world = replace(SMALL, order=order)
    rng, runs, cost = np.random.default_rng(4), 200, 1 / math.tanh(0.5)
    fast = world.means(rng, 2000)
    for k in (3, 9, 19):
        found = []
        for _ in range(runs):
            inside = rng.random(world.n_pairs) < world.masses[k]
            y = np.where(rng.random(inside.sum()) < 0.75, 1, -1)
            coin = np.where(rng.random(len(y)) < 1 / (1 + math.exp(-1.0)), 1, -1)
            seen = y if order is Order.CTL else y * coin
            turned = np.flatnonzero(seen == 1)[: int(0.02 * world.n_pairs)]
            seen[turned] = -1
            z = seen * coin if order is Order.CTL else seen
            found.append(cost * z.mean())
        error = math.sqrt(np.var(found) / runs + fast[k].var() / 2000)
        assert abs(np.mean(found) - fast[k].mean()) < 4 * error + 1e-12, k


@pytest.mark.parametrize("log", [False, True])
def test_the_minimiser_against_every_value_of_a_grid(log):
    world = replace(SMALL, epsilon=0.7)
    cost, grid = 1 / math.tanh(0.35), np.linspace(-0.5, 0.5, 20001)
    for debiased in (-0.9, -0.3, 0.123, 0.8):
        share, report = (1 + debiased / cost) / 2, (1 + grid / cost) / 2
        loss = -share * np.log(report) - (1 - share) * np.log(1 - report)
        if not log:
            loss = (grid - debiased) ** 2
        (found,) = chosen_labels._fitted(np.array([debiased]), world, log)
        assert found == pytest.approx(grid[loss.argmin()], abs=1e-4)


def test_the_bounds_by_hand():
    world = replace(SMALL, order=Order.LTC)
    cost = 1 / math.tanh(0.5)
    assert lower(world) == pytest.approx(math.sqrt(0.02 * cost))
    logs = math.log(2 * (10**6 + 1) / 0.05)
    bound = 4 / (1 - math.exp(-0.25)) * (cost**2 * logs / 4000 + 0.04 * cost)
    assert upper(world) == pytest.approx(math.sqrt(bound))
    more = (
        4
        / (1 - math.exp(-0.25))
        * (cost**2 * logs / 4000 + 0.04 + 3 * cost * math.sqrt(0.02 * logs / 4000))
    )
    assert upper(SMALL) == pytest.approx(math.sqrt(more))


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_the_twins_of_theorem_2_keep_the_budget_and_send_the_same_labels(order):
    """Exact means: a turned share of the labels that agree with the truth, in either world."""
    cost, alpha, mean = 3.0, 0.01, 0.4
    zeta = 1.0 if order is Order.CTL else cost
    mass, seen = 2 * zeta * alpha / mean, mean / zeta
    agree = (1 + seen) / 2
    turned = agree * seen / (1 + seen)
    assert mass * turned == pytest.approx(alpha)
    assert seen - 2 * turned == pytest.approx(0)


def test_on_a_covered_cell_choosing_gains_nothing():
    world = replace(SMALL, n_pairs=10**10, corruption=1e-3)
    one = replace(world, adversary=chosen_labels.everywhere)
    chosen, huber = (w.means(np.random.default_rng(0), 200)[-1].mean() for w in (world, one))
    # all αn on half of the pairs: twice Huber's share there
    assert 0.5 - chosen == pytest.approx(2 * 2e-3, rel=0.05)
    assert 0.5 - huber == pytest.approx(1.5e-3, rel=0.05)


def test_errors_are_root_mean_squares():
    found = errors(replace(SMALL, n_pairs=10**9), np.random.default_rng(0), 50, log=False)
    # p = α/h₀ turns the cell round: √p·2h₀ = 2√(α·h₀); the ladder has it within a tenth
    assert found == pytest.approx(np.full(50, 2 * math.sqrt(0.02 * 0.5)), rel=0.1)


def test_labels_without_the_truth_leave_the_bounds(turned):
    def wrong(right, debiased, world, log):
        return right(0 * debiased, world, log)

    found = turned("bounds_ctl", chosen_labels, "_fitted", wrong)
    assert found == ("supported", "contradicted")


def test_bad_numbers_are_one_line(refused):
    refused("n_pairs", n_pairs=0)
