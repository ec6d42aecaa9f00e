"""Random linear worlds: shapes, probabilities, nesting, and covariances by brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from repro.worlds.instances.linear import (
    LinearWorld,
    centred,
    feature_covariance,
    random_linear_world,
    with_leading_features,
)

SIZES = [(6, 4, 4), (1, 2, 1), (3, 5, 12)]


def world(
    num_states: int = 6, num_actions: int = 4, num_features: int = 4, **change
) -> LinearWorld:
    settings = {"kl_weight": 0.5, "radius": 1.5, "theta_share": 0.6, "seed": 1} | change
    return random_linear_world(num_states, num_actions, num_features, **settings)


@pytest.fixture(params=SIZES, ids=["middling", "smallest", "as many features as identified"])
def any_world(request) -> LinearWorld:
    return world(*request.param)


def test_shapes(any_world):
    states, actions, features = any_world.features.shape
    cells = states * math.comb(actions, 2)
    assert any_world.state_prob.shape == (states,)
    assert any_world.reference.shape == any_world.reward.shape == (states, actions)
    assert any_world.optimal_policy.shape == (states, actions)
    assert any_world.feature_diff.shape == (cells, features)
    assert any_world.cell_prob.shape == any_world.reward_diff.shape == (cells,)
    assert any_world.features.dtype == any_world.theta.dtype == torch.float64


def test_probabilities(any_world):
    ones = torch.ones(len(any_world.state_prob), dtype=torch.float64)
    assert float(any_world.state_prob.sum()) == pytest.approx(1)
    for policy in (any_world.reference, any_world.optimal_policy):
        torch.testing.assert_close(policy.sum(-1), ones)
        assert bool((policy > 0).all())
    same_twice = float(any_world.state_prob @ any_world.reference.square().sum(-1))
    assert float(any_world.cell_prob.sum()) == pytest.approx(1 - same_twice)


def test_cells_by_brute_force(any_world):
    """Cells are the unordered pairs of a state, in the order of states and of pairs."""
    states, actions, _ = any_world.features.shape
    cells = [(s, *p) for s in range(states) for p in itertools.combinations(range(actions), 2)]
    for c, (s, i, j) in enumerate(cells):
        ref, phi = any_world.reference[s], any_world.features[s]
        prob = any_world.state_prob[s] * (ref[i] * ref[j] + ref[j] * ref[i])
        assert float(any_world.cell_prob[c]) == pytest.approx(float(prob), rel=1e-12)
        torch.testing.assert_close(any_world.feature_diff[c], phi[i] - phi[j])
        difference = any_world.reward[s, i] - any_world.reward[s, j]
        assert float(any_world.reward_diff[c]) == pytest.approx(float(difference), abs=1e-14)


def test_rewards_stay_inside_the_bound(any_world):
    """Norms ≤ 1 and ‖θ‖ ≤ radius keep every difference of the class within 2·radius."""
    assert float(any_world.features.norm(dim=-1).max()) == pytest.approx(1)
    assert float(any_world.theta.norm()) == pytest.approx(0.6 * 1.5)
    assert any_world.reward_bound == 3.0
    widest = float(any_world.feature_diff.norm(dim=-1).max()) * any_world.radius
    assert float(any_world.reward_diff.abs().max()) < widest <= any_world.reward_bound


def test_optimal_policy_is_eq_5(any_world):
    printed = any_world.reference * torch.exp(any_world.reward / 0.5)
    expected = printed / printed.sum(-1, keepdim=True)
    torch.testing.assert_close(any_world.optimal_policy, expected)


def test_features_of_growing_dimension_are_nested():
    """The first columns agree up to the one scale that makes the largest norm 1."""
    small, large = world(num_features=3, theta_features=2), world(num_features=7, theta_features=2)
    scale = large.features[0, 0, 0] / small.features[0, 0, 0]
    torch.testing.assert_close(large.features[..., :3], scale * small.features)
    assert torch.equal(small.reference, large.reference)
    assert torch.equal(small.theta[:2], large.theta[:2])
    assert not bool(large.theta[2:].any())


def test_seed_is_the_instance():
    assert torch.equal(world(seed=4).features, world(seed=4).features)
    assert torch.equal(world(seed=4).theta, world(seed=4).theta)
    assert not torch.equal(world(seed=4).features, world(seed=5).features)


def test_centred_features_have_mean_zero(any_world):
    for policy in (any_world.reference, any_world.optimal_policy):
        mean = torch.einsum("sa,sad->sd", policy, centred(any_world, policy))
        torch.testing.assert_close(mean, torch.zeros_like(mean), atol=1e-15, rtol=0)


def test_covariance_by_numpy(any_world):
    policy = any_world.optimal_policy
    expected = sum(
        float(weight) * np.cov(phi.numpy().T, aweights=row.numpy(), ddof=0)
        for weight, phi, row in zip(any_world.state_prob, any_world.features, policy, strict=True)
    )
    covariance = feature_covariance(any_world, policy).numpy()
    np.testing.assert_allclose(covariance, np.atleast_2d(expected), rtol=1e-10, atol=1e-15)


def test_pairs_from_the_reference_see_twice_its_covariance(any_world):
    """E (φ¹−φ²)(φ¹−φ²)ᵀ = 2·Cov for independent responses."""
    x = any_world.feature_diff
    second_moment = torch.einsum("c,ci,cj->ij", any_world.cell_prob, x, x)
    torch.testing.assert_close(
        second_moment, 2 * feature_covariance(any_world, any_world.reference)
    )


def test_as_many_features_as_identified_have_full_rank():
    covariance = feature_covariance(full := world(3, 5, 12), full.reference)
    assert float(torch.linalg.eigvalsh(covariance)[0]) > 1e-6


def test_a_class_of_the_leading_features_sees_the_same_truth_without_the_others():
    world = random_linear_world(4, 3, 3, 0.5, 1.0, 0.6, seed=1)
    some = with_leading_features(world, 2)
    assert torch.equal(some.features[..., :2], world.features[..., :2])
    assert not some.features[..., 2:].any()
    assert world.features[..., 2:].any()
    assert torch.equal(some.theta, world.theta)
