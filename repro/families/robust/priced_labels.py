"""Floors of Algorithm 1 at a given c(ε), in one world of label cells or in random ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Positive
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import estimation_error
from repro.families.robust.bounds_cases import Floor, RandomCells, TightCells
from repro.families.robust.labels import AttackedLabels
from repro.families.robust.worlds_pairs import PairWorld

TINY_RIDGE = 1e-14
"""λ → 0: the norm of the data."""


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
        labels = PricedCells(
            world=world, privacy_cost=self.privacy_cost, stated=self.stated, ridge=self.ridge,
            corruption=self.corruption, adversary=self.adversary, spent=self.spent,
            order=self.order, reading=self.reading, labels=self.labels, channel=self.channel,
            estimate=self.estimate,
        )  # fmt: skip
        error = float(estimation_error(labels)[0])
        return Floor(error, self.flip_worth, self.corruption, world.radius)

    def drawn_floor(self, cells: TightCells | RandomCells, rng: np.random.Generator) -> Floor:
        """The floor in a random world."""
        return self.floor_in(cells.cells(self.flip_worth * self.corruption, rng))


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedCells(PricedLabels):
    """Such labels of given cells.

    Attributes:
        world: the label cells.
    """

    world: PairWorld


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
    found = labels.drawn_floor(TightCells(), rng)
    shift = labels.flip_worth * labels.corruption
    return replace(found, tight=shift <= math.tanh(found.reward_bound / 2))


FloorOver = Callable[[Floor], float]
"""A floor over some bound."""
