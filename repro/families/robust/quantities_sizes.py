"""The separation of the two orders where α is not small and n is not infinite, in one cell.

Floors are held against their closed forms at every ε of a list, errors of n labels against their
exact means (`repro.families.robust.bounds_one_cell`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from repro.corruption.orders import Order
from repro.families.robust.adversaries import HUBER
from repro.families.robust.algorithms_estimation import estimation_error, fitted, true_counts
from repro.families.robust.attack_targets import LogisticTarget
from repro.families.robust.bounds_one_cell import (
    Certain,
    Damage,
    Labels,
    Strong,
    dpo_at,
    dpo_gap_at,
    estimation_at,
    greedy_at,
    margin_of,
    pessimism_at,
)
from repro.families.robust.bounds_rare_pair import (
    rare_dpo,
    rare_estimation,
    rare_greedy,
    rare_pessimism,
)
from repro.families.robust.cases import Attack, RobustCase
from repro.families.robust.measures import Number, SeparationCase, alike, exactly, under
from repro.families.robust.quantities_uncovered import (
    MARGIN_SHARES,
    WEIGHT,
    Uncovered,
    rare_direction,
)
from repro.families.robust.worlds_pairs import PairWorld
from repro.study.row import Evidence, Measure, Method, per_method

Closed = Callable[["ManyBudgets", float], float]
"""(case, ζ) → the floor in closed form; NaN where the whole class is lost."""


RUNGS = 80
"""Of the ladder on which the worst margin is looked for before it is refined."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ManyBudgets(SeparationCase):
    """Floors of one cell at every ε of a list.

    Attributes:
        epsilons: the list; ``epsilon`` is not read.
        predicted: at each of them the ratio of floors in closed form; NaN where there is none.
    """

    epsilons: tuple[float, ...]
    predicted: tuple[float, ...] = ()


def attacker_of(case: RobustCase[Any]) -> Strong | Certain:
    """The formula's own copy of the case's adversary, who knows the one cell's mass."""
    if case.adversary is HUBER:
        return Certain(case.corruption)
    return Strong(case.corruption, float(case.world.cell_prob[0]))


def with_closed_ratios(case: ManyBudgets, closed: Closed) -> ManyBudgets:
    """The case and, at each ε, the floor of its order over that of ``against`` as formulas."""

    def ratio(epsilon: float) -> float:
        above, below = (Attack(order).worth(epsilon) for order in (case.order, case.against))
        return closed(case, above) / closed(case, below)

    return replace(case, predicted=tuple(ratio(epsilon) for epsilon in case.epsilons))


def farthest_ratio(quantity: str, floor: Number) -> Measure:
    """Ratio of floors over the closed one, at the ε where they are furthest apart.

    An ε without a closed form, where the whole class is lost, is passed over.
    """

    def ratio(case: ManyBudgets, m: Method, rng: np.random.Generator, replicates: int) -> float:
        found = [
            _floor(floor, _at(case, epsilon, case.order, m))
            / _floor(floor, _at(case, epsilon, case.against, m))
            / claimed
            for epsilon, claimed in zip(case.epsilons, case.predicted, strict=True)
            if math.isfinite(claimed)
        ]
        return max(found, key=lambda one: abs(math.log(one)) if one > 0 else math.inf)

    return Measure(quantity, per_method(ratio), Evidence.EXACT)


def _floor(floor: Number, case: ManyBudgets) -> float:
    """A floor to divide by; NaN where there is none."""
    found = np.asarray(exactly(floor, case)).item()
    return found if found > 0 else math.nan


@lru_cache(maxsize=4096)
def _at(case: ManyBudgets, epsilon: float, order: Order, m: Method) -> ManyBudgets:
    """The case at one ε and order as a method changes it, the same object every time."""
    return alike(case, m.run(replace(under(case, order), epsilon=epsilon)))


def labels_of(case: RobustCase[Any], truth: float) -> Labels:
    """The labels of the one cell, as the formulas see them."""
    count = case.n_pairs * float(case.world.cell_prob[0])
    return Labels(truth, count, case.epsilon, case.order)


def expected_error(case: RobustCase[PairWorld], damage: Damage) -> float:
    """Mean damage of the one cell's labels."""
    return labels_of(case, _truth(case)).expected(attacker_of(case), damage)


def worst_margin(case: RobustCase[PairWorld], largest: float) -> tuple[float, float]:
    """(t, t·P(θ̂ ≤ 0)) where that product is largest: the gap of greedy RLHF with n labels."""
    attacker = attacker_of(case)

    def cost(margin: float) -> float:
        return margin * labels_of(case, margin).chance_below(attacker, 0.5)

    ladder = np.geomspace(1e-4 * largest, largest, RUNGS)
    best = int(np.argmax([cost(margin) for margin in ladder]))
    around = (ladder[max(best - 1, 0)], ladder[min(best + 1, RUNGS - 1)])
    found: Any = minimize_scalar(lambda t: -cost(t), bounds=around, method="bounded")
    return float(found.x), float(-found.fun)


def estimation_closed(case: ManyBudgets, worth: float) -> float:
    """``estimation_at`` in the case's world."""
    return estimation_at(attacker_of(case), worth, _truth(case), case.world.radius)


def greedy_closed(case: ManyBudgets, worth: float) -> float:
    """``greedy_at`` on the case's ladder."""
    return greedy_at(attacker_of(case), worth, case.margins[1])


def pessimism_closed(case: ManyBudgets, worth: float) -> float:
    """``pessimism_at`` on the case's ladder."""
    return pessimism_at(attacker_of(case), worth, case.margins)


def dpo_closed(case: ManyBudgets, worth: float) -> float:
    """``dpo_at`` in the case's world of two responses."""
    world: Any = case.world
    bend = world.policies.kl_weight
    return dpo_at(attacker_of(case), worth, _truth(case), world.radius, bend)


def rare_closed(floor: Callable[[float, Uncovered], float]) -> Closed:
    """A floor of (Z, rare pairs) of the strong adversary."""

    def closed(case: ManyBudgets, worth: float) -> float:
        pairs: Any = case.world
        return floor(case.corruption * worth, pairs)

    return closed


@rare_closed
def rare_estimation_closed(moved: float, rare: Uncovered) -> float:
    """``rare_estimation`` on the case's ladder of masses."""
    return rare_estimation(moved, rare.reward_bound, _heaviest(rare))


@rare_closed
def rare_greedy_closed(moved: float, rare: Uncovered) -> float:
    """``rare_greedy`` likewise."""
    return rare_greedy(moved, rare.reward_bound, _heaviest(rare))


@rare_closed
def rare_pessimism_closed(moved: float, rare: Uncovered) -> float:
    """``rare_pessimism`` at the margins that are tried."""
    margins = (MARGIN_SHARES * rare.reward_bound).tolist()
    return rare_pessimism(moved, rare.reward_bound, _heaviest(rare), margins)


def rare_dpo_at(moved: float, rare: Uncovered) -> float:
    """``rare_dpo`` in the family of ``rare_direction``."""
    end = -float(rare_direction(rare.reward_bound)[0])
    return rare_dpo(moved, end, WEIGHT * end, rare.kl_weight, rare.masses)


rare_dpo_closed = rare_closed(rare_dpo_at)


def _heaviest(rare: Uncovered) -> float:
    """The mass that has two rungs above it, so that it can be seen to be the worst."""
    return rare.masses[1] / rare.ratio**2


def mean_estimation(case: RobustCase[Any]) -> float:
    """E|θ̂ − θ_true| of n labels."""
    truth, bound = _truth(case), case.world.radius
    return expected_error(case, lambda rate: np.abs(margin_of(rate, bound) - truth))


def mean_dpo(case: RobustCase[Any]) -> float:
    """E|J(π*) − J(π̂)| of n labels of two responses."""
    truth, world = _truth(case), case.world
    beta = world.policies.kl_weight
    return expected_error(case, lambda rate: dpo_gap_at(rate, truth, world.radius, beta))


def _truth(case: RobustCase[Any]) -> float:
    """⟨x, θ_true⟩ of the one cell."""
    return float(case.world.reward_diff[0])


def sampled_error(case: RobustCase[PairWorld], rng: Any, replicates: int) -> np.ndarray:
    """(R,) ‖θ̂ − θ_true‖₂ of n labels."""
    return estimation_error(case, rng, replicates).numpy()


def sampled_loss(case: RobustCase[PairWorld], rng: Any, replicates: int) -> np.ndarray:
    """(R,) what greedy RLHF loses on the cell's own margin, the attack aiming at its sign."""
    counts, world = true_counts(case, rng, replicates), case.world
    x, margin = world.coordinates, float(world.reward_diff[0])
    mass, zero = counts.pairs / case.n_pairs, 0 * world.truth
    target = LogisticTarget(x, mass, zero, world.radius, -x[None], 2 * world.radius)
    found = fitted(case, target, counts, rng, world.truth) @ x[0]
    return margin * (found <= 0).double().numpy()


def sampled_ratio(quantity: str, number: Number) -> Measure:
    """(R,) error under the case's order over the mean error under the other, n labels each."""

    def ratio(case: SeparationCase, m: Method, rng: np.random.Generator, replicates: int) -> Any:
        above, below = (
            number(m.run(under(case, order)), rng, replicates)
            for order in (case.order, case.against)
        )
        return above / below.mean()

    return Measure(quantity, per_method(ratio), Evidence.MEASURED)
