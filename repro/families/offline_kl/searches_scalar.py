"""Random cases of P1's martingale lemmas, most of them near where each lemma is tight.

A method makes of a case the lemma's left over right side; the wrong ones are planted faults.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.families.offline_kl.bounds_scalar import (
    binomial_excess,
    lattice_crossing,
    walk_crossing,
)
from repro.study.row import method

OFF = 0.9
"""A planted constant, 10 % too small."""
HEADROOM = 200
"""Lattice states below the start: a martingale that falls so far hardly comes back."""


@dataclass(frozen=True)
class Martingale:
    """Random state-dependent bets on a lattice (A.1).

    Attributes:
        horizon: T.
        log_unit: log of the lattice's unit.
        target: log(1/δ) in units, just below a lattice point.
        boldness: largest step of a bet.
        seeds: of the bets, for the lemma and for its planted fault.
    """

    horizon: int
    log_unit: float
    target: float
    boldness: int
    seeds: tuple[int, int]

    def crossing_over_delta(self, share: float, seed: int) -> float:
        """P(the sum exceeds share·log(1/δ)) over δ, with the bets of a seed."""
        reached = math.floor(share * self.target) + 1
        shape = (2, reached + HEADROOM)
        bets = np.random.default_rng(seed).integers(1, self.boldness + 1, shape)
        crossing = lattice_crossing(bets[0], bets[1], self.log_unit, reached, self.horizon)
        return crossing / math.exp(-self.target * self.log_unit)


def martingale(horizon: float, rng: np.random.Generator) -> Martingale:
    """A martingale with random bets."""
    log_unit, level = 10 ** rng.uniform(-1, -0.3), int(rng.integers(10, 31))
    boldness = int(rng.integers(1, 6))
    seeds = int(rng.integers(2**32)), int(rng.integers(2**32))
    return Martingale(int(horizon), log_unit, level - 0.01, boldness, seeds)


@method
def a_1(case: Martingale) -> float:
    """Lemma A.1."""
    return case.crossing_over_delta(1.0, case.seeds[0])


@method
def a_1_ten_percent(case: Martingale) -> float:
    """Wrong: the boundary 0.9·log(1/δ)."""
    return case.crossing_over_delta(OFF, case.seeds[1])


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


def bounded_sum(horizon: float, rng: np.random.Generator) -> Sum:
    """A stopped ±1 walk or a skewed binomial, δ down to e^−40."""
    log_delta = 10 ** rng.uniform(-3, 1.6)
    skewed = bool(rng.uniform() < 0.3)
    prob = 10 ** rng.uniform(-3, -0.01) if skewed else 0.5
    return Sum(int(horizon), log_delta, skewed, prob)


@method
def a_3(case: Sum) -> float:
    """Lemma A.3."""
    return case.crossing_over_delta(2)


@method
def a_3_ten_percent(case: Sum) -> float:
    """Wrong: 1.8 for 2."""
    return case.crossing_over_delta(2 * OFF)
