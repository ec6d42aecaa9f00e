"""Pair eluder dimension: closed forms by hand, growth, and the bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from repro.complexity.eluder import (
    finite_eluder_dimension,
    linear_eluder_bound,
    linear_eluder_dimension,
)
from repro.instances.linear import LinearWorld, random_linear_world


def one_feature_world() -> LinearWorld:
    options: Any = {"dtype": torch.float64}
    return LinearWorld(
        features=torch.tensor([[[1.0], [-1.0]]], **options),
        state_prob=torch.ones(1, **options),
        reference=torch.full((1, 2), 0.5, **options),
        theta=torch.tensor([0.2], **options),
        radius=1.0,
        reward_bound=2.0,
        kl_weight=1.0,
    )


def test_one_feature_by_hand():
    """φ̃ = ±1, Cov = 1: each pair adds 2 to V, λ/D² = 4/4 = 1, so U_t² = 1/(1 + 2t)."""
    world = one_feature_world()
    found = linear_eluder_dimension(world, world.reference, ridge=4.0, horizon=5)
    np.testing.assert_allclose(found, np.cumsum(1 / (1 + 2 * np.arange(5.0))), rtol=1e-12)


def test_two_rewards_by_hand():
    """Centred gap ±1, a pair adds 1 + 1: U_t² = min(1, 1/(λ + 2t))."""
    rewards = torch.tensor([[[1.0, -1.0]], [[0.0, 0.0]]], dtype=torch.float64)
    policy = torch.full((1, 2), 0.5, dtype=torch.float64)
    found = finite_eluder_dimension(rewards, policy, ridge=0.5, horizon=4)
    np.testing.assert_allclose(found, np.cumsum([1.0, 1 / 2.5, 1 / 4.5, 1 / 6.5]), rtol=1e-12)


def test_a_linear_class_grows_by_the_same_amount_each_decade_and_stays_below_its_bound():
    world = random_linear_world(3, 4, 3, 0.5, 1.0, 0.6)
    sums = linear_eluder_dimension(world, world.reference, 1.0, 3000)
    decades = sums[[29, 299, 2999]]
    assert abs((decades[2] - decades[1]) / (decades[1] - decades[0]) - 1) < 0.15
    assert sums[-1] <= linear_eluder_bound(world, world.reference, 1.0, 3000)


def test_more_features_are_harder():
    worlds = [random_linear_world(6, 4, d, 0.5, 1.0, 0.6) for d in (2, 8)]
    small, large = (linear_eluder_dimension(w, w.reference, 1.0, 500)[-1] for w in worlds)
    assert large > 2 * small


def test_a_class_inside_another_is_no_harder():
    torch.manual_seed(0)
    rewards = torch.rand(12, 2, 3, dtype=torch.float64)
    policy = torch.full((2, 3), 1 / 3, dtype=torch.float64)
    few, many = (finite_eluder_dimension(rewards[:n], policy, 1.0, 50)[0] for n in (4, 12))
    assert few <= many
