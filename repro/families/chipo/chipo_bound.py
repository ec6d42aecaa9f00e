"""The right-hand side of P2's Theorem C.1 and its statistical error, state by state."""

from __future__ import annotations

import numpy as np


def statistical_error(pair_prob: float, estimate: np.ndarray, true: np.ndarray) -> np.ndarray:
    """err² = E_{π_ref, π_ref}(Δ̂ − Δ)² [reward²] (P2, Theorem C.1); equal responses count 0.

    Args:
        pair_prob: probability that two draws from π_ref differ.
        estimate: (R, S) clipped estimated reward differences.
        true: true differences, broadcast.

    Returns:
        (R,).
    """
    return pair_prob * ((estimate - true) ** 2).mean(axis=-1)


def meta_bound(
    squared_error: np.ndarray, coverage: float, kl_weight: float, value_ratio: float
) -> np.ndarray:
    """2ρ·√(C·err²) + β·C + 2ρ²·err²/β with ρ = V_max/R_max (P2, Theorem C.1)."""
    first = 2 * value_ratio * np.sqrt(coverage * squared_error)
    return first + kl_weight * coverage + 2 * value_ratio**2 * squared_error / kl_weight
