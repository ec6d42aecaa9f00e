"""P3's lemmas on norms (A.3, B.3, C.3) and on the noisy covariance (A.8, A.9), as numbers."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_curator import covariance_noise, symmetric_part
from repro.families.central.algorithms_losses import PairLoss
from repro.families.central.bounds_rankings import automatic_derivatives

FAR = 40.0
"""θ·x at which a sigmoid is saturated to machine precision."""


def pair_norms(
    rng: np.random.Generator, replicates: int, d: int, longest: float
) -> tuple[Tensor, Tensor]:
    """(R,) largest ‖∇ℓ‖ and ‖∇²ℓ‖ over ‖x‖ ≤ longest, approached at one cell.

    The gradient where the label contradicts a large reward difference, the Hessian at θ = 0.
    """
    x = torch.from_numpy(rng.standard_normal((1, d)))
    x = longest * x / x.norm()
    one = torch.ones(1, 1, dtype=torch.float64)
    loss = PairLoss(x, one, 0 * one)
    reach = torch.from_numpy(rng.uniform(-1, 1, replicates))
    reach[0], reach[-1] = 1.0, 0.0
    theta = FAR / longest**2 * reach[:, None] * x
    gradient, hessian = loss.derivatives(theta)
    return gradient.norm(dim=-1), torch.linalg.matrix_norm(hessian, ord=2)


def ranking_norms(
    rng: np.random.Generator, replicates: int, num_ranked: int, feature_norm: float
) -> tuple[Tensor, Tensor]:
    """(R,) ‖∇ℓ‖ and ‖∇²ℓ‖ of one ranking, approached at features ±L.

    The gradient where the only response of large reward is ranked last, the Hessian at θ = 0 with
    responses of both signs left at every choice.
    """
    axis = torch.zeros(replicates, num_ranked, 2, dtype=torch.float64)
    axis[:, :, 0] = -feature_norm
    axis[:, -1, 0] = feature_norm
    reach = torch.from_numpy(rng.uniform(0, 1, replicates))
    reach[0] = 1.0
    theta = torch.zeros(replicates, 2, dtype=torch.float64)
    theta[:, 0] = FAR / feature_norm * reach
    gradient, _ = automatic_derivatives(theta, axis)
    axis[:, ::2, 0] = feature_norm
    axis[:, 1::2, 0] = -feature_norm
    _, hessian = automatic_derivatives(0 * theta, axis)
    return gradient.norm(dim=-1), torch.linalg.matrix_norm(hessian, ord=2)


def least_eigenvalue(rng: np.random.Generator, replicates: int, d: int) -> Tensor:
    """(R,) of (G + Gᵀ)/2 with standard entries; A.9 holds where it is ≥ −λ/(2σ), whatever Σ."""
    return torch.linalg.eigvalsh(symmetric_part(covariance_noise(rng, replicates, d)))[:, 0]


def operator_norms(rng: np.random.Generator, replicates: int, d: int) -> tuple[Tensor, Tensor]:
    """(R,) operator norm of G with standard entries, and of its symmetric part."""
    noise = covariance_noise(rng, replicates, d)
    both = (noise, symmetric_part(noise))
    return tuple(torch.linalg.matrix_norm(matrix, ord=2) for matrix in both)  # type: ignore
