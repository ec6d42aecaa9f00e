"""Algorithm 3 of P3, greedy choices from Algorithm 1, and deliberately wrong versions of both.

Each takes the releases of R datasets, and returns the gap of every dataset.
"""

from __future__ import annotations

import math

from torch import Tensor

from repro.p3.curator.learning import Releases


def greedy(data: Releases) -> Tensor:
    """The policy that is optimal for θ̃."""
    return data.world.truth.greedy_gap(data.theta())


def pessimistic(data: Releases) -> Tensor:
    """Algorithm 3: the policy of largest value under its worst reward in the confidence set."""
    world = data.world
    return world.truth.policies.pessimistic_gap(
        data.theta(), data.matrix(world.ridge), world.error_bound, world.radius, world.pessimism
    )


def root_n_noise(data: Releases) -> Tensor:
    """Wrong: b is √n times too large, as if it were added to a mean of n gradients."""
    return data.world.truth.greedy_gap(data.theta(math.sqrt(data.world.n_pairs)))


def noise_without_epsilon(data: Releases) -> Tensor:
    """Wrong for a sweep of ε: b has the scale of ε = 1."""
    return data.world.truth.greedy_gap(data.theta(data.world.epsilon))


def argmin_policy(data: Releases) -> Tensor:
    """Wrong: the appendix's "π* = argmin" taken at its word."""
    return data.world.truth.greedy_gap(-data.theta())


def greedy_into_the_trap(data: Releases) -> Tensor:
    """Wrong where coverage is thin: Algorithm 3 with θ̃ in the place of the worst reward."""
    return data.world.truth.policies.greedy_gap(data.theta())
