"""How regret must grow: the closed-form rate in front of log T (P1, Section 5), and its limits.

A curve is told from √T by Akaike's criterion on its increments; under Huber corruption two rewards
that no learner can tell apart cost a constant a round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import brentq
from scipy.special import expit, logit
from torch import Tensor

from repro.base.notation import label_signal
from repro.instances.linear import LinearWorld, centred, feature_covariance
from repro.policies.gibbs import gibbs_policy


@dataclass(frozen=True)
class RegretRate:
    """lim t·E[J(π*) − J(π²_t)] = dRegret/dlog T and its two parts.

    Attributes:
        estimation: tr(Cov_π*·V_LS)/(2·kl_weight), V_LS the asymptotic covariance of √t·θ̄.
        exploration: Γ²·E_s Var_π*[u]/(2·kl_weight), u = lim √t·U.
    """

    estimation: float
    exploration: float

    @property
    def total(self) -> float:
        """Regret per unit of log T."""
        return self.estimation + self.exploration


def regret_rate(
    world: LinearWorld, epsilon: float, kl_weight: float, bonus_weight: float
) -> RegretRate:
    """Second-order expansion of kl_weight·KL(π²‖π*) where both policies are near π*.

    Pairs are then drawn from π*×π*, so V/t → M = 2·E_s Cov_π*[φ]; least squares has the sandwich
    covariance A⁻¹BA⁻¹ with A = E[f'²xxᵀ], B = E[f'²(1−f²)xxᵀ], f = (2α−1)·tanh(Δ/2).  The cap and
    the ridge of U vanish in the limit, and so does the cross term: the estimation error is
    centred, the bonus is not random.

    Args:
        world: the truth, its class a ball.
        epsilon: privacy budget in (0, inf].
        kl_weight: weight of KL.
        bonus_weight: Γ_T, constant along the run.
    """
    policy = gibbs_policy(world.reference, world.reward, kl_weight)
    covariance = feature_covariance(world, policy)
    estimation = torch.trace(covariance @ least_squares_covariance(world, policy, epsilon))
    c = centred(world, policy)
    width = torch.einsum("sai,ij,saj->sa", c, torch.linalg.inv(2 * covariance), c).sqrt()
    mean = (policy * width).sum(-1, keepdim=True)
    variance = (policy * (width - mean).square()).sum(-1) @ world.state_prob
    scale = 1 / (2 * kl_weight)
    return RegretRate(scale * float(estimation), scale * bonus_weight**2 * float(variance))


def least_squares_covariance(world: LinearWorld, policy: Tensor, epsilon: float) -> Tensor:
    """(d, d) limit of t·Cov(θ̄) for pairs drawn from policy × policy (step 8, Lemma C.1)."""
    first, second = world.cells
    prob = 2 * policy[:, first] * policy[:, second] * world.state_prob[:, None]
    signal = label_signal(epsilon)
    shape = torch.tanh(world.reward_diff / 2)
    slope, noise = signal * (1 - shape.square()) / 2, 1 - (signal * shape).square()
    weight = prob.flatten() * slope.square()
    x = world.feature_diff
    bread = torch.einsum("c,ci,cj->ij", weight, x, x)
    meat = torch.einsum("c,ci,cj->ij", weight * noise, x, x)
    inverse = torch.linalg.inv(bread)
    return inverse @ meat @ inverse


def minimax_gap(corruption: float, reward_gap: float, kl_weight: float) -> float:
    """min over policies of the larger gap on two indistinguishable two-response bandits.

    With reward difference Δ₁ clean labels have mean h₁ = tanh(Δ₁/2); an adversary with share α
    makes it (1−α)h₁ − α, which is the clean mean of Δ₂ = 2·artanh((1−α)h₁ − α).  Labels have the
    same law on both, so whatever a learner plays after T rounds has this gap on one of them, in
    mean over its draws by convexity of the gap.  π_ref is uniform.

    Args:
        corruption: α in [0, 1/2).
        reward_gap: Δ₁ > 0.
        kl_weight: weight of KL.
    """
    mean = (1 - corruption) * math.tanh(reward_gap / 2) - corruption
    first, second = (expit(x / kl_weight) for x in (reward_gap, 2 * math.atanh(mean)))
    if first - second < 1e-15:
        return 0.0

    def excess(policy: float) -> float:
        return _divergence(policy, first) - _divergence(policy, second)

    balanced = expit(brentq(lambda x: excess(expit(x)), logit(second), logit(first)))
    return kl_weight * _divergence(balanced, first)


def _divergence(p: float, q: float) -> float:
    """KL(p‖q) of two Bernoulli laws."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def akaike_weight(times: np.ndarray, cumulative: np.ndarray, decades: float = 3.0) -> float:
    """Akaike weight of regret = a + b·log T against regret = a + b·√T.

    Both models have one free slope for the increments between half decades, whose variances come
    from the replicates; then AIC differs by χ²(√T) − χ²(log T), and the weight is
    1/(1 + exp(−ΔAIC/2)): 1 when log T is preferred beyond doubt, 0 when √T is.

    Args:
        times: (K,) increasing, the last is the horizon.
        cumulative: (K, R) regret up to each time, R ≥ 2 replicates.
        decades: how far back from the horizon the curve counts.
    """
    steps = int(2 * decades)
    wanted = times[-1] / 10 ** (0.5 * np.arange(steps, -1, -1))
    at = np.unique(np.searchsorted(times, wanted * (1 - 1e-9)))
    gains = np.diff(cumulative[at], axis=0)
    weight = 1 / np.maximum(gains.var(axis=1, ddof=1) / gains.shape[1], 1e-200)

    def misfit(shape: np.ndarray) -> float:
        regressor, mean = np.diff(shape[at]), gains.mean(axis=1)
        slope = (weight * regressor * mean).sum() / (weight * regressor**2).sum()
        return float((weight * (mean - slope * regressor) ** 2).sum())

    difference = misfit(np.sqrt(times)) - misfit(np.log(np.maximum(times, 1)))
    return float(1 / (1 + np.exp(-np.clip(difference / 2, -500, 500))))
