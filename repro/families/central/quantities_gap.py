"""Both sides of P3's Theorem 4.2 on pairs: failures, distances, and the bounds as numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_curator import norm_in
from repro.families.central.algorithms_release import CentralData
from repro.families.central.cases import LearningCase
from repro.families.central.worlds_axis import AxisWorld, hardest_even_world
from repro.families.central.wrong_learners import greedy, greedy_into_the_trap, pessimistic
from repro.study.row import Values, method

NO_RIDGE = 1e-12
"""Far below sampling errors; of all maximisers of the likelihood it takes the one of least norm."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairsCase(LearningCase):
    """Learning from pairs of responses."""

    world: AxisWorld


@method
def labels_per_state(case: PairsCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of d: n labels at every state, not n in all."""
    n_pairs = case.n_pairs * case.world.num_features
    world = hardest_even_world(case.world.num_features, case.world.length, n_pairs)
    more = replace(case, world=world, n_pairs=n_pairs)
    return greedy.run(more, more.draw(data.rng, len(data.spread)))


@method
def pessimistic_fails(case: PairsCase, data: CentralData) -> Tensor:
    """1 where Algorithm 3 exceeds the bound."""
    return _above_the_bound(case, pessimistic.run(case, data))


@method
def greedy_fails(case: PairsCase, data: CentralData) -> Tensor:
    """Wrong: the bound held against greedy choices."""
    return _above_the_bound(case, greedy_into_the_trap.run(case, data))


def _above_the_bound(case: PairsCase, gap: Tensor) -> Tensor:
    """(R,) 1 where a gap exceeds 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ of the best policy."""
    covered = coverage(case.world, case.ridge / 2, case.world.policies.optimal_features, 0.5)
    return (gap > 2 * case.error_bound * covered).double()


@method
def misses(case: PairsCase, data: CentralData) -> Tensor:
    """1 where θ* lies outside the confidence set (2)."""
    return (case.distance(data, case.ridge) > case.error_bound).double()


@method
def misses_without_private_term(case: PairsCase, data: CentralData) -> Tensor:
    """Wrong: F without its private term."""
    bound = case.error_scale * math.sqrt(case.world.num_features / case.n_pairs)
    return (case.distance(data, case.ridge) > bound).double()


@method
def distance(case: PairsCase, data: CentralData) -> Tensor:
    """‖θ* − θ̃‖ over F with λ of the appendix."""
    return case.distance(data, case.ridge) / case.error_bound


@method
def distance_text_ridge(case: PairsCase, data: CentralData) -> Tensor:
    """‖θ* − θ̃‖ over F with λ of the main text."""
    return case.distance(data, case.text_ridge) / case.error_bound


@method
def bound(case: PairsCase) -> float:
    """F times the concentrability of π*, with the root of the inverse, as the proof has it."""
    return _bound(case, power=0.5)


@method
def bound_printed(case: PairsCase) -> float:
    """F times the concentrability of π*, with the inverse, as printed."""
    return _bound(case, power=1.0)


@method
def bound_of_another_ridge(case: PairsCase) -> float:
    """Wrong: the printed bound over λ alone, as though no direction were covered."""
    return _bound(case, power=1.0) / case.ridge


def _bound(case: PairsCase, power: float) -> float:
    world = case.world
    features = (world.theta > 0) * world.length * world.test_prob
    error = case.budget.error_bound(case.n_pairs, world.num_features, 1.0)
    return error * coverage(world, case.ridge, features, power)


def coverage(world: AxisWorld, ridge: float, features: Tensor, power: float) -> float:
    """‖(Σ + ridge·I)^(−power)·features‖₂; Σ = length²·diag(data mass)."""
    spectrum = world.length**2 * world.data_prob + ridge
    return float((features * spectrum**-power).norm())


@method
def lemma(case: PairsCase) -> float:
    """Zhu et al.'s bound with λ inside the root."""
    sampling = case.world.num_features / case.n_pairs
    return math.sqrt(sampling + case.ridge * case.budget.radius**2)


@method
def lemma_printed(case: PairsCase) -> float:
    """Zhu et al.'s bound as quoted, with λ outside the root."""
    return math.sqrt(case.world.num_features / case.n_pairs) + case.ridge


def error_over_lemma(case: PairsCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) ‖θ_MLE − θ*‖ in Σ+λI over each quoted bound; θ_MLE has no noise and the least norm."""
    data = case.draw(rng, replicates)
    truth = case.world.theta
    zero = torch.zeros(replicates, len(truth), dtype=truth.dtype)
    fitted = data.loss.minimiser(NO_RIDGE, zero, case.budget.radius)
    error = norm_in(data.covariance, case.ridge, case.estimate(fitted, truth) - truth)
    return {m.name: (error / m.run(case)).numpy() for m in case.methods}
