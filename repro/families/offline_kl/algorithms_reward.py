"""Step 2 of P1's Algorithm 1 alone: private labels to a reward, and wrong ways to do it.

Each method takes labels and returns the (R,) on-policy error of its reward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.estimators.mixture_mle import mixture_mle
from repro.estimators.two_arm_mle import two_arm_mle
from repro.instances.linear import LinearWorld
from repro.instances.two_arms import TwoArmWorld
from repro.pessimism.gap_constants import linear_reward_error, two_arm_reward_error
from repro.preferences.label_counts import LabelCounts, randomize_counts
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.row import method, privacy_mistake


@dataclass(frozen=True, eq=False)
class Labels:
    """Datasets of privatised labels of one world.

    Attributes:
        world: the truth.
        counts: (R, C) labels.
        epsilon: their budget.
        rng: the block's stream, for methods that draw more.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: LinearWorld | TwoArmWorld
    counts: LabelCounts
    epsilon: float
    rng: np.random.Generator
    estimate: Estimate = as_fitted

    def error(self, counts: LabelCounts, epsilon: float) -> Tensor:
        """(R,) on-policy error of the private MLE whose likelihood assumes ``epsilon``."""
        world = self.world
        if isinstance(world, TwoArmWorld):
            difference = two_arm_mle(counts, epsilon, world.reward_bound)
            return two_arm_reward_error(world, self.estimate(difference, world.reward_diff))
        theta = mixture_mle(counts, world.feature_diff, epsilon, world.radius)
        return linear_reward_error(world, self.estimate(theta, world.theta))


@method
def private_mle(labels: Labels) -> Tensor:
    """The likelihood of eq. (9)."""
    return labels.error(labels.counts, labels.epsilon)


@privacy_mistake
def naive_likelihood(labels: Labels) -> Tensor:
    """Wrong: the clean likelihood on privatised labels."""
    return labels.error(labels.counts, math.inf)


@privacy_mistake
def epsilon_overstated(labels: Labels) -> Tensor:
    """Wrong: the likelihood assumes a budget 20 % too high."""
    return labels.error(labels.counts, 1.2 * labels.epsilon)


@method
def hidden_randomizer(labels: Labels) -> Tensor:
    """Wrong for a claim without privacy: labels were privatised at ε = 1, and it is accounted."""
    return labels.error(randomize_counts(labels.rng, labels.counts, 1.0), 1.0)


@method
def frozen_features(labels: Labels) -> Tensor:
    """Wrong for a sweep of d: only the first two features are estimated."""
    world = labels.world
    assert isinstance(world, LinearWorld)
    two = mixture_mle(labels.counts, world.feature_diff[:, :2], labels.epsilon, world.radius)
    rest = torch.zeros(len(two), world.features.shape[-1] - 2, dtype=two.dtype, device=two.device)
    return linear_reward_error(world, torch.cat([two, rest], dim=1))
