"""Algorithm 3 of P3, greedy choices from Algorithm 1, and deliberately wrong versions of both.

Each takes a case and the data drawn from it, and returns the gap of every dataset.
"""

from __future__ import annotations

import math

from torch import Tensor

from repro.families.central.algorithms_release import CentralData
from repro.families.central.cases import LearningCase
from repro.study.row import method


@method
def greedy(case: LearningCase, data: CentralData) -> Tensor:
    """The policy that is optimal for θ̃."""
    return case.world.greedy_gap(case.theta(data))


@method
def pessimistic(case: LearningCase, data: CentralData) -> Tensor:
    """Algorithm 3: the policy of largest value under its worst reward in the confidence set."""
    matrix = data.matrix(case.budget, case.ridge)
    return case.world.policies.pessimistic_gap(
        case.theta(data), matrix, case.error_bound, case.budget.radius, case.bonus
    )


@method
def root_n_noise(case: LearningCase, data: CentralData) -> Tensor:
    """Wrong: b is √n times too large, as if it were added to a mean of n gradients."""
    return case.world.greedy_gap(case.theta(data, math.sqrt(case.n_pairs)))


@method
def noise_without_epsilon(case: LearningCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of ε: b has the scale of ε = 1."""
    return case.world.greedy_gap(case.theta(data, case.budget.epsilon))


@method
def argmin_policy(case: LearningCase, data: CentralData) -> Tensor:
    """Wrong: the appendix's "π* = argmin" taken at its word."""
    return case.world.greedy_gap(-case.theta(data))


@method
def greedy_into_the_trap(case: LearningCase, data: CentralData) -> Tensor:
    """Wrong where coverage is thin: Algorithm 3 with θ̃ in the place of the worst reward."""
    return case.world.policies.greedy_gap(case.theta(data))
