"""Random and extreme cases for inequalities about Algorithm 1."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import estimation_error
from repro.families.robust.bounds_floor import sharper_floor
from repro.families.robust.cases import RobustCase, W_co
from repro.families.robust.worlds_pairs import PairWorld, orthogonal_cells, random_pair_world

TINY_RIDGE = 1e-14


@dataclass(frozen=True)
class TightCells:
    """The rare cell on which the sharper bound is tight, B′ random.

    Attributes:
        spread: by how much its mass is larger; above 1 the label is turned in part only.
    """

    spread: float = 1.0

    def cells(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """One world, where ζα is ``shift_mass``."""
        return tight_world(self.spread * shift_mass, rng)


@dataclass(frozen=True)
class RandomCells:
    """Random worlds of label cells, one in four the rare cell on which the bound is tight.

    The others have 2 to 5 cells, 1 to 3 features and B′ up to 4.

    Attributes:
        privacy_costs: smallest and largest c(ε), above 1; log-uniform between them.
    """

    privacy_costs: tuple[float, float]

    def cost(self, rng: np.random.Generator) -> float:
        """c(ε) of one case."""
        low, high = self.privacy_costs
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    def cells(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """One world; on the rare cell ζα is ``shift_mass``."""
        if rng.random() < 0.25:
            return tight_world(shift_mass, rng)
        bound = rng.uniform(0.1, 4.0)
        seed = int(rng.integers(2**31))
        return random_pair_world(int(rng.integers(2, 6)), int(rng.integers(1, 4)), bound, seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedCase(RobustCase[W_co]):
    """Exact floors at a given c(ε), or at one that the world draws.

    Attributes:
        cost: c(ε); ``epsilon`` is its inverse up to rounding.
        stated: the order that bounds are stated for; the case's own unless given.
    """

    cost: float = math.nan
    stated: Order | None = None
    ridge: float | None = TINY_RIDGE

    @property
    def flip_worth(self) -> float:
        """ζ: c(ε) under LTC, 1 under CTL."""
        return self.cost if (self.stated or self.order) is Order.LTC else 1.0


@dataclass(frozen=True)
class Floor:
    """The floor of Algorithm 1 on one instance, and what bounds on it are made of.

    Attributes:
        error: ‖θ̂ − θ_true‖_Σ̂ under attack.
        flip_worth: ζ.
        corruption: α.
        reward_bound: B′.
        tight: whether the cell is one on which the bound is tight.
    """

    error: float
    flip_worth: float
    corruption: float
    reward_bound: float
    tight: bool = False

    def over_bound(self) -> float:
        """Over √(2B′ζα/γ)."""
        return self.error / sharper_floor(self.flip_worth, self.corruption, self.reward_bound)

    def over_bound_without_cost(self) -> float:
        """Wrong under LTC: over the bound of CTL, ζ = 1."""
        return self.error / sharper_floor(1.0, self.corruption, self.reward_bound)


def exact_floor(case: PricedCase[PairWorld]) -> Floor:
    """The floor in the case's world under its order, of infinitely many labels."""
    error = float(estimation_error(case)[0])
    return Floor(error, case.flip_worth, case.corruption, case.world.radius)


def drawn_floor(case: PricedCase, rng: np.random.Generator) -> Floor:
    """The floor in a world that the case's random one draws."""
    world = case.world.cells(case.flip_worth * case.corruption, rng)
    return exact_floor(replace(case, world=world))


def tight_floor(case: PricedCase, rng: np.random.Generator) -> Floor:
    """The floor in a rare cell on which the bound is tight, unless it needs mass above 1."""
    found = drawn_floor(replace(case, world=TightCells()), rng)
    shift = case.flip_worth * case.corruption
    return replace(found, tight=shift <= math.tanh(found.reward_bound / 2))


def priced(case: PricedCase[RandomCells], rng: np.random.Generator) -> PricedCase[RandomCells]:
    """The case at a random ε, under either order half of the time."""
    cost = case.world.cost(rng)
    order = (case.order, case.order.swapped)[rng.integers(2)]
    return replace(case, cost=cost, epsilon=epsilon_of_cost(cost), order=order)


def random_floor(case: PricedCase[RandomCells], rng: np.random.Generator) -> Floor:
    """The floor in a random world at a random ε, under either order half of the time."""
    return drawn_floor(priced(case, rng), rng)


def tight_world(shift_mass: float, rng: np.random.Generator) -> PairWorld:
    """The rare cell whose label just can be turned from σ(−B′) to σ(B′) by ζα = shift_mass."""
    bound = rng.uniform(0.1, 1.0)
    mass = min(1.0, shift_mass / np.tanh(bound / 2))
    return orthogonal_cells([mass], [-bound], bound)
