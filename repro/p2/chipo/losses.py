"""The losses of Algorithms 1 and 3 of P2, of datasets that are counts and wins by cell of pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Loss = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]
"""(counts, wins, (3,) means of a policy, c) → loss, over the last axis; counts may be expected."""


def square_loss(counts: np.ndarray, wins: np.ndarray, means: np.ndarray, cost: float) -> np.ndarray:
    """Σ [2P − 1 − c·z]², up to what no policy changes (P2, Algorithm 3, line 3)."""
    return (counts * means**2 - 2 * cost * means * (2 * wins - counts)).sum(-1)


def log_loss(counts: np.ndarray, wins: np.ndarray, means: np.ndarray, cost: float) -> np.ndarray:
    """−Σ log of the private probability (P2, Algorithm 1, line 3)."""
    of_win, of_loss = np.log1p(means / cost), np.log1p(-means / cost)
    return -(wins * of_win + (counts - wins) * of_loss).sum(-1)
