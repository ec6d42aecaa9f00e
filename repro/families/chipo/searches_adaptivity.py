"""Theorem 2 of price_of_adaptivity.md in its worlds, left over right side, and a planted fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.chipo.algorithms_adaptivity import Learner
from repro.families.chipo.worlds_unsaturated import RareBadArm
from repro.study.case import PointCase
from repro.study.row import Evidence, Measure, Method, method, per_method

BUDGETS, WEIGHTS = np.geomspace(0.1, 10, 5), 40
"""ε, and so many β, of the worlds of Theorem 2."""


def computed(cases: Callable[[float], Iterable[Any]]) -> Measure:
    """The largest left over right side in a fixed list of cases: a policy's value and a formula.

    Args:
        cases: swept value → what each method's ``run`` takes.
    """

    def largest(case: PointCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
        return max(m.run(one) for one in cases(case.value))

    return Measure("left side / right side", per_method(largest), Evidence.COMPUTED)


@dataclass(frozen=True)
class Imitation:
    """The world of Theorem 2.

    Attributes:
        world: reference and class.
        bias: ζα.
        kl_weight: β.
        constant: κ₀ of the loss.
    """

    world: RareBadArm
    bias: float
    kl_weight: float
    constant: float

    @cached_property
    def gap(self) -> float:
        """Of the second policy."""
        return float(self.world.policy(self.kl_weight, self.world.rewards[1])[2])


def imitations(learner: Learner, constant: float) -> Callable[[float], Iterator[Imitation]]:
    """Worlds of a learner at a given ζα, ε from .1 to 10, β from the least that matters to ½."""

    def at(bias: float) -> Iterator[Imitation]:
        for epsilon, kl_weight in product(BUDGETS, np.geomspace(bias**2 / 20, 0.5, WEIGHTS)):
            world = learner.world(bias, privacy_cost(float(epsilon)))
            yield Imitation(world, bias, float(kl_weight), constant)

    return at


@method
def imitated(case: Imitation) -> float:
    """Theorem 2: min{½, κ₀·(ζα)²/β} over the gap of the second policy."""
    return min(0.5, case.constant * case.bias**2 / case.kl_weight) / case.gap


@method
def imitated_twice(case: Imitation) -> float:
    """Wrong: twice the bound."""
    return 2 * imitated.run(case)
