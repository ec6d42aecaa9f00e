"""Constants in front of 1/n, by Fisher information: a Gibbs policy's gap and a reward's error."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.base.notation import flip_prob
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.worlds.instances.linear import LinearWorld, feature_covariance
from repro.worlds.instances.two_arms import TwoArmWorld
from repro.worlds.policies.regularisers import KL, Regulariser, response_weights


def label_information(
    reward_diff: Tensor, epsilon: float, response: LabelMixture = RANDOMIZED_RESPONSE
) -> Tensor:
    """Fisher information of a reward difference, any shape, in one private label (P1, eq. 9)."""
    clean, other = torch.sigmoid(reward_diff), torch.sigmoid(-reward_diff)
    signal = response.signal(epsilon)
    win = response(clean, epsilon)
    # 1 − win by its parts, so that nothing cancels where wins are certain
    loss = 1 - response.truth - response.yes + response.truth * flip_prob(epsilon) + signal * other
    return (signal * clean * other).square() / (win * loss)


def private_fisher_information(
    world: LinearWorld, epsilon: float, response: LabelMixture = RANDOMIZED_RESPONSE
) -> Tensor:
    """(d, d) Fisher information of θ in one privatised label (P1, likelihood of eq. 9)."""
    weight = world.cell_prob * label_information(world.reward_diff, epsilon, response)
    return torch.einsum("c,ci,cj->ij", weight, world.feature_diff, world.feature_diff)


def gap_constant(
    world: LinearWorld,
    epsilon: float,
    response: LabelMixture = RANDOMIZED_RESPONSE,
    regulariser: Regulariser = KL,
) -> float:
    """lim n·E[gap] of the private MLE without bonus: tr(Cov_π*·I⁻¹)/(2·kl_weight).

    A second-order expansion of kl_weight·KL around π*; P1 leaves this constant implicit.  Under
    another f-divergence h of ``response_weights`` stands for π*, whose mass need not be 1.
    """
    information = private_fisher_information(world, epsilon, response)
    trace = torch.linalg.solve(information, curvature(world, regulariser)).diagonal().sum()
    return float(trace / (2 * world.kl_weight))


def curvature(world: LinearWorld, regulariser: Regulariser) -> Tensor:
    """(d, d) E_s of Σ_a h·φφᵀ − (Σ h·φ)(Σ h·φ)ᵀ/Σh: kl_weight times the Hessian of J* in θ."""
    if regulariser == KL:
        return feature_covariance(world, world.optimal_policy)
    weights = response_weights(regulariser, world.reference, world.reward, world.kl_weight)
    mass = weights.sum(-1, keepdim=True)
    mean = ((weights / mass).unsqueeze(-1) * world.features).sum(1, keepdim=True)
    centred = world.features - mean
    shares = weights * world.state_prob[:, None]
    return torch.einsum("sa,sai,saj->ij", shares, centred, centred)


def two_arm_gap_constant(
    world: TwoArmWorld,
    epsilon: float,
    response: LabelMixture = RANDOMIZED_RESPONSE,
    regulariser: Regulariser = KL,
) -> float:
    """lim n·E[gap] of the private MLE on a two-response world, state by state."""
    information = world.cell_prob * label_information(world.reward_diff, epsilon, response)
    spread = two_arm_curvature(world, regulariser)
    return float(world.state_prob @ (spread / information) / (2 * world.kl_weight))


def two_arm_bonus_gap(world: TwoArmWorld, bonus: Tensor, regulariser: Regulariser = KL) -> float:
    """``bonus_gap`` on a two-response world; bonus is (S,), first minus second response."""
    spread = two_arm_curvature(world, regulariser)
    return float(world.state_prob @ (spread * bonus.square()) / (2 * world.kl_weight))


def two_arm_curvature(world: TwoArmWorld, regulariser: Regulariser = KL) -> Tensor:
    """(S,) k = h₁h₂/(h₁+h₂); for KL the variance of the choice between the two under π*."""
    if regulariser == KL:
        return world.optimal_policy.prod(-1)
    reward = torch.stack([world.reward_diff, torch.zeros_like(world.reward_diff)], dim=-1)
    weights = response_weights(regulariser, world.policies, reward, world.kl_weight)
    return weights.prod(-1) / weights.sum(-1)


def bonus_gap(world: LinearWorld, bonus: Tensor, regulariser: Regulariser = KL) -> float:
    """The bonus's own share of the gap: E_s Var_π*[Γ]/(2·kl_weight) (P1, step 3 of Algorithm 1).

    Args:
        world: the truth.
        bonus: (S, A) Γ_n, small against kl_weight.
        regulariser: of the objective; h of ``response_weights`` stands for π*.
    """
    policy = world.optimal_policy
    if regulariser != KL:
        policy = response_weights(regulariser, world.reference, world.reward, world.kl_weight)
    spread = bonus - ((policy * bonus).sum(-1) / policy.sum(-1)).unsqueeze(-1)
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
