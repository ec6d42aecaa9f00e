"""Both sides of P3's claims on random rankings: B.1, B.2, eq. (19), and the terms of Σ_K."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.central.bounds_curvature import ranking_curvature_ratio
from repro.families.central.bounds_rankings import automatic_derivatives
from repro.families.central.worlds_rankings import covariance_of_ranking
from repro.study.case import Case
from repro.study.row import Evidence, Measure, Method, Values, method, per_method

AGREEMENT = 1e-10
"""Largest difference from autograd that rounding can explain."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingCase(Case):
    """Random rankings.

    Attributes:
        num_ranked: K.
        feature_norm: L.
        radius: B of the rows on eq. (19).
    """

    num_ranked: int
    feature_norm: float
    radius: float


def off_autograd(derivative: Callable[[Tensor, Tensor], Tensor]) -> Measure:
    """Largest difference of a formula from a derivative by autograd, over ``AGREEMENT``.

    Methods are formulas of θ (R, d) and φ (R, K, d).
    """

    def of(case: RankingCase, rng: np.random.Generator, replicates: int) -> Values:
        features = torch.from_numpy(rng.standard_normal((replicates, case.num_ranked, 3)))
        theta = torch.from_numpy(rng.standard_normal((replicates, 3)))
        exact = derivative(theta, features)
        off = {m.name: (m.run(theta, features) - exact).abs() for m in case.methods}
        return {name: one.flatten(1).amax(1).numpy() / AGREEMENT for name, one in off.items()}

    return Measure("|formula − autograd| / 1e-10", of, Evidence.COMPUTED)


OFF_GRADIENT = off_autograd(lambda theta, features: automatic_derivatives(theta, features)[0])
OFF_HESSIAN = off_autograd(lambda theta, features: automatic_derivatives(theta, features)[1])


def printed_gamma(case: RankingCase) -> float:
    """γ_K = e^(−4LB)/2 of eq. (19)."""
    return 0.5 * math.exp(-4 * case.feature_norm * case.radius)


def corrected_gamma(case: RankingCase) -> float:
    """e^(−4LB)·(K−1)/(2K)."""
    factor = (case.num_ranked - 1) / case.num_ranked
    return 0.5 * math.exp(-4 * case.feature_norm * case.radius) * factor


def _curvature(case: RankingCase, m: Method, rng: np.random.Generator, replicates: int):
    """(R,) both sides of (19) in a small ball, with the method's γ_K."""
    norm, radius = case.feature_norm, case.radius
    gamma = m.run(case)
    return ranking_curvature_ratio(rng, replicates, case.num_ranked, norm, radius, gamma).numpy()


CURVATURE = Measure("γ_K·vᵀΣ_K v / vᵀ∇²ℓ v", per_method(_curvature), Evidence.SEARCHED)


@method
def two_k_over_k_minus_1(case: RankingCase) -> float:
    """2KL²/(K−1)."""
    return 2 * case.num_ranked * case.feature_norm**2 / (case.num_ranked - 1)


@method
def limit_of_many(case: RankingCase) -> float:
    """Wrong: 2L², the limit of the bound for large K."""
    return 2 * case.feature_norm**2


def _terms(case: RankingCase, rng: np.random.Generator, replicates: int) -> Values:
    largest = _largest_term(rng, replicates, case.num_ranked, case.feature_norm)
    return {m.name: (largest / m.run(case)).numpy() for m in case.methods}


TERM = Measure("largest term of n·Σ_K / bound", _terms, Evidence.SEARCHED)


def _largest_term(
    rng: np.random.Generator, replicates: int, num_ranked: int, norm: float
) -> Tensor:
    """(R,) operator norms of one ranking's term; the first row has features ±L in turn."""
    features = torch.from_numpy(rng.standard_normal((replicates, num_ranked, 2)))
    features = norm * features / features.norm(dim=-1, keepdim=True)
    features[0] = 0
    features[0, ::2, 0], features[0, 1::2, 0] = norm, -norm
    return torch.linalg.matrix_norm(covariance_of_ranking(features), ord=2)
