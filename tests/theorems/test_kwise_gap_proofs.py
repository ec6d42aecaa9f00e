"""Proofs of (19) and a term of Σ_K: decided, and held against the derivatives themselves."""

import numpy as np
import pytest
import torch
from mpmath import iv

from repro.core.proofs import decided
from theorems import kwise_gap as proof
from theorems.kwise_gap import automatic_derivatives


def world_of(count, radius=0.05, feature_norm=1.0):
    return proof.RandomRankings(ranked_actions=count, feature_norm=feature_norm, radius=radius)


def covariance_of_ranking(features):
    """(R, d, d) what one ranking adds to n·Σ_K; φ (R, K, d)."""
    centred = features - features.mean(1, keepdim=True)
    return 2 / (features.shape[1] - 1) * torch.einsum("rkd,rke->rde", centred, centred)


def value(algorithm, world, *point):
    return float(algorithm(world).ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("count", [3, 4, 10])
def test_the_corrected_forms_are_proved_and_the_others_refuted(count):
    for right in (proof.curvature, proof.two_k_over_k_minus_1):
        assert 0 < decided(right(world_of(count))) <= 1 + 1e-9
    assert decided(proof.curvature_printed(world_of(count, radius=0.01))) > 1
    assert decided(proof.limit_of_many(world_of(count))) > 1


@pytest.mark.parametrize("count", [3, 5, 8])
def test_the_counterexamples_are_those_of_the_losses(count):
    world = world_of(count, radius=1e-9)
    one_differs = torch.tensor([1.0] + [-1.0] * (count - 1), dtype=torch.float64)[None, :, None]
    _, hessian = automatic_derivatives(torch.zeros(1, 1, dtype=torch.float64), one_differs)
    worst = 0.5 * covariance_of_ranking(one_differs) / hessian
    assert value(proof.curvature_printed, world, 0.5) == pytest.approx(float(worst))
    turns = torch.tensor([(-1.0) ** k for k in range(count)], dtype=torch.float64)[None, :, None]
    term = float(torch.linalg.matrix_norm(covariance_of_ranking(turns), ord=2))
    assert value(proof.limit_of_many, world, 0.5) == pytest.approx(term / 2)


def test_two_preferred_responses_bound_the_curvature():
    """p_j·p_k ≥ e^(−4LB)/K² is what the proof needs; the ratio there bounds that of the loss."""
    rng, count, radius = np.random.default_rng(1), 4, 0.7
    features = torch.from_numpy(rng.standard_normal((200, count, 2)))
    features = features / features.norm(dim=-1, keepdim=True)
    theta, v = (torch.from_numpy(rng.standard_normal((200, 2))) for _ in range(2))
    theta = radius * theta / theta.norm(dim=-1, keepdim=True)
    _, hessian = automatic_derivatives(theta, features)
    gamma = 0.5 * np.exp(-4 * radius) * (count - 1) / count
    left, right = (
        torch.einsum("ri,rij,rj->r", v, matrix, v)
        for matrix in (gamma * covariance_of_ranking(features), hessian)
    )
    rewards = torch.einsum("rkd,rd->rk", features, theta)
    mean = (rewards.exp().mean(-1)).log()
    low = rewards.sort(-1).values
    for i, ratio in enumerate((left / right).tolist()):
        at = float(low[i, 0]), float(low[i, 1]), float(mean[i])
        assert ratio <= value(proof.curvature, world_of(count, radius), *at) + 1e-12
