"""Algorithm 2 and versions of it that are wrong on purpose: each is what its learner is told."""

from __future__ import annotations

import math
from dataclasses import replace

from repro.core.check import privacy_mistake
from repro.p1.pokl.run import OnlineRun

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


def pokl(world: OnlineRun) -> OnlineRun:
    """Algorithm 2 as the world describes it."""
    return world


def without_exploration(world: OnlineRun) -> OnlineRun:
    """Wrong where exploration is needed: no bonus, both responses from the exploitation policy."""
    return replace(world, gamma=0.0)


@privacy_mistake
def naive_labels(world: OnlineRun) -> OnlineRun:
    """Wrong: least squares without the factor 2α−1, as if labels were clean."""
    return replace(world, believed_epsilon=math.inf)


@privacy_mistake
def epsilon_overstated(world: OnlineRun) -> OnlineRun:
    """Wrong: least squares assumes a budget 20 % too high."""
    return replace(world, believed_epsilon=EPSILON_OVERSTATED * world.epsilon)


def hidden_randomizer(world: OnlineRun) -> OnlineRun:
    """Wrong: labels taken as clean have passed through randomized response at ε = 1."""
    return replace(world, gamma=world.bonus_weight, epsilon=1.0, believed_epsilon=math.inf)


def inverted_kl_weight(world: OnlineRun) -> OnlineRun:
    """Wrong: P1's β read as the weight of KL, not as its inverse."""
    return replace(world, played_kl_weight=1 / world.linear.kl_weight)
