"""Steps of the minimax floor in random cases, left over right side, and planted faults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.families.robust.bounds_cases import PricedCase, RandomCells, priced
from repro.families.robust.bounds_modulus import (
    halfspace_floor,
    hidden_pair,
    modulus,
    saturation,
    two_regimes,
    win_difference,
    worst_step,
)
from repro.families.robust.quantities_minimax import halfspace_on_line
from repro.families.robust.worlds_pairs import PairWorld, orthogonal_cells, random_pair_world
from repro.study.case import PointCase
from repro.study.row import Method, method

CELLS = 4
TIGHT_SHARE = 0.25
"""Share of cases in which one pair of margins stands where t²/p(t) is largest."""
LARGEST_BOUND = 10.0


@dataclass(frozen=True)
class TwoParameters:
    """Margins of orthogonal cells under two parameters.

    Attributes:
        reward_bound: B′.
        mass: (C,) probabilities.
        first: (C,) margins in [−B′, B′].
        second: (C,) margins in [−B′, B′].
    """

    reward_bound: float
    mass: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def squared(self) -> float:
        """‖θ − θ′‖² in the norm of the data."""
        return float(self.mass @ (self.first - self.second) ** 2)

    @property
    def moved(self) -> float:
        """E|σ(u) − σ(t)|: the labels that tell the two apart."""
        return float(self.mass @ win_difference(self.first, self.second))


def two_parameters(reward_bound: float, rng: np.random.Generator) -> TwoParameters:
    """Random margins, many of them near an end; a quarter of the cases tight."""
    mass = rng.dirichlet(np.ones(CELLS))
    ends = reward_bound * rng.choice([-1.0, 1.0], CELLS)
    step = 2 * reward_bound * rng.random(CELLS) ** rng.choice([1, 2, 8])
    if rng.random() < TIGHT_SHARE:
        step = np.zeros(CELLS)
        step[mass.argmin()] = worst_step(reward_bound) * rng.choice([1.0, 0.5, 0.1])
    start = np.where(rng.random(CELLS) < 0.5, ends, rng.uniform(-1, 1, CELLS) * reward_bound)
    start = np.where(step == step.max(), ends, start)
    second = np.clip(start - np.sign(ends) * step, -reward_bound, reward_bound)
    return TwoParameters(reward_bound, mass, start, second)


def _each(ratio: Any) -> Any:
    """(R,) ratios of as many random cases."""

    def run(case: PointCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return np.array([ratio(two_parameters(case.value, rng)) for _ in range(replicates)])

    return run


def over_saturation(one: TwoParameters) -> float:
    """‖θ − θ′‖²/(g·E|σ − σ′|)."""
    return one.squared / (saturation(one.reward_bound) * one.moved)


def over_modulus(one: TwoParameters) -> float:
    """‖θ − θ′‖/ω(E|σ − σ′|, ξ), ξ the least mass."""
    return one.squared**0.5 / modulus(one.moved, one.reward_bound, float(one.mass.min()))


separation = Method("separation", _each(over_saturation))
separation_ten_percent = Method("separation_ten_percent", _each(lambda x: over_saturation(x) / 0.9))
covered_separation = Method("covered_separation", _each(over_modulus))
covered_ten_percent = Method("covered_ten_percent", _each(lambda x: over_modulus(x) / 0.9))


BOUNDS, MOVED = np.linspace(0.05, LARGEST_BOUND, 12), np.geomspace(1e-8, 1e-1, 29)
"""B′ and Z of the two regimes."""


def _regimes(coverage: float) -> list[float]:
    """ω over min{Z/(γ√ξ), √(Zg)} at every B′ and Z."""
    numbers = [(float(z), float(b), coverage) for z in MOVED for b in BOUNDS]
    return [modulus(*one) / two_regimes(*one) for one in numbers]


@method
def regimes_above(case: PointCase, rng: np.random.Generator, replicates: int) -> float:
    """ω ≤ min{Z/(γ√ξ), √(Zg)}."""
    return max(_regimes(case.value))


@method
def regimes_above_ten_percent(case: PointCase, rng, replicates: int) -> float:
    """Wrong: nine tenths of the minimum."""
    return max(_regimes(case.value)) / 0.9


@method
def regimes_below(case: PointCase, rng: np.random.Generator, replicates: int) -> float:
    """min{Z/(γ√ξ), √(Zg)} ≤ 2ω."""
    return 0.5 / min(_regimes(case.value))


@method
def regimes_never_meet(case: PointCase, rng: np.random.Generator, replicates: int) -> float:
    """Wrong: the minimum is at most 1.25·ω, as if the corner were sharp."""
    return 0.8 / min(_regimes(case.value))


@dataclass(frozen=True)
class RandomLine(RandomCells):
    """Random worlds of one feature, half of them a rare cell of the mass that costs most."""

    def cells(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """One world, where ζα is ``shift_mass``."""
        bound = rng.uniform(0.1, 6.0)
        if rng.random() < 0.5:
            mass, _ = hidden_pair(shift_mass, bound)
            return orthogonal_cells([min(1.0, mass)], [-bound], bound)
        seed, cells = int(rng.integers(2**31)), int(rng.integers(2, 6))
        return random_pair_world(cells, 1, bound, seed)


def _line(worth: Any, share: float) -> Any:
    def run(case: PricedCase[RandomLine], rng: np.random.Generator, replicates: int) -> np.ndarray:
        return np.array([_over_floor(case, rng, worth, share) for _ in range(replicates)])

    return run


def _over_floor(case: Any, rng: np.random.Generator, worth: Any, share: float) -> float:
    one: Any = priced(case, rng)
    world = one.world.cells(one.flip_worth * one.corruption, rng)
    moved = worth(one) * one.corruption
    return halfspace_on_line(replace(one, world=world)) / (
        share * halfspace_floor(moved, world.radius)
    )


halfspace = Method("halfspace", _line(lambda one: one.flip_worth, 1.0))
"""(R,) floors of the halfspace estimator over √(2Zg)."""
halfspace_two_thirds = Method("halfspace_two_thirds", _line(lambda one: one.flip_worth, 2 / 3))
"""Wrong: two thirds of the bound."""
halfspace_without_cost = Method("halfspace_without_cost", _line(lambda one: 1.0, 1.0))
"""Wrong under LTC: ζ = 1."""
