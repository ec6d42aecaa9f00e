"""Cases of P1's martingale lemmas, most of them near where each lemma is tight.

A method makes of a case the lemma's left over right side; the wrong ones are planted faults.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from repro.families.offline_kl.bounds_scalar import binomial_excess, lattice_crossing, walk_crossing
from repro.study.row import method

OFF = 0.9
"""A planted constant, 10 % too small."""
HEADROOM = 200
"""Lattice states below the start: a martingale that falls so far hardly comes back."""


@dataclass(frozen=True)
class Martingale:
    """State-dependent bets on a lattice (A.1).

    Attributes:
        horizon: T.
        log_unit: log of the lattice's unit.
        target: log(1/δ) in units, just below a lattice point.
        boldness: largest step of a bet.
    """

    horizon: int
    log_unit: float
    target: float
    boldness: int

    def crossing_over_delta(self, share: float) -> float:
        """P(the sum exceeds share·log(1/δ)) over δ; bets go up and down by turns of their own."""
        reached = math.floor(share * self.target) + 1
        place = np.arange(reached + HEADROOM)
        up, down = 1 + place % self.boldness, 1 + 3 * place % (self.boldness + 1)
        crossing = lattice_crossing(up, down, self.log_unit, reached, self.horizon)
        return crossing / math.exp(-self.target * self.log_unit)


def martingales(horizon: float) -> Iterator[Martingale]:
    """Small and large units, near and far targets, shy and bold bets."""
    for log_unit, level, boldness in product((0.1, 0.25, 0.5), (10, 20, 30), (1, 2, 5)):
        yield Martingale(int(horizon), log_unit, level - 0.01, boldness)


@method
def a_1(case: Martingale) -> float:
    """Lemma A.1."""
    return case.crossing_over_delta(1.0)


@method
def a_1_ten_percent(case: Martingale) -> float:
    """Wrong: the boundary 0.9·log(1/δ)."""
    return case.crossing_over_delta(OFF)


@dataclass(frozen=True)
class Sum:
    """A stopped ±1 walk or a centred skewed binomial (A.3).

    Attributes:
        count: number of terms.
        log_delta: log(1/δ).
        skewed: a binomial, not a walk.
        prob: of success.
    """

    count: int
    log_delta: float
    skewed: bool
    prob: float

    def crossing_over_delta(self, two: float) -> float:
        """P(the sum exceeds √(two·v·L) + ⅔ML) over e^−L."""
        variance, largest = self._variance_and_largest
        boundary = math.sqrt(two * variance * self.log_delta) + 2 / 3 * largest * self.log_delta
        return self._crossing(boundary) * math.exp(self.log_delta)

    @property
    def _variance_and_largest(self) -> tuple[float, float]:
        if not self.skewed:
            return self.count, 1.0
        return self.count * self.prob * (1 - self.prob), max(self.prob, 1 - self.prob)

    def _crossing(self, boundary: float) -> float:
        if self.skewed:
            return binomial_excess(self.count, self.prob, boundary)
        return walk_crossing(self.count, boundary)


def bounded_sums(horizon: float) -> Iterator[Sum]:
    """A stopped ±1 walk and skewed binomials, δ from .999 down to e^−40."""
    for log_delta in np.geomspace(1e-3, 40, 60):
        yield Sum(int(horizon), float(log_delta), False, 0.5)
        for prob in (1e-3, 1e-2, 0.1, 0.5, 0.9):
            yield Sum(int(horizon), float(log_delta), True, prob)


@method
def a_3(case: Sum) -> float:
    """Lemma A.3."""
    return case.crossing_over_delta(2)


@method
def a_3_ten_percent(case: Sum) -> float:
    """Wrong: 1.8 for 2."""
    return case.crossing_over_delta(2 * OFF)
