"""The closed form of the regret rate: parts by hand, and against simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from repro.p1.pokl.curves import simulate, total_limit
from repro.p1.pokl.rate import least_squares_covariance, regret_rate
from repro.p1.pokl.run import OnlineRun
from repro.study.parallel import single_thread
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.instances.linear import LinearWorld

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
    choice = LinearChoice(
        kind="linear", num_states=3, num_actions=4, num_features=3, radius=1.0, theta_share=0.6,
        kl_weight=0.5, seed=4,
    )  # fmt: skip
    for weight in (0.0, 8.0):
        run = OnlineRun(
            instance=choice, epsilon=2.0, horizon=10**9, gamma=weight, failure_prob=0.05,
            net_radius=1e-6, ridge=1.0, grid_ratio=2.0,
        )  # fmt: skip
        (curve,) = simulate([run], 400, np.random.default_rng(0))
        ratio = curve.rate() / total_limit(run)
        assert abs(ratio.mean() - 1) < 0.02 + 3 * ratio.std() / 20
