"""The constants of docs/explanations/price_of_adaptivity.md, whose theorems the functions name."""

from __future__ import annotations

import math

IMITATION, LOG_IMITATION = 0.07, 0.05
"""κ₀ of Theorem 2, square and log loss: the gap is at least min{½, κ₀·(ζα)²/β}."""
PENALTY = 0.52
"""Of β, at least: what the penalty alone costs at C = 2 (Theorem 2)."""
ENOUGH, LOG_ENOUGH = 52.0, 360.0
"""n·(ζα)²/c² from which imitation wins at least half of the time (Theorem 2)."""


def inverse_slope_bound(reward_bound: float) -> float:
    """K_R = max |x − y|/|tanh(x/2) − tanh(y/2)| over |x| ≤ 2R, |y| ≤ R: R·cosh(R)·coth(R/2).

    >>> round(inverse_slope_bound(1e-6), 6), round(inverse_slope_bound(1.0), 3)
    (2.0, 3.339)
    """
    return reward_bound * math.cosh(reward_bound) / math.tanh(reward_bound / 2)
