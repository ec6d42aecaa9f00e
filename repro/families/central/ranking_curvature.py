"""P3's eq. (19): does the curvature of a ranking's loss dominate γ_K·Σ_K?"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.families.central.bounds_rankings import automatic_derivatives
from repro.families.central.worlds_rankings import covariance_of_ranking


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
