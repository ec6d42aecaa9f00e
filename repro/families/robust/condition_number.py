"""The relative condition number of P4 (Definition 4.3) and the covariances in it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def difference_covariance(
    features: np.ndarray, state_prob: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """(k, k) Σ^diff of two policies: E ψψᵀ, ψ = φ(s, a) − φ(s, a′), a ~ first, a′ ~ second (eq. 7).

    Args:
        features: (S, A, k) φ.
        state_prob: (S,) ρ.
        first: (S, A) policy.
        second: (S, A) policy.
    """
    psi = features[:, :, None, :] - features[:, None, :, :]
    weight = state_prob[:, None, None] * first[:, :, None] * second[:, None, :]
    return np.einsum("sab,sabi,sabj->ij", weight, psi, psi)


def relative_condition_number(target: np.ndarray, data: np.ndarray) -> float:
    """κ = sup_w wᵀΣw / wᵀΣ_data·w (eq. 8), infinite where the data miss a direction of Σ.

    Directions that neither covariance sees do not count: 0/0 is read as 0, which a pseudo-inverse
    does and a plain inverse cannot.

    >>> round(relative_condition_number(np.diag([2.0, 0.0]), np.diag([0.5, 0.0])), 9)
    4.0
    """
    values, vectors = np.linalg.eigh(data)
    seen = values > 1e-12 * max(values.max(), 1e-300)
    blind = vectors[:, ~seen]
    if blind.size and np.abs(blind.T @ target @ blind).max() > 1e-12 * np.abs(target).max():
        return float("inf")
    basis = vectors[:, seen]
    return float(eigh(basis.T @ target @ basis, np.diag(values[seen]), eigvals_only=True)[-1])
