"""Algorithm 1 in the weighted norm, its bounds and wrong versions: ``run(case, rng, replicates)``.

Of the rare cell all take the supremum over its mass, unless their name says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.robust.algorithms_estimation import estimate, estimation_floor
from repro.families.robust.attack_targets import weighted_root
from repro.families.robust.bounds_cases import (
    Floor,
    PricedCase,
    drawn_floor,
    exact_floor,
    priced,
    tight_floor,
)
from repro.families.robust.bounds_floor import printed_floor, sharper_floor
from repro.families.robust.bounds_modulus import least_floor
from repro.families.robust.bounds_response import strong_floor
from repro.families.robust.bounds_score import (
    NoiseCase,
    ScoreCase,
    corruption_term_ratio,
    noise_failure,
)
from repro.families.robust.cases import PairCase
from repro.families.robust.measures import then
from repro.families.robust.quantities_rare_cell import RareCase, fixed_rare_cell, worst_rare_cell
from repro.families.robust.wrong import no_debias, orders_swapped
from repro.study.row import Method, method

TINY_RIDGE = 1e-12
"""λ → 0."""
TIGHT = 0.9
"""Share of the bound that tight cells with B′ up to 1 reach: √(2B′γ/tanh(B′/2)) ≥ .92."""
NEAR = 0.95
"""Share of the first order that a floor reaches while flips are few."""

FloorOver = Callable[[Floor], float]
"""A floor over some bound."""

algorithm_1 = Method("algorithm_1", estimation_floor)
without_debiasing = then(no_debias, estimation_floor)


@method
def first_feature_only(case: PairCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong for a sweep of d: the error of the first feature alone."""
    error, target = estimate(case, rng, replicates)
    return (target.mass[:, 0].sqrt() * error[:, 0].abs()).cpu().numpy()


@method
def worst_mass(case: RareCase, rng: Any, replicates: int) -> float:
    """The floor."""
    return worst_rare_cell(case)


@method
def fixed_mass(case: RareCase, rng: Any, replicates: int) -> float:
    """The floor at one mass: wrong where the claim is about the supremum."""
    return fixed_rare_cell(case)


worst_mass_swapped = then(orders_swapped, worst_mass.run)
fixed_mass_swapped = then(orders_swapped, fixed_mass.run)


@method
def worst_over_bound(case: RareCase, rng: Any, replicates: int) -> float:
    """Over our bound."""
    return worst_rare_cell(case) / sharper_floor(*_numbers(case))


@method
def printed_bound(case: RareCase, rng: Any, replicates: int) -> float:
    """Wrong where ours is claimed to be attained: over the printed bound."""
    return worst_rare_cell(case) / printed_floor(*_numbers(case))


@method
def bound_over_worst(case: RareCase, rng: Any, replicates: int) -> float:
    """What no estimator's floor stays below, over the floor."""
    worst = worst_rare_cell(case)
    worth, share, bound = _numbers(case)
    return least_floor(worth * share, bound) / worst


@method
def printed_bound_attained(case: RareCase, rng: Any, replicates: int) -> float:
    """Wrong: the printed bound as the floor of every estimator."""
    worst = worst_rare_cell(case)
    return printed_floor(*_numbers(case)) / worst


def _above_and_below(case: PricedCase, rng: np.random.Generator, bound: FloorOver) -> float:
    """The worse of floor/bound in a random world, and of .9·bound/floor where the bound is tight.

    The second is left out where the tight cell would need more mass than there is.
    """
    one = priced(case, rng)
    above, tight = bound(drawn_floor(one, rng)), tight_floor(one, rng)
    return max(above, bound(tight), TIGHT / max(bound(tight), 1e-300) if tight.tight else 0.0)


def _many(bound: FloorOver) -> Any:
    def run(case: PricedCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return np.array([_above_and_below(case, rng, bound) for _ in range(replicates)])

    return run


floor_over_bound = Method("floor_over_bound", _many(Floor.over_bound))
"""(R,) floors of random worlds over our bound, and of tight ones both ways."""
bound_without_cost = Method("bound_without_cost", _many(Floor.over_bound_without_cost))
"""Wrong: the same with ζ = 1 under either order."""


def _on_instance(case: PricedCase, worth_of: Callable[[PricedCase], float]) -> float:
    """The worst, over both orders, of floor/bound and of .95·(first order)/floor."""
    found = []
    for order in (case.order, case.order.swapped):
        one = replace(case, order=order)
        floor, world = exact_floor(one), case.world
        root = weighted_root(world.coordinates, world.cell_prob[None], 0.0)[0]
        response = strong_floor(world, case.corruption, worth_of(one), root)
        found += [floor.over_bound(), NEAR * response / max(floor.error, 1e-300)]
    return max(found)


@method
def between_response_and_bound(case: PricedCase, rng: Any, replicates: int) -> float:
    """The floor of the instance lies between what flips do to first order and our bound."""
    return _on_instance(case, lambda one: one.flip_worth)


@method
def response_of_ltc(case: PricedCase, rng: Any, replicates: int) -> float:
    """Wrong under CTL: a flip is worth c(ε) under either order."""
    return _on_instance(case, lambda one: one.cost)


@method
def norm_too_large(case: NoiseCase, rng: np.random.Generator, replicates: int) -> float:
    """Claim E.1 with the constant of the config."""
    return noise_failure(case, case.constant) / case.failure_prob


@method
def constant_one(case: NoiseCase, rng: np.random.Generator, replicates: int) -> float:
    """Claim E.1 with its universal C read as 1: wrong for Rademacher noise."""
    return noise_failure(case, 1.0) / case.failure_prob


@method
def worst_ratio(case: ScoreCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Claim E.2."""
    return corruption_term_ratio(case, 1.0, TINY_RIDGE, rng, replicates)


@method
def without_root(case: ScoreCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: α in the place of √α."""
    return worst_ratio.run(case, rng, replicates) / case.corruption**0.5


def _numbers(case: RareCase) -> tuple[float, float, float]:
    """c(ε), α and B′."""
    return privacy_cost(case.epsilon), case.corruption, case.world.reward_bound
