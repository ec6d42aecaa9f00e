"""Floors under two orders of privacy and corruption, at one ε or at every ε of a list.

Infinitely many labels: nothing is drawn.  In one cell, and for rare pairs of every mass, floors are
held against their closed forms at any α (`one_cell`, `closed_forms`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import Number, Positive
from repro.core.check import Algorithm, Quantity
from repro.labels.corruption.orders import Order
from repro.p4.corruption_floors.one_cell import (
    Certain,
    Strong,
    dpo_at,
    estimation_at,
    greedy_at,
    pessimism_at,
)
from repro.p4.corruption_floors.rare_labels import AttackedRarePairs, RarePairLabels
from repro.p4.corruption_floors.rare_pairs import Uncovered
from repro.p4.debiased_mle.labels import AttackedPairs, ClimbingMargin, Measured

Budget = Annotated[Number, Field(ge=0.01, le=20)]
"""One ε of a list; an infinite one has no separation."""


# Worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ComparedPairs(ClimbingMargin):
    """Labels of the cells of an instance, under two orders.

    Attributes:
        against: the order whose floor divides that of ``order``.
    """

    against: Order = Order.CTL

    def __post_init__(self) -> None:
        super().__post_init__()
        most = self.adversary.most_cells
        # cells are counted, and an instance built, where it matters only
        if math.isfinite(most) and (cells := len(self.stated.cell_prob)) > most:
            allowed = f"allowed: at most {most} label cells, the instance has {cells}"
            raise BadInput("adversary", self.adversary.name, allowed)


@dataclass(frozen=True, kw_only=True)
class ComparedRarePairs(RarePairLabels):
    """Labels of rare pairs of every mass, under two orders.

    Attributes:
        against: the order whose floor divides that of ``order``.
    """

    against: Order = Order.CTL


@dataclass(frozen=True, kw_only=True)
class PairsAtBudgets(AttackedPairs):
    """One cell, under two orders and at every ε of a list.

    Attributes:
        epsilons: the list.
        margins: smallest and largest margin of the ladder that its reward difference climbs.
        against: the order whose floor divides that of ``order``.
    """

    epsilons: Annotated[tuple[Budget, ...], Field(min_length=1)]
    margins: tuple[Positive, Positive]
    against: Order = Order.CTL

    def at(self, epsilon: float) -> ComparedPairs:
        """The cell at one ε."""
        return ComparedPairs(epsilon=epsilon, **_but_epsilons(self))


@dataclass(frozen=True, kw_only=True)
class RarePairsAtBudgets(AttackedRarePairs):
    """Rare pairs of every mass, likewise.

    Attributes:
        epsilons: the list.
        against: the order whose floor divides that of ``order``.
    """

    epsilons: Annotated[tuple[Budget, ...], Field(min_length=1)]
    against: Order = Order.CTL

    def at(self, epsilon: float) -> ComparedRarePairs:
        """The pairs at one ε."""
        return ComparedRarePairs(epsilon=epsilon, **_but_epsilons(self))


def _but_epsilons(world: Any) -> dict[str, Any]:
    own = {field.name: getattr(world, field.name) for field in fields(world)}
    return {name: value for name, value in own.items() if name != "epsilons"}


Compared = ComparedPairs | ComparedRarePairs
AtBudgets = PairsAtBudgets | RarePairsAtBudgets


# Closed forms ------------------------------------------------------------------------------------

Closed = Callable[[Any, float], float]
"""(world, ζ) → the floor in closed form; NaN where the whole class is lost."""
InOneCell = Callable[[Strong | Certain, float, PairsAtBudgets], float]
"""(attacker, ζ, world) → the same."""


def by_strong(form: InOneCell) -> Closed:
    """A floor of one cell that the strong adversary attacks."""

    def closed(world: PairsAtBudgets, worth: float) -> float:
        return form(_strong(world), worth, world)

    return closed


def by_huber(form: InOneCell) -> Closed:
    """A floor of one cell under Huber's corruption."""

    def closed(world: PairsAtBudgets, worth: float) -> float:
        return form(Certain(world.corruption), worth, world)

    return closed


def estimation_closed(attacker: Any, worth: float, world: PairsAtBudgets) -> float:
    """``estimation_at`` in the world's cell."""
    return estimation_at(attacker, worth, _truth(world), world.stated.radius)


def greedy_closed(attacker: Any, worth: float, world: PairsAtBudgets) -> float:
    """``greedy_at`` on the world's ladder."""
    return greedy_at(attacker, worth, world.margins[1])


def pessimism_closed(attacker: Any, worth: float, world: PairsAtBudgets) -> float:
    """``pessimism_at`` on the world's ladder."""
    return pessimism_at(attacker, worth, world.margins)


def dpo_closed(attacker: Any, worth: float, world: PairsAtBudgets) -> float:
    """``dpo_at`` of the world's two responses."""
    bend = world.stated.policies.kl_weight
    return dpo_at(attacker, worth, _truth(world), world.stated.radius, bend)


def of_rare(form: Callable[[float, Uncovered], float]) -> Closed:
    """A floor of (Z, rare pairs) that the strong adversary attacks."""

    def closed(world: RarePairsAtBudgets, worth: float) -> float:
        return form(world.corruption * worth, world.stated)

    return closed


def closed_ratio(world: AtBudgets, closed: Closed, epsilon: float) -> float:
    """The floor of LTC over that of CTL."""
    return closed(world, privacy_cost(epsilon)) / closed(world, 1.0)


def _strong(world: PairsAtBudgets) -> Strong:
    """The formulas' own copy of the adversary, who knows the cell's mass."""
    return Strong(world.corruption, float(world.stated.cell_prob[0]))


def _truth(world: PairsAtBudgets) -> float:
    """⟨x, θ_true⟩ of the one cell."""
    return float(world.stated.reward_diff[0])


# Quantities --------------------------------------------------------------------------------------


def of_floors(
    words: str, floor: Measured, of: Callable[..., Any],
    over: Callable[[Any], float] | None = None,
) -> Quantity:  # fmt: skip
    """A number of floors of worlds.

    Args:
        words: what it is.
        floor: of a world.
        of: (its floors, world, algorithm) → the number.
        over: what it is divided by.
    """

    def together(
        worlds: Sequence[Any], algorithms: Sequence[Algorithm], rngs: Any, replicates: int
    ) -> list[list[Any]]:
        # with the orders swapped the same two floors are asked for, in other places
        floor_of = cache(lambda world: floor(world, None, 1))
        return [[of(floor_of, world, algorithm) for algorithm in algorithms] for world in worlds]

    return Quantity(words, together=together, evidence="exact", over=over)


FloorOf = Callable[[Any], Any]
"""World → its floor."""


def of_two_orders(floor_of: FloorOf, world: Compared, change: Algorithm) -> Any:
    """What the order of privacy and corruption costs."""
    above = floor_of(change(world))
    return above / _nonzero(floor_of(change(replace(world, order=world.against))))


def ratio_of_orders(words: str, floor: Measured) -> Quantity:
    """What the order costs in one floor."""
    return of_floors(words, floor, of_two_orders)


def farthest_ratio(words: str, floor: Measured, closed: Closed) -> Quantity:
    """Ratio of floors over the closed one, at the ε of the list where they are furthest apart.

    An ε without a closed form, where the whole class is lost, is passed over.
    """

    def farthest(floor_of: FloorOf, world: AtBudgets, change: Algorithm) -> float:
        def at(epsilon: float, order: Order) -> float:
            floor = floor_of(change(replace(world.at(epsilon), order=order)))
            return float(_nonzero(np.asarray(floor).item()))

        claimed = {epsilon: closed_ratio(world, closed, epsilon) for epsilon in world.epsilons}
        ratios = [
            at(epsilon, world.order) / at(epsilon, world.against) / ratio
            for epsilon, ratio in claimed.items()
            if math.isfinite(ratio)
        ]
        return max(ratios, key=lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf)

    return of_floors(f"{words} / closed form", floor, farthest)


def _nonzero(floor: Any) -> Any:
    """A floor to divide by; where there is none the ratio is none."""
    return np.where(floor == 0, np.nan, floor)
