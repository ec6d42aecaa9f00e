"""The closed form of the regret rate: parts by hand, and against simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from repro.families.online_kl.algorithms_pokl import Game
from repro.families.online_kl.run_setting import RunSetting, make_batch
from repro.families.online_kl.simulation import simulate
from repro.instances.linear import LinearWorld, random_linear_world
from repro.pokl.linear import LinearClass
from repro.pokl.rate import (
    akaike_weight,
    least_squares_covariance,
    minimax_gap,
    regret_rate,
)
from repro.study.parallel import single_thread

single_thread()


def coin_world(theta: float) -> LinearWorld:
    options: Any = {"dtype": torch.float64}
    return LinearWorld(
        features=torch.tensor([[[1.0], [0.0]]], **options),
        state_prob=torch.ones(1, **options),
        reference=torch.full((1, 2), 0.5, **options),
        theta=torch.tensor([theta], **options),
        radius=1.0,
        reward_bound=2.0,
        kl_weight=0.5,
    )


def test_one_feature_by_hand():
    """θ = 0: pairs are informative half of the time, slope s/2, noise 1, so V_LS = 8/s²."""
    world, signal = coin_world(0.0), math.tanh(0.5)
    covariance = least_squares_covariance(world, world.reference, 1.0)
    assert float(covariance) == 8 / signal**2 or abs(float(covariance) - 8 / signal**2) < 1e-9
    rate = regret_rate(world, 1.0, 0.5, 3.0)
    np.testing.assert_allclose(rate.estimation, 8 / signal**2 * 0.25 / (2 * 0.5))
    assert abs(rate.exploration) < 1e-12


def test_least_squares_covariance_is_above_the_information_bound():
    world = coin_world(0.8)
    found = float(least_squares_covariance(world, world.reference, math.inf))
    p = 1 / (1 + math.exp(-0.8))
    np.testing.assert_allclose(found, 1 / (0.5 * p * (1 - p)), rtol=1e-9)


def test_simulated_rate_meets_the_closed_form_with_and_without_bonus():
    world = random_linear_world(3, 4, 3, 0.5, 1.0, 0.6, seed=4)
    for weight in (0.0, 8.0):
        batch = make_batch([RunSetting(2.0, 0.5, weight)], 400)
        game = Game(world, LinearClass(world), batch)
        curve = simulate(game, 10**9, 2.0, np.random.default_rng(0))
        ratio = curve.rate()[0] / regret_rate(world, 2.0, 0.5, weight).total
        assert abs(ratio.mean() - 1) < 0.02 + 3 * ratio.std() / 20


def test_akaike_weight_tells_logarithms_from_roots():
    times = np.unique(np.geomspace(1, 10**6, 60).astype(int)).astype(float)
    noise = np.random.default_rng(0).standard_normal((len(times), 30)).cumsum(axis=0) * 0.05
    assert akaike_weight(times, 5 * np.log(times)[:, None] + noise) > 0.999
    assert akaike_weight(times, 0.1 * np.sqrt(times)[:, None] + noise) < 0.001


def test_minimax_gap_is_the_best_any_policy_can_do():
    corruption, gap, weight = 0.05, 0.5, 0.5
    mean = (1 - corruption) * math.tanh(gap / 2) - corruption
    targets = [1 / (1 + math.exp(-x / weight)) for x in (gap, 2 * math.atanh(mean))]

    def worst(p):
        return max(
            weight * (p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))) for q in targets
        )

    brute = min(worst(p) for p in np.linspace(0.3, 0.9, 20_001))
    assert minimax_gap(corruption, gap, weight) == pytest.approx(brute, rel=1e-3)


def test_minimax_gap_grows_like_the_square_and_vanishes_without_corruption():
    assert minimax_gap(0.0, 0.5, 0.5) == 0.0
    assert minimax_gap(0.01, 0.5, 0.5) / minimax_gap(0.001, 0.5, 0.5) == pytest.approx(
        100, rel=0.05
    )
