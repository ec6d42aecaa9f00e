"""Algorithm 1 in the weighted norm, its bounds and wrong versions: ``run(case, rng, replicates)``.

Of the rare cell all take the supremum over its mass, unless their name says otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.robust.algorithms_estimation import estimate, estimation_floor
from repro.families.robust.bounds_cases import PricedCase, eq_20_ratios, exact_floor, random_floor
from repro.families.robust.bounds_floor import minimax_floor, printed_floor, sharper_floor
from repro.families.robust.bounds_score import NoiseCase, corruption_term_ratio, noise_term_fails
from repro.families.robust.cases import PairCase
from repro.families.robust.measures import then
from repro.families.robust.quantities_rare_cell import RareCase, fixed_rare_cell, worst_rare_cell
from repro.families.robust.wrong import no_debias, orders_swapped
from repro.study.case import PointCase
from repro.study.row import Method, method

TINY_RIDGE = 1e-12
"""λ → 0."""

algorithm_1 = Method("algorithm_1", estimation_floor)
without_debiasing = then(no_debias, estimation_floor)


@method
def first_feature_only(case: PairCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong for a sweep of d: the error of the first feature alone."""
    error, target = estimate(case, rng, replicates)
    return (target.mass[:, 0].sqrt() * error[:, 0].abs()).cpu().numpy()


@method
def worst_mass(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """The floor."""
    return worst_rare_cell(case, rng)


@method
def fixed_mass(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """The floor at one mass: wrong where the claim is about the supremum."""
    return fixed_rare_cell(case, rng)


worst_mass_swapped = then(orders_swapped, worst_mass.run)
fixed_mass_swapped = then(orders_swapped, fixed_mass.run)


@method
def worst_over_bound(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """Over our bound."""
    return worst_rare_cell(case, rng) / sharper_floor(*_numbers(case))


@method
def printed_bound(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """Wrong where ours is claimed to be attained: over the printed bound."""
    return worst_rare_cell(case, rng) / printed_floor(*_numbers(case))


@method
def bound_over_worst(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """What no estimator's floor stays below, over the floor."""
    worst = worst_rare_cell(case, rng)
    return minimax_floor(*_numbers(case)) / worst


@method
def printed_bound_attained(case: RareCase, rng: np.random.Generator, replicates: int) -> float:
    """Wrong: the printed bound as the floor of every estimator."""
    worst = worst_rare_cell(case, rng)
    return printed_floor(*_numbers(case)) / worst


@method
def floor_over_bound(case: PricedCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) floors of random worlds over our bound."""
    return np.array([random_floor(case, rng).over_bound() for _ in range(replicates)])


@method
def bound_without_cost(case: PricedCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the same with ζ = 1 under either order."""
    return np.array([random_floor(case, rng).over_bound_without_cost() for _ in range(replicates)])


def _worse_order(case: PricedCase, rng: np.random.Generator, replicates: int) -> float:
    orders = (case.order, case.order.swapped)
    return max(exact_floor(replace(case, order=order)).over_bound() for order in orders)


worse_order_over_bound = Method("floor_over_bound", _worse_order)
"""The worse of LTC and CTL in one world, over our bound."""


@method
def end(case: PointCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The end of eq. (20)."""
    return eq_20_ratios(case.value, True, rng, replicates)


@method
def first_step_as_printed(case: PointCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Its first step, false as printed."""
    return eq_20_ratios(case.value, False, rng, replicates)


@method
def norm_too_large(case: NoiseCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Claim E.1 with the constant of the config."""
    return noise_term_fails(case, case.constant, rng, replicates)


@method
def constant_one(case: NoiseCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Claim E.1 as printed, C = 1: wrong for Rademacher noise."""
    return noise_term_fails(case, 1.0, rng, replicates)


@method
def worst_ratio(case: PointCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Claim E.2."""
    return corruption_term_ratio(case.value, 1.0, TINY_RIDGE, rng, replicates)


@method
def without_root(case: PointCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: α in the place of √α."""
    return worst_ratio.run(case, rng, replicates) / case.value**0.5


def _numbers(case: RareCase) -> tuple[float, float, float]:
    """c(ε), α and B′."""
    return privacy_cost(case.epsilon), case.corruption, case.world.reward_bound
