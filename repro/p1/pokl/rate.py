"""How regret must grow: the closed-form rate in front of log T (P1, Section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repro.base.notation import label_signal
from repro.worlds.instances.linear import LinearWorld, centred, feature_covariance
from repro.worlds.policies.gibbs import gibbs_policy


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
