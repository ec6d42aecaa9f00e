"""Floors and errors as measures: each method changes the case, and the same number is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.corruption.orders import Order
from repro.families.robust.quantities_floors import GreedyCase
from repro.study.row import Evidence, Measure, Method, per_method

Number = Callable[[Any, np.random.Generator, int], Any]
"""(case, stream, replicates) → (R,) array or one number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SeparationCase(GreedyCase):
    """Floors under two orders in the same world.

    Attributes:
        against: the order whose floor divides that of ``order``.
    """

    against: Order


def of_changed_case(quantity: str, number: Number) -> Measure:
    """A number of the case as each method changes it."""
    return Measure(
        quantity,
        per_method(lambda case, m, rng, replicates: number(m.run(case), rng, replicates)),
        Evidence.MEASURED,
    )


def of_method(quantity: str, evidence: Evidence) -> Measure:
    """What a method itself finds, ``run(case, rng, replicates)``."""
    return Measure(
        quantity,
        per_method(lambda case, m, rng, replicates: m.run(case, rng, replicates)),
        evidence,
    )


def then(change: Method, number: Number) -> Method:
    """The method of ``of_method`` that takes a number of the case as another changes it."""
    return Method(
        change.name,
        lambda case, rng, replicates: number(change.run(case), rng, replicates),
        change.privacy_mistake,
    )


def ratio_of_orders(
    quantity: str, floor: Number, unit: Callable[[SeparationCase], float] = lambda case: 1.0
) -> Measure:
    """What the order of privacy and corruption costs: a ratio of floors, over a unit."""

    def ratio(case, method, rng, replicates):
        above = floor(method.run(case), rng, replicates)
        below = floor(method.run(replace(case, order=case.against)), rng, replicates)
        return above / below / unit(case)

    return Measure(quantity, per_method(ratio), Evidence.MEASURED)
