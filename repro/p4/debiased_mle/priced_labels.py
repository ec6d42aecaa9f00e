"""Floors of Algorithm 1 at a given c(ε), in one world of label cells or in random ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Positive
from repro.labels.corruption.orders import Order
from repro.p4.corruption_floors.bounds import sharper_floor
from repro.p4.debiased_mle.estimation import estimation_error
from repro.p4.debiased_mle.labels import AttackedLabels, LabelsOfCells
from repro.p4.label_cells.pairs import PairWorld, orthogonal_cells, random_pair_world

TINY_RIDGE = 1e-14
"""λ → 0: the norm of the data."""


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


def tight_world(shift_mass: float, rng: np.random.Generator) -> PairWorld:
    """The rare cell whose label just can be turned from σ(−B′) to σ(B′) by ζα = shift_mass."""
    bound = rng.uniform(0.1, 1.0)
    mass = min(1.0, shift_mass / np.tanh(bound / 2))
    return orthogonal_cells([mass], [-bound], bound)


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedLabels(AttackedLabels):
    """Infinitely many labels at the price c(ε); ε follows from it.

    Attributes:
        privacy_cost: c(ε), above 1.
        stated: the order that bounds are stated for; the one in force unless given.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}.
    """

    privacy_cost: Positive
    stated: Order | None = None
    ridge: Positive = TINY_RIDGE

    @property
    def epsilon(self) -> float:  # type: ignore[override]
        """ε."""
        return epsilon_of_cost(self.privacy_cost)

    @property
    def flip_worth(self) -> float:
        """ζ that bounds are stated for: c(ε) under LTC, 1 under CTL."""
        return self.privacy_cost if (self.stated or self.order) is Order.LTC else 1.0

    def floor_in(self, world: PairWorld) -> Floor:
        """The floor of Algorithm 1 in a world of label cells."""
        error = float(estimation_error(LabelsOfCells.of(self, world))[0])
        return Floor(error, self.flip_worth, self.corruption, world.radius)

    def drawn_floor(self, cells: TightCells | RandomCells, rng: np.random.Generator) -> Floor:
        """The floor in a random world."""
        return self.floor_in(cells.cells(self.flip_worth * self.corruption, rng))


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedAnywhere(PricedLabels):
    """Such labels at a random c(ε).

    Attributes:
        privacy_costs: smallest and largest c(ε); log-uniform between them.
        privacy_cost: of the world as it stands; every case draws its own.
    """

    privacy_cost: Positive = 2.0
    privacy_costs: tuple[Positive, Positive]

    @property
    def cells(self) -> RandomCells:
        """Random worlds of label cells, and the law of c(ε)."""
        return RandomCells(self.privacy_costs)

    def priced(self, rng: np.random.Generator) -> "PricedAnywhere":
        """Such labels at a random ε, under either order half of the time."""
        cost = self.cells.cost(rng)
        order = (self.order, self.order.swapped)[rng.integers(2)]
        return replace(self, privacy_cost=cost, order=order)


def tight_floor(labels: PricedLabels, rng: np.random.Generator) -> Floor:
    """The floor in a rare cell on which the bound is tight, unless it needs mass above 1."""
    floor = labels.drawn_floor(TightCells(), rng)
    shift = labels.flip_worth * labels.corruption
    return replace(floor, tight=shift <= math.tanh(floor.reward_bound / 2))


FloorOver = Callable[[Floor], float]
"""A floor over some bound."""
