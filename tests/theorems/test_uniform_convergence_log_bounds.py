"""Lemma 3.1 of P2: its class, its worst step and its inequality against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

from theorems.uniform_convergence_log import (
    Cells,
    LogSequences,
    log_likelihood,
    mixture_mle,
    naive_likelihood,
    on_a_grid,
    on_the_hypercube,
    private_prob,
    seen,
    violated,
    without_privacy_cost,
    worst_step,
)


def cells(n_pairs: int, num_features: int = 4, base: float = 0.8) -> Cells:
    return Cells(epsilon=1.0, n_pairs=n_pairs, num_features=num_features, base=base)


def test_the_private_probability_is_that_of_the_lemma():
    assert private_prob(0.8, math.log(3)) == pytest.approx(0.5 * 0.8 + 0.25)


@pytest.mark.parametrize("algorithm", [mixture_mle, naive_likelihood])
def test_the_expected_left_side_equals_its_simulation(algorithm):
    world = cells(10**6)
    assumed = algorithm(world).assumed
    h, interior = worst_step(world, assumed)
    found = on_the_hypercube(world, algorithm, np.random.default_rng(0), 20_000).mean()
    assert interior == (algorithm is mixture_mle)
    assert found == pytest.approx(world.expected(assumed, np.array([h]))[0], rel=0.05)


def test_at_one_half_a_naive_likelihood_is_not_caught_and_off_it_it_is():
    rng = np.random.default_rng(1)
    for base, caught in ((0.5, False), (0.8, True)):
        left = [
            on_a_grid(cells(n, base=base), naive_likelihood, rng, 200).mean()
            for n in (10**6, 10**8)
        ]
        assert (left[1] / left[0] > 50) == caught


def test_the_grid_choice_maximises_the_likelihood_over_the_whole_grid():
    world = cells(500, num_features=1)
    found = on_a_grid(world, mixture_mle, np.random.default_rng(4), 20)
    wins, pairs = world.draw(np.array([0.8]), np.random.default_rng(4), 20)
    grid = np.linspace(0, 1, 100_001)
    best = grid[np.argmax(log_likelihood(wins, pairs, grid, 1.0), axis=1)]
    assert np.sqrt(found / 500) == pytest.approx(np.abs(best - 0.8), abs=2e-5)


@pytest.mark.parametrize("design", ["iid", "adaptive"])
def test_the_log_inequality_holds_and_wrong_likelihoods_break_it(design):
    world = LogSequences(
        epsilon=1.0, horizon=1500, class_size=16, members="random", design=design,
        failure_prob=0.05,
    )  # fmt: skip
    sequence = seen(world, np.random.default_rng(3), 60)
    assert violated(world, mixture_mle, sequence, 60).mean() < 0.05
    assert violated(world, naive_likelihood, sequence, 60).mean() > 0.9
    assert violated(world, without_privacy_cost, sequence, 60).mean() > 0.9
