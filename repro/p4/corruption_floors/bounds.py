"""Bounds on the floor that corruption puts under estimation, with coverage and without.

ζ is what one flip is worth: 1 under CTL, c(ε) under LTC.  See docs/explanations/sharper_floor.md.
"""

from __future__ import annotations

import itertools
import math

import torch

from repro.p4.label_cells.pairs import complement_basis


def curvature(reward_bound: float) -> float:
    """γ = 1/(2 + e^B′ + e^−B′) = σ′(B′), least slope of σ on [−B′, B′] (P4, Theorem 5.4).

    >>> curvature(0.0)
    0.25
    """
    return 1 / (2 + math.exp(reward_bound) + math.exp(-reward_bound))


def printed_floor(flip_worth: float, corruption: float, reward_bound: float) -> float:
    """ζ√α/γ, the corruption term of P4's Theorem 5.4 with its constant C at 1."""
    return flip_worth * math.sqrt(corruption) / curvature(reward_bound)


def sharper_floor(flip_worth: float, corruption: float, reward_bound: float) -> float:
    """√(2B′ζα/γ): what Algorithm 1's floor never exceeds (our Theorem 1).

    Below ``printed_floor`` for every α, B′ and ζ ≥ 1, because 2B′γ < 1.
    """
    return math.sqrt(2 * reward_bound * flip_worth * corruption / curvature(reward_bound))


def one_hot_covariance(arms: int) -> torch.Tensor:
    """(d, d) E[xxᵀ] for x = (e_a − e_b)/√2 over all unordered pairs, ‖x‖ = 1."""
    eye = torch.eye(arms, dtype=torch.float64)
    x = torch.stack([eye[a] - eye[b] for a, b in itertools.combinations(range(arms), 2)])
    return x.T @ x / (2 * len(x))


def one_hot_coverage_ratio(arms: int, on_complement: bool) -> float:
    """(1/(d−1)) / λ_min: 1 on the complement of 1, unbounded on all of R^d (P4, Assumption 5.6).

    Args:
        arms: d ≥ 2.
        on_complement: read λ_min over {θ : ⟨1, θ⟩ = 0} instead of over all directions.

    >>> round(one_hot_coverage_ratio(4, True), 12)
    1.0
    """
    covariance = one_hot_covariance(arms)
    if on_complement:
        basis = complement_basis(arms)
        covariance = basis.T @ covariance @ basis
    least = float(torch.linalg.eigvalsh(covariance)[0])
    return 1 / (arms - 1) / max(least, 1e-12)
