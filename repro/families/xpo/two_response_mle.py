"""Error of the private likelihood's maximiser over a grid of policies of two responses."""

from __future__ import annotations

import numpy as np

from repro.base.notation import flip_prob, label_signal

TRUTH, LARGEST, STEPS = 1.0, 3.0, 24001


def squared_error_of_maximiser(
    rng: np.random.Generator, rounds: int, epsilon: float, flipped: bool, replicates: int
) -> np.ndarray:
    """(R,) E_μ(f_π̂ − f*)² after t − 1 rounds of pairs from π_ref ⊗ π_ref, π_ref uniform.

    f_π, the implicit reward difference of the two responses, is on a grid of [−3, 3] that holds
    f* = 1; half of the pairs hold two different responses.  flipped: a learner who reads labels
    the wrong way round.
    """
    grid = np.linspace(-LARGEST, LARGEST, STEPS)
    prob = flip_prob(epsilon) + label_signal(epsilon) / (1 + np.exp(-grid))
    true = flip_prob(epsilon) + label_signal(epsilon) / (1 + np.exp(-TRUTH))
    pairs = np.maximum(rng.binomial(rounds, 0.5, replicates), 1)
    wins = rng.binomial(pairs, true)
    share = (pairs - wins if flipped else wins) / pairs
    return 0.5 * (grid[_nearest(prob, share)] - TRUTH) ** 2


def _nearest(increasing: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of some increasing values."""
    right = np.clip(np.searchsorted(increasing, wanted), 1, len(increasing) - 1)
    below = wanted - increasing[right - 1] < increasing[right] - wanted
    return np.where(below, right - 1, right)
