"""Learners whose channel is known, believed symmetric, estimated or calibrated, and wrong ones.

Each takes a problem and returns one gap per dataset.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repro.estimators.channel_mle import (
    BOTH,
    SYMMETRIC,
    Directions,
    channel_mle,
    rates_of,
)
from repro.estimators.two_arm_mle import two_arm_mle
from repro.pessimism.datasets import Datasets, LinearDatasets, TwoArmDatasets
from repro.policies.regularisers import KL, Regulariser, regularised_policy
from repro.preferences.label_mixture import LabelMixture
from repro.study.row import method

FIRST_GUESS = 1.3
"""The search for unknown rates begins at a budget 30 % too high."""


@method
def believed_symmetric(problem: TwoArmDatasets) -> Tensor:
    """Wrong: the right signal, but constant answers believed fair coins."""
    truth = problem.source.response.truth
    fair = LabelMixture(truth, (1 - truth) / 2)
    world = problem.world
    fitted = two_arm_mle(problem.counts, problem.epsilon, world.reward_bound, fair)
    return problem.gap(problem.error(problem.source.estimate(fitted, world.reward_diff)))


@method
def half_of_the_labels(problem: Datasets) -> Tensor:
    """Wrong by a factor 2: errors √2 times as large as those of all labels."""
    return problem.gap(2**0.5 * problem.error(problem.fit(problem.epsilon)))


@method
def policy_of_kl(problem: TwoArmDatasets) -> Tensor:
    """Wrong under another divergence: the Gibbs policy, which KL calls for."""
    error = problem.error(problem.fit(problem.epsilon))
    return _gap_of_policy(problem, problem.world.reward_diff + error, KL)


def _gap_of_policy(problem: TwoArmDatasets, difference: Tensor, played: Regulariser) -> Tensor:
    """(R,) gap, under the problem's divergence, of the policy that another calls for."""
    world, own = problem.world, problem.source.regulariser
    reward = torch.stack([difference, torch.zeros_like(difference)], dim=-1)
    ratio, _ = regularised_policy(played, world.policies, reward, world.kl_weight)
    # the reward whose policy under the problem's own divergence that is
    meant = world.kl_weight * own.slope(ratio)
    return problem.gap(meant[..., 0] - meant[..., 1] - world.reward_diff)


def _unknown(problem: LinearDatasets, directions: Directions) -> Tensor:
    start = rates_of(problem.source.response, FIRST_GUESS * problem.epsilon, problem.counts.wins)
    world = problem.world
    fitted = channel_mle(problem.counts, world.feature_diff, start, world.radius, directions)
    return problem.gap(problem.error(problem.source.estimate(fitted, world.theta)))


@method
def unknown_flip(problem: LinearDatasets) -> Tensor:
    """MLE of reward and flip probability together, both labels flipped alike."""
    return _unknown(problem, SYMMETRIC)


@method
def unknown_flips(problem: LinearDatasets) -> Tensor:
    """MLE of reward and both flip probabilities together."""
    return _unknown(problem, BOTH)


@dataclass(frozen=True, eq=False)
class CalibratedProblem(LinearDatasets):
    """Labels, and reports on questions of known answer.

    Attributes:
        rates: (R, 2) base and signal, as the reports' frequencies give them.
    """

    rates: Tensor | None = None


@method
def calibrated(problem: CalibratedProblem) -> Tensor:
    """MLE with the rates of the questions of known answer."""
    assert problem.rates is not None
    world = problem.world
    fitted = channel_mle(problem.counts, world.feature_diff, problem.rates, world.radius)
    return problem.gap(problem.error(problem.source.estimate(fitted, world.theta)))
