"""The corrected Theorem 5.2: regret from above and below, and the radius that its event needs.

Proofs: docs/explanations/corrected_theorem_5_2.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri_exp

from repro.labels.preferences.label_information import inverse_information

TAIL = math.e / (math.e - 1)
"""A sum of conditional means in [0, 1] is at most so many times the sum plus log(1/δ)."""

STATES = 3
"""S at which the two rates are compared; both grow like S."""


def eluder_sum(num_states: int, horizon: int) -> float:
    """Σ_t U_t² over T pairs of tables with λ = 4B², at most: S·(1 + log(1 + T/S)).

    >>> eluder_sum(1, 1) >= 1
    True
    """
    return num_states * (1 + math.log1p(horizon / num_states))


def regret_bound(
    bonus_weight: float,
    reward_bound: float,
    kl_weight: float,
    eluder: float,
    failure_prob: float,
) -> float:
    """β·B²/8 + 2β·Γ²·e/(e−1)·(d_T + log(1/δ)) (Theorem 1), at the price of another δ.

    Args:
        bonus_weight: Γ.
        reward_bound: B.
        kl_weight: 1/β.
        eluder: d_T.
        failure_prob: δ.
    """
    first_round = reward_bound**2 / 8
    later = 2 * bonus_weight**2 * TAIL * (eluder - math.log(failure_prob))
    return (first_round + later) / kl_weight


def regret_floor(
    num_states: int, difference: float, kl_weight: float, epsilon: float, horizon: np.ndarray
) -> np.ndarray:
    """Least mean regret after T rounds on tables, for every learner (Theorem 3).

    Differences are ``difference`` ± a with density cos² around it, a = min{1/10, kl_weight/2},
    and π* plays both responses alike at the centre.

    Args:
        num_states: S.
        difference: b, with b + a ≤ B.
        kl_weight: 1/β.
        epsilon: in (0, inf].
        horizon: (K,) T.
    """
    spread = min(0.1, kl_weight / 2)
    lowest = inverse_information(max(0.0, difference - spread), epsilon)
    prior = (math.pi / spread) ** 2
    odds = math.exp(spread / kl_weight)
    curvature = odds / (1 + odds) ** 2
    rounds = horizon / num_states
    gained = num_states * lowest * np.log1p(rounds / (lowest * prior))
    return curvature / (2 * kl_weight) * gained


def estimate_over_floor(reward_bound: float, epsilon: float, kl_weight: float) -> float:
    """The estimate's regret per unit of log T, at most β·S·W(B)/4, over the floor's at B − a.

    Both as T → ∞ on tables where π* plays both responses alike.

    Args:
        reward_bound: B > 1/10.
        epsilon: in (0, inf].
        kl_weight: 1/β.
    """
    difference = reward_bound - min(0.1, kl_weight / 2)
    late = np.array([1e60, 1e61])
    low = regret_floor(STATES, difference, kl_weight, epsilon, late)
    rate = (low[1] - low[0]) / math.log(10)
    return STATES * inverse_information(reward_bound, epsilon) / (4 * kl_weight) / float(rate)


def needed_radius(log_class_size: float, log_inverse_delta: float) -> float:
    """The least q with P(N independent wrong rewards at Σ(Δ−Δ*)² = q·W all lose) ≥ 1−δ.

    For many labels and close rewards each one's log likelihood ratio is normal, and it wins with
    probability Φ(−√q/2).  Logs throughout: log N may be any number, log(1/δ) up to 700.
    """
    log_any = math.log(-math.log1p(-math.exp(-log_inverse_delta)))  # 1 − (1 − p)^N = δ
    log_each = log_any - log_class_size
    return (2 * float(ndtri_exp(log_each))) ** 2
