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


def meta_bound(error: float, coverage: float, kl_weight: float, value_ratio: float) -> float:
    """ρ·√C·err + β·C + ρ²·err²/(2β), ρ = V_max/R_max (Theorem 1; P2's Theorem C.1 has 2, 1, 2)."""
    reached = value_ratio * error
    return reached * math.sqrt(coverage) + kl_weight * coverage + reached**2 / (2 * kl_weight)


def capped_bound(error: float, coverage: float, least_weight: float, value_ratio: float) -> float:
    """(1 + √2)·ρ·√C·err + β₀·C (Theorem 4)."""
    return (1 + math.sqrt(2)) * value_ratio * error * math.sqrt(coverage) + least_weight * coverage


def mean_error_bound(bias: float, noise: float) -> float:
    """4ζα + 8c·√(log(|Π|/δ)/n): of the root mean square error of tanh(Δ̂/2) (Lemma 2)."""
    return 4 * bias + 8 * noise
