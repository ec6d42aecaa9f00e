"""Steps of the minimax floor in random cases, left over right side, and planted faults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.families.robust.bounds_cases import PricedCase, RandomCells, priced
from repro.families.robust.bounds_modulus import halfspace_floor, hidden_pair, modulus, two_regimes
from repro.families.robust.quantities_minimax import halfspace_on_line
from repro.families.robust.worlds_pairs import PairWorld, orthogonal_cells, random_pair_world
from repro.study.case import PointCase
from repro.study.row import Method, method

BOUNDS, MOVED = np.linspace(0.05, 10.0, 12), np.geomspace(1e-8, 1e-1, 29)
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
