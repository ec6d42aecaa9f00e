"""P3's lemmas on the noisy covariance (A.8, A.9), as numbers."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_curator import covariance_noise, symmetric_part


def least_eigenvalue(rng: np.random.Generator, replicates: int, d: int) -> Tensor:
    """(R,) of (G + Gᵀ)/2 with standard entries; A.9 holds where it is ≥ −λ/(2σ), whatever Σ."""
    return torch.linalg.eigvalsh(symmetric_part(covariance_noise(rng, replicates, d)))[:, 0]


def operator_norms(rng: np.random.Generator, replicates: int, d: int) -> tuple[Tensor, Tensor]:
    """(R,) operator norm of G with standard entries, and of its symmetric part."""
    noise = covariance_noise(rng, replicates, d)
    both = (noise, symmetric_part(noise))
    return tuple(torch.linalg.matrix_norm(matrix, ord=2) for matrix in both)  # type: ignore
