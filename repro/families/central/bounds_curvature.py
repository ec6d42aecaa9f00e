"""P3's eq. (21): does the curvature of the trajectory loss dominate γ·Σ, for either printed Σ?"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


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
