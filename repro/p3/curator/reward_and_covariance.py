"""Algorithms 1 and 2 of P3: a trusted curator's reward and its noisy covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from repro.p3.curator.budget import CentralBudget


class Loss(Protocol):
    """A convex loss of R datasets at once that knows how it is minimised."""

    def minimiser(self, ridge: float, linear: Tensor, radius: float) -> Tensor:
        """(R, d) argmin over ‖θ‖ ≤ radius of ℓ(θ) + ridge·‖θ‖² + ⟨linear, θ⟩."""
        ...


@dataclass(frozen=True)
class Perturbation:
    """The numbers Algorithm 1 works with; wrong implementations change one of them.

    Attributes:
        noise_std: of b.
        ridge: α.
        output_std: ν of w.
        radius: B.
    """

    noise_std: float
    ridge: float
    output_std: float
    radius: float


def printed_perturbation(
    budget: CentralBudget, n_pairs: float, num_features: int, optimizer_tol: float
) -> Perturbation:
    """What Algorithm 1 prints.

    Args:
        budget: ε, δ, η and the bounds L, B, C.
        n_pairs: n.
        num_features: d.
        optimizer_tol: β, with 0 < β < 1/n.
    """
    ridge = budget.ridge(n_pairs, num_features)
    output_std = budget.output_std(optimizer_tol, ridge)
    return Perturbation(budget.noise_std, ridge, output_std, budget.radius)


@dataclass(frozen=True, eq=False)
class StandardNormals:
    """Standard normals behind one release, shared by the methods that are compared.

    Attributes:
        linear: (R, d) behind b.
        output: (R, d) behind w.
    """

    linear: Tensor
    output: Tensor


def draw_noise(rng: np.random.Generator, replicates: int, num_features: int) -> StandardNormals:
    """Draw b and w up to their scales."""
    drawn = torch.from_numpy(rng.standard_normal((2, replicates, num_features)))
    return StandardNormals(drawn[0], drawn[1])


def private_mle(
    loss: Loss, n_pairs: float, numbers: Perturbation, noise: StandardNormals
) -> Tensor:
    """(R, d) θ̃ of Algorithm 1.

    The optimum is found to rounding, a loss of about 1e-32; β enters through ν alone, so it
    should not be taken below that.

    Args:
        loss: ℓ_D of the datasets.
        n_pairs: n.
        numbers: noise levels, ridge and radius.
        noise: standard normals.
    """
    linear = numbers.noise_std * noise.linear / n_pairs
    optimum = loss.minimiser(numbers.ridge, linear, numbers.radius)
    return optimum + numbers.output_std * noise.output


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
