"""On-policy error of an estimated reward: the left side of P1's Lemma B.1, and its constant."""

from __future__ import annotations

from torch import Tensor

from repro.families.offline_kl.quantities_gap import private_fisher_information
from repro.instances.linear import LinearWorld, feature_covariance
from repro.instances.two_arms import TwoArmWorld


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
