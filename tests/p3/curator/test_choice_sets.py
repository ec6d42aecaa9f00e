"""Alternating responses: covariance against a sum over pairs, sensitivity against its bound."""

import itertools

import numpy as np
import pytest
import torch

from repro.p3.curator.axis_world import multi_scale_world
from repro.p3.curator.choice_sets import ChoiceSetWorld


def over_pairs(features):
    """2/(K(K−1))·Σ_{j<k} (φ_j−φ_k)(φ_j−φ_k)ᵀ."""
    pairs = itertools.combinations(features, 2)
    total = sum(torch.outer(a - b, a - b) for a, b in pairs)
    return 2 * total / (len(features) * (len(features) - 1))


@pytest.mark.parametrize("num_ranked", [2, 3, 4, 7])
def test_covariance_is_the_mean_over_pairs(num_ranked):
    world = ChoiceSetWorld(multi_scale_world(3, 2.0, 0.5), num_ranked)
    share = torch.tensor([[0.5, 0.3, 0.2]]).double()
    expected = sum(weight * over_pairs(world.features[s]) for s, weight in enumerate(share[0]))
    torch.testing.assert_close(world.covariance(share)[0], expected)


def test_states_are_drawn_by_their_share():
    world = ChoiceSetWorld(multi_scale_world(3, 2.0, 0.5), 4)
    drawn = world.draw_states(np.random.default_rng(0), 10**10, 2)
    assert (drawn.sum(1) == 10**10).all()
    np.testing.assert_allclose(drawn / 1e10, np.array([[16, 4, 1]] * 2) / 21, atol=1e-4)
