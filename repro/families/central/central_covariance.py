"""Algorithm 2 of P3: the covariance of feature differences with Gaussian noise."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def covariance_noise(rng: np.random.Generator, replicates: int, num_features: int) -> Tensor:
    """(R, d, d) independent standard normals, not symmetric, as Algorithm 2 prints G up to σ."""
    return torch.from_numpy(rng.standard_normal((replicates, num_features, num_features)))


def symmetric_part(matrix: Tensor) -> Tensor:
    """(..., d, d) (G + Gᵀ)/2, which has the same quadratic form and is post-processing."""
    return (matrix + matrix.mT) / 2


def private_covariance(covariance: Tensor, noise: Tensor, std: float) -> Tensor:
    """(R, d, d) symmetric part of Algorithm 2's release Σ_D + G.

    Args:
        covariance: (d, d) or (R, d, d) Σ_D.
        noise: (R, d, d) of ``covariance_noise``.
        std: ``CentralBudget.covariance_std``.
    """
    return covariance + std * symmetric_part(noise)


def norm_in(matrix: Tensor, ridge: float, vector: Tensor) -> Tensor:
    """(R,) ‖z‖ in matrix + ridge·I; NaN where the quadratic form is negative (no norm there)."""
    form = torch.einsum("ri,rij,rj->r", vector, matrix.expand(len(vector), -1, -1), vector)
    return (form + ridge * vector.square().sum(-1)).sqrt()
