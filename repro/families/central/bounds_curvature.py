"""P3's eqs. (19) and (21): does the curvature of a ranking's or trajectory's loss dominate γ·Σ?"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.families.central.bounds_rankings import automatic_derivatives
from repro.families.central.worlds_rankings import covariance_of_ranking


def curvature_ratio(
    rng: np.random.Generator,
    replicates: int,
    horizon: int,
    feature_norm: float,
    radius: float,
    step_by_step: bool,
) -> Tensor:
    """(R,) γ·vᵀΣv over vᵀ∇²ℓ(θ)v for one pair of trajectories and θ in the ball.

    The feature differences of the steps nearly cancel in the first row, are random in the rest.

    Args:
        rng: the block's stream.
        replicates: R.
        horizon: H ≥ 2.
        feature_norm: L.
        radius: B.
        step_by_step: Σ as the main text prints it, the sum over steps of y_h·y_hᵀ; otherwise
            x·xᵀ with x = Σ_h y_h, as in the appendix's proofs.
    """
    steps = torch.from_numpy(rng.uniform(-1, 1, (replicates, horizon, 3)))
    steps = 2 * feature_norm * steps / 3**0.5
    steps[0, 1] = -0.9 * steps[0, 0]
    steps[0, 2:] = 0
    theta = torch.from_numpy(rng.standard_normal((replicates, 3)))
    theta = radius * theta / theta.norm(dim=-1, keepdim=True)
    x = steps.sum(1)
    v = x
    win = torch.sigmoid((theta * x).sum(-1))
    curved = win * (1 - win) * (x * v).sum(-1) ** 2
    bound = 2 * horizon * feature_norm * radius
    gamma = 1 / (2 + np.exp(bound) + np.exp(-bound))
    along = (steps * v[:, None]).sum(-1) if step_by_step else (x * v).sum(-1)[:, None]
    return gamma * along.square().sum(-1) / curved


def ranking_curvature_ratio(
    rng: np.random.Generator,
    replicates: int,
    num_ranked: int,
    feature_norm: float,
    radius: float,
    gamma: float,
) -> Tensor:
    """(R,) γ·vᵀΣ_K v over vᵀ∇²ℓ(θ)v for one ranking, random θ in the ball and random v.

    In the first row all responses but the preferred one share their features, so that only the
    first choice tells anything, and v lies along the difference.

    Args:
        rng: the block's stream.
        replicates: R.
        num_ranked: K ≥ 2.
        feature_norm: L.
        radius: B.
        gamma: γ_K.
    """
    features = torch.from_numpy(rng.standard_normal((replicates, num_ranked, 2)))
    features = feature_norm * features / features.norm(dim=-1, keepdim=True)
    features[0] = -feature_norm * torch.eye(2, dtype=torch.float64)[0]
    features[0, 0] *= -1
    v, theta = torch.from_numpy(rng.standard_normal((2, replicates, 2)))
    v[0] = torch.eye(2, dtype=torch.float64)[0]
    theta = radius * theta / theta.norm(dim=-1, keepdim=True)
    _, hessian = automatic_derivatives(theta, features)
    curved, spread = (
        torch.einsum("ri,rij,rj->r", v, matrix, v)
        for matrix in (hessian, covariance_of_ranking(features))
    )
    return gamma * spread / curved
