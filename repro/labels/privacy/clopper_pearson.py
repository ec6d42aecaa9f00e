"""Exact confidence bounds on a probability from a count (Clopper and Pearson 1934)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv


def lower(hits: ArrayLike, trials: ArrayLike, level: float) -> np.ndarray:
    """Bound that lies below the probability with confidence ``level``; any shape.

    >>> float(lower(0, 10, 0.95))
    0.0
    """
    hits, trials = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    bound = betaincinv(np.maximum(hits, 1), trials - hits + 1, 1 - level)
    return np.where(hits > 0, bound, 0.0)


def upper(hits: ArrayLike, trials: ArrayLike, level: float) -> np.ndarray:
    """Bound that lies above the probability with confidence ``level``; any shape.

    >>> round(float(upper(0, 10, 0.95)), 4)
    0.2589
    """
    hits, trials = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    bound = betaincinv(hits + 1, np.maximum(trials - hits, 1), level)
    return np.where(hits < trials, bound, 1.0)
