"""Finite classes of Bernoulli probabilities on finitely many inputs (P2, Lemmas 3.1 and 3.3)."""

from __future__ import annotations

import numpy as np

INPUTS = 8
"""Number of inputs x of the random and the packing class."""


def random_class(size: int, low: float = 0.55, high: float = 0.95, seed: int = 1) -> np.ndarray:
    """(N, X) probabilities P_θ(y = 1 | x) drawn once; row 0 is the truth."""
    return np.random.Generator(np.random.Philox(key=seed)).uniform(low, high, (size, INPUTS))


def packing_class(size: int, centre: float = 0.75, radius: float = 0.1) -> np.ndarray:
    """(N, X) corners centre ± radius of a cube, the first N ≤ 2^X of them; row 0 is the truth.

    >>> packing_class(2)[:, 0].tolist()
    [0.85, 0.65]
    """
    bits = (np.arange(size)[:, None] >> np.arange(INPUTS)) & 1
    return centre + radius * (1 - 2 * bits)


def uniform_design(rng: np.random.Generator, rounds: int, replicates: int) -> np.ndarray:
    """(R, T) inputs drawn uniformly, independent of labels."""
    return rng.integers(0, INPUTS, size=(replicates, rounds))
