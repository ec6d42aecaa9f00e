"""DPO and pessimistic RLHF on the same labels where one response is hardly covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from pydantic import Field

from repro.base.schema import Number
from repro.p4.debiased_mle.estimation import estimate
from repro.p4.debiased_mle.labels import SampledPairs
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.linear_rlhf.pessimism import (
    ConfidenceSet,
    greedy_policy,
    optimistic_policy,
    pessimistic_policy,
)
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.gibbs import gibbs_policy

CHI2_2 = 5.991
"""95 % quantile of χ² with two degrees of freedom."""


@dataclass(frozen=True)
class Estimates:
    """What both algorithms read.

    Attributes:
        world: the bandit in coordinates of {⟨1, θ⟩ = 0}.
        theta: (R, k) θ̂.
        covariance: (R, k, k) Σ̂.
        width: Γ of a confidence set that covers with probability 95 %.
        pessimism: multiple of Γ: 1 as printed, 0 none, below 0 optimism.
    """

    world: LinearWorld
    theta: torch.Tensor
    covariance: np.ndarray
    width: float
    pessimism: float


@dataclass(frozen=True, eq=False, kw_only=True)
class UncoveredLabels(SampledPairs):
    """Labels of a bandit with a response that is hardly covered.

    Attributes:
        pessimism: multiple of the confidence set's width: 1 as printed, 0 none, −1 reversed.
    """

    pessimism: Annotated[Number, Field(ge=-1, le=1)] = 1.0


def estimates(world: UncoveredLabels, rng: np.random.Generator, replicates: int) -> Estimates:
    """R debiased estimates in the coordinates of the policies."""
    pairs, bandit = world.world, world.world.policies
    error, target = estimate(world, rng, replicates)
    # pairs are scaled so that ‖x‖ ≤ 1, and θ with them
    scale = float(pairs.truth.norm() / bandit.theta.norm())
    theta = (error + target.truth) / scale
    width = 2 * world.read.scale * (CHI2_2 / world.n_pairs) ** 0.5
    return Estimates(bandit, theta, _covariances(target) * scale**2, width, world.pessimism)


def lost_by_dpo(estimates: Estimates) -> np.ndarray:
    """(R,) reward that DPO loses against the best response."""
    world = estimates.world
    reward = estimates.theta[:, None, :] @ world.features[0].T
    policy = gibbs_policy(world.reference, reward, world.kl_weight)
    return (world.reward.max() - (policy[:, 0] * world.reward[0]).sum(-1)).numpy()


def lost_by_pessimism(estimates: Estimates) -> np.ndarray:
    """(R,) the same of pessimistic RLHF, compared with half each on the two covered responses."""
    each = zip(estimates.theta.numpy(), estimates.covariance, strict=True)
    return np.array([_pessimistic_loss(estimates, theta, metric) for theta, metric in each])


def _covariances(target: LogisticTarget) -> np.ndarray:
    """(R, k, k) Σ̂ of scaled features."""
    x = target.features
    return torch.einsum("rc,ci,cj->rij", target.mass, x, x).numpy()


def _pessimistic_loss(estimates: Estimates, theta: np.ndarray, covariance: np.ndarray) -> float:
    policy, reward = _policy(estimates, theta, covariance), estimates.world.reward[0].numpy()
    return float(reward.max() - policy[0] @ reward)


def _policy(estimates: Estimates, theta: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """(1, A) pessimistic policy; greedy without pessimism, optimistic where it is reversed."""
    features, reference = estimates.world.features.numpy(), np.array([[0.5, 0.5, 0.0]])
    if estimates.pessimism == 0:
        return greedy_policy(features, theta)
    metric = covariance + 1e-9 * np.eye(len(theta))
    width = abs(estimates.pessimism) * estimates.width
    believed = ConfidenceSet(theta, metric, width, estimates.world.radius)
    if estimates.pessimism < 0:
        return optimistic_policy(believed, features[0])
    return pessimistic_policy(believed, features, np.ones(1), reference)[0]
