"""The weight Γ_T of the exploration bonus of Algorithm 2 (P1, Section 5)."""

from __future__ import annotations

import math

from repro.base.notation import privacy_cost
from repro.labels.preferences.label_information import inverse_information


def confidence_weight(
    reward_bound: float,
    epsilon: float,
    log_class_size: float,
    horizon: int,
    failure_prob: float,
    scale: float,
) -> float:
    """Γ_T = c·e^B·√(log(T·N/δ))/(2α−1) (P1, before eq. 13).

    Args:
        reward_bound: B.
        epsilon: privacy budget in (0, inf].
        log_class_size: log N of the class or of its net.
        horizon: T.
        failure_prob: δ in (0, 1).
        scale: the constant c.
    """
    logs = math.log(horizon) + log_class_size - math.log(failure_prob)
    return scale * math.exp(reward_bound) * privacy_cost(epsilon) * math.sqrt(logs)


def proven_weight(
    reward_bound: float, epsilon: float, log_class_size: float, horizon: int, failure_prob: float
) -> float:
    """Γ_T with the constant that the proof of Lemma C.3 uses: Γ_T²/2 is its right-hand side.

    Γ_T = 4·(e^B + 2 + e^−B)·√(log(T·N/δ))/(2α−1).
    """
    constant = 4 * (math.exp(reward_bound) + 2 + math.exp(-reward_bound))
    plain = confidence_weight(0.0, epsilon, log_class_size, horizon, failure_prob, 1.0)
    return constant * plain


def repaired_weight(
    reward_bound: float, epsilon: float, log_class_size: float, horizon: int, failure_prob: float
) -> float:
    """Γ of the corrected Theorem 5.2, Γ² = 4B² + 8W(B, ε)·log(N/δ), with λ = 4B²; free of T.

    Proof: docs/explanations/corrected_theorem_5_2.md.
    """
    logs = log_class_size - math.log(failure_prob)
    error = 8 * inverse_information(reward_bound, epsilon) * logs
    return math.sqrt(ridge_of(reward_bound) + error)


def repaired_net_weight(
    reward_bound: float, epsilon: float, log_class_size: float, horizon: int, failure_prob: float
) -> float:
    """The same for an infinite class by its net of radius τ ≤ 1/T.

    Γ² = 4B² + (√(8W·(log(N/δ) + 1)) + 2)².
    """
    logs = log_class_size - math.log(failure_prob) + 1
    error = math.sqrt(8 * inverse_information(reward_bound, epsilon) * logs) + 2
    return math.hypot(math.sqrt(ridge_of(reward_bound)), error)


def ridge_of(reward_bound: float) -> float:
    """λ = 4B²: U is at most 1 from the first round on, and a bonus cut at 2B loses nothing."""
    return 4 * reward_bound**2
