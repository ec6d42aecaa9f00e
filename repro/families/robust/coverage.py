"""Uniform coverage of one-hot features, literally and on the identified subspace."""

from __future__ import annotations

import itertools

import torch

from repro.families.robust.worlds_pairs import complement_basis


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
