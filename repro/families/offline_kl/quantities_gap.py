"""Constants in front of 1/n, by Fisher information: a Gibbs policy's gap and a reward's error."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.base.notation import label_signal
from repro.instances.linear import LinearWorld, feature_covariance
from repro.instances.two_arms import TwoArmWorld
from repro.preferences.label_counts import private_win_prob


def private_fisher_information(world: LinearWorld, epsilon: float) -> Tensor:
    """(d, d) Fisher information of θ in one privatised label (P1, likelihood of eq. 9)."""
    clean = torch.sigmoid(world.reward_diff)
    win = private_win_prob(world.reward_diff, epsilon)
    loss = private_win_prob(-world.reward_diff, epsilon)
    slope = label_signal(epsilon) * clean * torch.sigmoid(-world.reward_diff)
    weight = world.cell_prob * slope.square() / (win * loss)
    return torch.einsum("c,ci,cj->ij", weight, world.feature_diff, world.feature_diff)


def gap_constant(world: LinearWorld, epsilon: float) -> float:
    """lim n·E[gap] of the private MLE without bonus: tr(Cov_π*·I⁻¹)/(2·kl_weight).

    A second-order expansion of kl_weight·KL around π*; P1 leaves this constant implicit.
    """
    covariance = feature_covariance(world, world.optimal_policy)
    information = private_fisher_information(world, epsilon)
    trace = torch.linalg.solve(information, covariance).diagonal().sum()
    return float(trace / (2 * world.kl_weight))


def two_arm_gap_constant(world: TwoArmWorld, epsilon: float) -> float:
    """lim n·E[gap] of the private MLE on a two-response world, state by state."""
    win = private_win_prob(world.reward_diff, epsilon)
    loss = private_win_prob(-world.reward_diff, epsilon)
    clean = torch.sigmoid(world.reward_diff) * torch.sigmoid(-world.reward_diff)
    variance = win * loss / (world.cell_prob * (label_signal(epsilon) * clean).square())
    return float(world.state_prob @ (_spread(world) * variance) / (2 * world.kl_weight))


def two_arm_bonus_gap(world: TwoArmWorld, bonus: Tensor) -> float:
    """``bonus_gap`` on a two-response world; bonus is (S,), first minus second response."""
    return float(world.state_prob @ (_spread(world) * bonus.square()) / (2 * world.kl_weight))


def _spread(world: TwoArmWorld) -> Tensor:
    """(S,) variance of the choice between the two responses under π*."""
    return world.optimal_policy.prod(-1)


def bonus_gap(world: LinearWorld, bonus: Tensor) -> float:
    """The bonus's own share of the gap: E_s Var_π*[Γ]/(2·kl_weight) (P1, step 3 of Algorithm 1).

    Args:
        bonus: (S, A) Γ_n, small against kl_weight.
    """
    policy = world.optimal_policy
    spread = bonus - (policy * bonus).sum(-1, keepdim=True)
    variance = (policy * spread.square()).sum(-1) @ world.state_prob
    return float(variance / (2 * world.kl_weight))


def linear_reward_error(world: LinearWorld, theta: Tensor) -> Tensor:
    """(R,) E_{d₀×π_ref}[(r̄ − r* − b)²] with b(s) = E_π_ref[r̄ − r*]: a quadratic form in θ̂ − θ.

    Args:
        world: the truth.
        theta: (R, d) estimates.
    """
    covariance = feature_covariance(world, world.reference)
    error = theta - world.theta
    return ((error @ covariance) * error).sum(-1)


def two_arm_reward_error(world: TwoArmWorld, difference: Tensor) -> Tensor:
    """(R,) the same for estimated reward differences (R, S) of two responses."""
    spread = world.reference * (1 - world.reference)
    return ((difference - world.reward_diff).square() * spread) @ world.state_prob


def reward_error_constant(world: LinearWorld, epsilon: float) -> float:
    """lim n·E[error] of the private MLE: tr(Σ_π_ref·I⁻¹), I the Fisher information of a label."""
    covariance = feature_covariance(world, world.reference)
    information = private_fisher_information(world, epsilon)
    return float((information.inverse() @ covariance).trace())
