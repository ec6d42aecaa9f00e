"""P4's Algorithm 2 on random instances, over the bounds of Proposition 4.2 and Corollary 4.4."""

from __future__ import annotations

import math

import numpy as np

from repro.linear_rlhf.bandit import Bandit, empirical_covariance, random_bandit
from repro.linear_rlhf.pessimism import (
    ConfidenceSet,
    greedy_policy,
    most_optimistic_policy,
    pessimistic_policy,
)

N_PAIRS = 2000
FAILURE_PROB = 0.05
LARGE = 1e6
"""Ratio to a bound of 0 that does not hold."""
ALIGNED_SHARE = 0.2
"""Share of cases in which the bounds are tight."""


def pessimistic_ratio(
    rng: np.random.Generator, states: int, width_share: float = 1.0, bonus: float = 1.0
) -> float:
    """SubOpt(π̂, π†)/(2Γ·‖E[φ(π†) − φ(π_ref)]‖_{(Σ̂+λI)⁻¹}) for η = 1, worst of five π† (P4, eq. 6).

    Γ is ‖θ̂ − θ_true‖_{Σ̂+λI}, the least for which eq. (5) holds.

    Args:
        rng: stream that draws the case.
        states: S.
        width_share: share of Γ in use; below 1 the set misses θ_true and eq. (6) may fail.
        bonus: what the policy takes off, in units of that Γ: 1 as printed, 0 greedy, below 0
            optimistic.
    """
    bandit, estimate = _case(rng, states)
    ridge = _ridge(bandit)
    metric = empirical_covariance(bandit, N_PAIRS, rng) + ridge * np.eye(len(estimate))
    off = estimate - bandit.theta
    width = width_share * math.sqrt(off @ metric @ off) * (1 + 1e-9)
    policy = _policy(bandit, estimate, metric, bonus * width)
    comparators = [bandit.best, *_random_policies(bandit, rng)]
    return max(_gap_ratio(bandit, policy, c, metric, width) for c in comparators)


def _policy(bandit: Bandit, estimate: np.ndarray, metric: np.ndarray, width: float) -> np.ndarray:
    """(S, A) pessimistic policy of a width; greedy at 0, optimistic below."""
    if width == 0:
        return greedy_policy(bandit.features, estimate)
    believed = ConfidenceSet(estimate, metric, abs(width), bandit.radius)
    args = (bandit.features, bandit.state_prob, bandit.reference)
    if width > 0:
        return pessimistic_policy(believed, *args)[0]
    return most_optimistic_policy(believed, *args)


def _case(rng: np.random.Generator, states: int) -> tuple[Bandit, np.ndarray]:
    """An instance and an estimate inside the ball."""
    aligned = bool(rng.random() < ALIGNED_SHARE)
    bandit = random_bandit(rng, states, aligned)
    noise = rng.standard_normal(len(bandit.theta)) * rng.choice([0.1, 0.5, 2.0])
    estimate = -1e-6 * bandit.theta if aligned and rng.random() < 0.5 else bandit.theta + noise
    return bandit, estimate * min(1.0, bandit.radius / np.linalg.norm(estimate))


def _ridge(bandit: Bandit) -> float:
    """λ = (d/n)·ln(n/δ), the least of Corollary 4.4."""
    return bandit.features.shape[2] / N_PAIRS * math.log(N_PAIRS / FAILURE_PROB)


def _random_policies(bandit: Bandit, rng: np.random.Generator) -> list[np.ndarray]:
    states, actions, _ = bandit.features.shape
    return [rng.dirichlet(np.ones(actions), states) for _ in range(4)]


def _gap_ratio(bandit: Bandit, policy, comparator, metric, width: float) -> float:
    gap = bandit.value(comparator) - bandit.value(policy)
    reach = bandit.mean_feature(comparator) - bandit.mean_feature(bandit.reference)
    bound = 2 * width * math.sqrt(reach @ np.linalg.solve(metric, reach))
    if bound <= 1e-9:
        return 0.0 if gap <= 1e-7 else LARGE
    return min(gap / bound, LARGE)
