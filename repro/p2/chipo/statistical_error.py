"""err² of Theorem C.1 (P2): how far fitted reward differences are from the true ones."""

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


def statistical_error_of(
    reference: np.ndarray, reward: np.ndarray, implicit: np.ndarray, reward_bound: float
) -> np.ndarray:
    """The same for any number of responses, implicit differences clipped at 2·R_max.

    Args:
        reference, reward, implicit: (..., A) π_ref, true and implicit rewards.
        reward_bound: R_max.

    Returns:
        (...,).
    """
    fitted = implicit[..., :, None] - implicit[..., None, :]
    off = np.clip(fitted, -2 * reward_bound, 2 * reward_bound)
    off -= reward[..., :, None] - reward[..., None, :]
    return np.einsum("...a,...b,...ab->...", reference, reference, off**2)
