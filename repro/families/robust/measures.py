"""Floors and errors as measures: each method changes the case, and the same number is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from repro.corruption.orders import Order
from repro.families.robust.quantities_floors import GreedyCase
from repro.study.row import Evidence, Measure, Method, per_method

Number = Callable[[Any, Any, int], Any]
"""(case, stream, replicates) → (R,) array or one number; no stream where nothing is drawn."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SeparationCase(GreedyCase):
    """Floors under two orders in the same world.

    Attributes:
        against: the order whose floor divides that of ``order``.
    """

    against: Order


@lru_cache(maxsize=4096)
def exactly(number: Number, case: Any) -> Any:
    """A number of infinitely many labels: nothing is drawn, so every block shares it."""
    return number(case, None, 1)


@lru_cache(maxsize=4096)
def changed(case: Any, method: Method) -> Any:
    """The case as a method changes it, the same object every time."""
    return method.run(case)


def alike(case: Any, found: Any) -> Any:
    """The first of all that a case was changed to that has the fields of this one.

    With the orders swapped the same two floors are asked for, in other places.
    """
    return _first_alike(case, _Fields(found))


@lru_cache(maxsize=4096)
def _first_alike(case: Any, found: _Fields) -> Any:
    return found.case


class _Fields:
    """A case that equals another of the same fields."""

    def __init__(self, case: Any) -> None:
        self.case = case
        self._key = type(case), *(getattr(case, one.name) for one in fields(case))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fields) and self._key == other._key


def over_claimed(quantity: str, number: Number) -> Measure:
    """An exact number of the case as each method changes it, over what is claimed of the case."""

    def ratio(case: Any, m: Method, rng: np.random.Generator, replicates: int) -> Any:
        return exactly(number, changed(case, m)) / _nonzero(case.claimed)

    return Measure(quantity, per_method(ratio), Evidence.EXACT)


def sampled_over_claimed(quantity: str, number: Number) -> Measure:
    """(R,) draws of a number over what is claimed of the case."""

    def ratio(case: Any, m: Method, rng: np.random.Generator, replicates: int) -> Any:
        return number(changed(case, m), rng, replicates) / case.claimed

    return Measure(quantity, per_method(ratio), Evidence.MEASURED)


def of_method(quantity: str, evidence: Evidence) -> Measure:
    """What a method itself finds, ``run(case, rng, replicates)``."""
    return Measure(
        quantity,
        per_method(lambda case, m, rng, replicates: m.run(case, rng, replicates)),
        evidence,
    )


@lru_cache(maxsize=4096)
def under(case: SeparationCase, order: Order) -> SeparationCase:
    """The case under another order, the same object every time."""
    return replace(case, order=order)


def ratio_of_orders(
    quantity: str, floor: Number, unit: Callable[[SeparationCase], float] = lambda case: 1.0
) -> Measure:
    """What the order of privacy and corruption costs: a ratio of exact floors, over a unit."""

    def ratio(case: SeparationCase, m: Method, rng: np.random.Generator, replicates: int) -> Any:
        above = exactly(floor, alike(case, changed(case, m)))
        below = exactly(floor, alike(case, changed(under(case, case.against), m)))
        return above / _nonzero(below) / unit(case)

    return Measure(quantity, per_method(ratio), Evidence.EXACT)


def _nonzero(floor: Any) -> Any:
    """A floor to divide by; where there is none the ratio is none."""
    return np.where(floor == 0, np.nan, floor)
