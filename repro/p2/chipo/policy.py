"""The policy of mixed χ²- and KL-regularisation (P2, Assumption 4.1 and Algorithm 1).

π(τ) = π_ref(τ)·φ⁻¹((r(τ) − λ)/β) with φ(u) = u + log u; β is ``kl_weight``, φ⁻¹ the Wright omega
function.  The χ²-divergence is ½·E_ref(π/π_ref − 1)², without which φ would be 2u + log u.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, wrightomega

MAX_STEPS, LAST_STEP = 200, 1e-8
"""Newton's error after a step is at most half its square: second derivatives here are no more than
the first."""


def link(ratio: np.ndarray) -> np.ndarray:
    """φ(u) = u + log u for u > 0 (P2, Algorithm 1, line 2)."""
    return ratio + np.log(ratio)


def inverse_link(value: np.ndarray) -> np.ndarray:
    """φ⁻¹, the Wright omega function.

    >>> round(float(inverse_link(link(np.array(0.25)))), 12)
    0.25
    """
    return wrightomega(value)


def chipo_policy(reference: np.ndarray, reward: np.ndarray, kl_weight: np.ndarray) -> np.ndarray:
    """The exact maximiser of E[r] − kl_weight·(χ² + KL), one scalar root per state.

    The normaliser's equation is convex and increasing, so Newton from above is monotone.

    Args:
        reference: (..., A) π_ref, positive, rows summing to 1.
        reward: (..., A), in units of reward.
        kl_weight: > 0, broadcast against the leading axes.

    Returns:
        (..., A) policies.
    """
    scaled = reward / np.expand_dims(kl_weight, -1)
    shift = 1.0 - scaled.min(axis=-1, keepdims=True)
    for _ in range(MAX_STEPS):
        ratio = inverse_link(scaled + shift)
        excess = (reference * ratio).sum(-1, keepdims=True) - 1.0
        step = excess / (reference * ratio / (1.0 + ratio)).sum(-1, keepdims=True)
        shift = shift - step
        if np.all(np.abs(step) <= LAST_STEP + 1e-13 * np.abs(shift)):
            break
    policy = reference * inverse_link(scaled + shift)
    return policy / policy.sum(-1, keepdims=True)


def two_arm_wrong_prob(good_reference: np.ndarray, scaled_difference: np.ndarray) -> np.ndarray:
    """Probability of the second of two responses, without a special function.

    In ℓ = logit π(first) the condition is K·σ(ℓ) + ℓ = T with K = 1/w + 1/(1−w) and
    T = Δ/β + logit w + 1/(1−w).  Where the root would be positive it is negated, T → K − T; below 0
    the left side is convex and increasing, so Newton from above is monotone.

    Args:
        good_reference: w, π_ref of the first response, in (0, 1).
        scaled_difference: Δ/β, reward of the first minus the second over kl_weight.

    Returns:
        π(second), same shape, accurate relative to its own size.
    """
    w = np.asarray(good_reference, dtype=float)
    shifted = scaled_difference + np.log(w) - np.log1p(-w)
    above, below = shifted + 1.0 / (1.0 - w), 1.0 / w - shifted
    negated, target, slope = above > below, np.minimum(above, below), 1.0 / w + 1.0 / (1.0 - w)
    largest = np.maximum(target + np.log(slope) + 1.0, 1.0)
    at = np.minimum(0.0, np.log(2.0 * largest / slope))
    for _ in range(MAX_STEPS):
        first = expit(at)
        step = (slope * first + at - target) / (1.0 + slope * first * (1.0 - first))
        at = at - step
        if np.all(step <= LAST_STEP - 1e-15 * at):
            break
    return expit(np.where(negated, at, -at))
