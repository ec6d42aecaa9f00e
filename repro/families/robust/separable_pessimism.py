"""Algorithm 2 of P4 where states do not share features: two responses a state, closed form."""

from __future__ import annotations

import numpy as np

STEPS = 80


def separable_pessimism(
    margin: np.ndarray, state_prob: np.ndarray, mass: np.ndarray, width: float
) -> np.ndarray:
    """argmax over q ∈ [0, 1]^S of Σ ρ_s q_s θ̂_s − Γ·√(Σ (ρ_s q_s)²/m_s): P4, Algorithm 2, η = 1.

    π_ref always takes the second response and q_s is the probability of the first, so the worst
    case over the ellipsoid (the ball not binding) is a norm.  At the maximum
    q_s = clip(θ̂_s·m_s·N/(ρ_s·Γ)) with N the norm itself: one unknown, by bisection.

    Args:
        margin: (R, S) estimated reward of the first response minus the second.
        state_prob: (S,) ρ.
        mass: (S,) entries of Σ̂ + λI.
        width: Γ ≥ 0; 0 is greedy.

    Returns:
        (R, S) q.
    """
    gain = np.clip(margin, 0, None) * mass / state_prob
    if width == 0:
        return (margin > 0).astype(float)
    cost = state_prob**2 / mass
    low = np.zeros((len(margin), 1))
    high = np.full((len(margin), 1), np.sqrt(cost.sum()) * (1 + 1e-12))
    for _ in range(STEPS):
        middle = (low + high) / 2
        q = np.clip(gain * middle / width, 0, 1)
        reached = np.sqrt((cost * q**2).sum(axis=1, keepdims=True)) >= middle
        low, high = np.where(reached, middle, low), np.where(reached, high, middle)
    return np.clip(gain * low / width, 0, 1) * (low > 1e-9 * np.sqrt(cost.sum()))
