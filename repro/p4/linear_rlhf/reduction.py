"""P4's Algorithm 2 and DPO on random instances, over the bounds of Section 4.

Propositions 4.2 and 4.6 and Corollary 4.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.special import softmax

from repro.labels.preferences.label_law import Estimate, as_fitted, on_arrays
from repro.p4.linear_rlhf.bandit import (
    Bandit,
    difference_covariance,
    empirical_covariance,
    random_bandit,
    relative_condition_number,
)
from repro.p4.linear_rlhf.pessimism import (
    ConfidenceSet,
    greedy_policy,
    most_optimistic_policy,
    pessimistic_policy,
)
from repro.worlds.policies.gibbs import gibbs_policy

SLIGHTLY = 1e-6
"""How far tight cases are from the tie at which the policy turns."""
N_PAIRS = 2000
FAILURE_PROB = 0.05
LARGE = 1e6
"""Ratio to a bound of 0 that does not hold."""
ALIGNED_SHARE = 0.2
"""Share of cases in which the bounds are tight."""
TIGHT_SHARE = 0.5
"""Share of ratios that are of a tight case alone: in the others nothing hides a random one."""


def greedy_ratio(
    rng: np.random.Generator, states: int, stage: Estimate = as_fitted, least: bool = False
) -> float:
    """SubOpt(π̂, π*)/(2‖θ̂ − θ_true‖₂) for η = 0 (P4, eq. 4); half of the time .999 over it in a
    tight case.

    Tight are two opposite responses whose estimate has just the wrong sign.

    Args:
        rng: stream that draws the case.
        states: S.
        stage: (fitted, truth) → what the policy is made of; the bound is about what is fitted.
        least: whether the policy takes the response of least estimated reward.
    """

    def ratio(bandit: Bandit, estimate: np.ndarray) -> float:
        used = on_arrays(stage, estimate, bandit.theta)
        policy = greedy_policy(bandit.features, -used if least else used)
        gap = bandit.value(bandit.best) - bandit.value(policy)
        return gap / (2 * float(np.linalg.norm(estimate - bandit.theta)))

    if rng.random() < TIGHT_SHARE:
        tight = random_bandit(rng, 1, aligned=True)
        return _attained(ratio(tight, -SLIGHTLY * tight.theta))
    return ratio(*_case(rng, states))


def pessimistic_ratio(
    rng: np.random.Generator, states: int, width_share: float = 1.0, bonus: float = 1.0,
    stage: Estimate = as_fitted,
) -> float:  # fmt: skip
    """SubOpt(π̂, π†)/(2Γ·‖E[φ(π†) − φ(π_ref)]‖_{(Σ̂+λI)⁻¹}) for η = 1, worst of five π† (P4, eq. 6);
    half of the time .999 over it in a tight case.

    Γ is ‖θ̂ − θ_true‖_{Σ̂+λI}, the least for which eq. (5) holds.  Tight are two opposite responses,
    π_ref taking the worse, whose estimate is half of the truth: it cannot be told from a tie.

    Args:
        rng: stream that draws the case.
        states: S.
        width_share: share of Γ in use; below 1 the set misses θ_true and eq. (6) may fail.
        bonus: what the policy takes off, in units of that Γ: 1 as printed, 0 greedy, below 0
            optimistic.
        stage: (fitted, truth) → the centre of the confidence set; Γ is about what is fitted.
    """

    def ratio(bandit: Bandit, estimate: np.ndarray) -> float:
        ridge = _ridge(bandit)
        metric = empirical_covariance(bandit, N_PAIRS, rng) + ridge * np.eye(len(estimate))
        off = estimate - bandit.theta
        width = width_share * math.sqrt(off @ metric @ off) * (1 + 1e-9)
        used = on_arrays(stage, estimate, bandit.theta)
        policy = _policy(bandit, used, metric, bonus * width)
        comparators = [bandit.best, *_random_policies(bandit, rng)]
        return max(_gap_ratio(bandit, policy, c, metric, width) for c in comparators)

    if rng.random() < TIGHT_SHARE:
        tight = random_bandit(rng, 1, aligned=True)
        tight = replace(tight, reference=1 - tight.best)
        return _attained(ratio(tight, 0.5 * (1 - SLIGHTLY) * tight.theta))
    return ratio(*_case(rng, states))


def condition_ratio(rng: np.random.Generator, states: int, of_data: bool = True) -> float:
    """‖E[φ(π†) − φ(π_ref)]‖² in the norm of Σ_data⁻¹ over κ(π†, π_ref); half of the time .999
    over it in a tight case.

    Σ_data is of pairs of π_sft, n → ∞.  Tight are two deterministic policies in one state.

    Args:
        rng: stream that draws the case.
        states: S.
        of_data: whether κ is relative to the data, or to π_ref's own pairs.
    """

    def ratio(bandit: Bandit, target: np.ndarray) -> float:
        given = bandit.features, bandit.state_prob
        data = difference_covariance(*given, bandit.data, bandit.data)
        against = data if of_data else difference_covariance(*given, bandit.reference, target)
        seen = difference_covariance(*given, target, bandit.reference)
        kappa = relative_condition_number(seen, against)
        reach = bandit.mean_feature(target) - bandit.mean_feature(bandit.reference)
        return min(float(reach @ np.linalg.pinv(data) @ reach) / kappa, LARGE)

    if rng.random() < TIGHT_SHARE:
        tight = random_bandit(rng, 1, aligned=True)
        tight = replace(tight, reference=1 - tight.best)
        return _attained(ratio(tight, tight.best))
    bandit = random_bandit(rng, states)
    return max(ratio(bandit, policy) for policy in (bandit.best, *_random_policies(bandit, rng)))


@dataclass(frozen=True, eq=False)
class TwoResponsePolicies:
    """States of two responses with log-linear policies, and an estimate.

    Attributes:
        features: (S, 2, k) φ with ‖φ‖ ≤ 1.
        state_prob: (S,) ρ.
        optimum: (k,) θ*.
        reference: (k,) θ_sft.
        fitted: (k,) θ̂, of θ_true = β(θ* − θ_sft).
        kl_weight: β.
    """

    features: np.ndarray
    state_prob: np.ndarray
    optimum: np.ndarray
    reference: np.ndarray
    fitted: np.ndarray
    kl_weight: float

    @property
    def truth(self) -> np.ndarray:
        """(k,) θ_true."""
        return self.kl_weight * (self.optimum - self.reference)

    def policy(self, theta: np.ndarray) -> np.ndarray:
        """(S, 2) π_θ."""
        return softmax(self.features @ theta, axis=1)

    def pairs(self, theta: np.ndarray) -> np.ndarray:
        """(k, k) Σ of two independent responses of π_θ."""
        policy = self.policy(theta)
        return difference_covariance(self.features, self.state_prob, policy, policy)


def random_policies(rng: np.random.Generator, states: int) -> TwoResponsePolicies:
    """One to three coordinates, parameters of norm up to 2, an estimate near the truth or far."""
    k = int(rng.integers(1, 4))
    features = rng.standard_normal((states, 2, k))
    features /= np.linalg.norm(features, axis=2).max()
    optimum, reference, off = rng.standard_normal((3, k))
    beta, far = rng.uniform(0.1, 2.0), rng.choice([0.01, 0.3, 3.0])
    fitted = beta * (optimum - reference) + far * off
    return TwoResponsePolicies(
        features, rng.dirichlet(np.ones(states)), optimum, reference, fitted, beta
    )


def even_policies(rng: np.random.Generator) -> TwoResponsePolicies:
    """φ = ±u, an even π* and an estimate next to the truth: |gap| is at its bound."""
    features, beta = np.array([[[1.0], [-1.0]]]), rng.uniform(0.1, 2.0)
    reference = rng.uniform(0.5, 1.0, 1) * rng.choice([-1.0, 1.0])
    fitted = beta * (0.01 - reference)
    return TwoResponsePolicies(features, np.ones(1), np.zeros(1), reference, fitted, beta)


def policy_gap_ratio(
    world: TwoResponsePolicies, stage: Estimate = as_fitted, tempered: float = 1.0,
    keeps_reference: bool = True,
) -> float:  # fmt: skip
    """|J(π*) − J(π̂)| over ‖θ* − θ_sft‖·√(κ_Π/2)·Γ, π̂ ∝ π_sft·exp(r̂/β), Γ the error in Σ_sft's norm.

    Args:
        world: two responses in each state: κ_Π is κ of the even policy.
        stage: (fitted, truth) → what the policy is made of; Γ is about what is fitted.
        tempered: what β is multiplied by in the policy.
        keeps_reference: whether π_sft is in the policy.
    """
    reward = world.features @ world.truth
    fitted = torch.from_numpy(world.features @ on_arrays(stage, world.fitted, world.truth))
    base = torch.from_numpy(world.policy(world.reference))
    if not keeps_reference:
        base = torch.full_like(base, 0.5)
    policy = gibbs_policy(base, fitted, tempered * world.kl_weight).numpy()
    gap = world.state_prob @ ((world.policy(world.optimum) - policy) * reward).sum(axis=1)
    off, seen = world.fitted - world.truth, world.pairs(world.reference)
    kappa = relative_condition_number(world.pairs(np.zeros_like(off)), seen)
    apart = float(np.linalg.norm(world.optimum - world.reference))
    return abs(float(gap)) / (apart * math.sqrt(kappa / 2 * float(off @ seen @ off)))


def _attained(ratio: float) -> float:
    """At most 1 where a bound is attained within a thousandth."""
    return 0.999 / max(ratio, 1 / LARGE)


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
