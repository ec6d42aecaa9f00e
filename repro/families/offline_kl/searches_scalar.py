"""Random cases of P1's scalar lemmas, most of them near where each lemma is tight.

A method makes of a case the lemma's left over right side; the wrong ones are planted faults.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.families.offline_kl.bounds_scalar import (
    binomial_excess,
    inverse_constant,
    inverse_slope,
    largest_root,
    lattice_crossing,
    log_likelihood_slope,
    sigmoid,
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
class PrivateSlope:
    """Slope of the private log likelihood between two points of [−B, B] (A.2)."""

    bound: float
    slope: float


def private_slope(bound: float, rng: np.random.Generator) -> PrivateSlope:
    """Two points, most of them near −B, and α near 1."""
    keep = 1 - 0.5 * 10 ** rng.uniform(-8, -0.01)
    x, y = _two_points(rng, bound)
    return PrivateSlope(bound, log_likelihood_slope(-x, -y, keep))


@method
def a_2(case: PrivateSlope) -> float:
    """Lemma A.2."""
    return case.slope / sigmoid(case.bound)


@method
def a_2_ten_percent(case: PrivateSlope) -> float:
    """Wrong: 0.9·σ(B)."""
    return case.slope / (OFF * sigmoid(case.bound))


@method
def a_2_sign(case: PrivateSlope) -> float:
    """Wrong: σ(−B)."""
    return case.slope / sigmoid(-case.bound)


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


@dataclass(frozen=True)
class Quadratic:
    """The premise x² ≤ a + bx (A.4)."""

    a: float
    b: float

    @property
    def square(self) -> float:
        """x² at the largest x that the premise allows."""
        return largest_root(self.a, self.b) ** 2


def quadratic(bound: float, rng: np.random.Generator) -> Quadratic:
    """b = 2B, and a from far below to above b²."""
    b = 2 * bound
    return Quadratic(b * b * 10 ** rng.uniform(-6, 2), b)


@method
def a_4(case: Quadratic) -> float:
    """Lemma A.4."""
    return case.square / (case.b * case.b + 2 * case.a)


@method
def a_4_ten_percent(case: Quadratic) -> float:
    """Wrong: 1.8a for 2a."""
    return case.square / (case.b * case.b + 2 * OFF * case.a)


@method
def a_4_sign(case: Quadratic) -> float:
    """Wrong: −2a for 2a."""
    return case.square / abs(case.b * case.b - 2 * case.a)


@dataclass(frozen=True)
class InverseSlope:
    """Inverse slope of the mean private label between two points of [−B, B] (A.8)."""

    bound: float
    keep: float
    slope: float


def slope_of_inverse(bound: float, rng: np.random.Generator) -> InverseSlope:
    """Two points, most of them near B."""
    keep = 0.5 + 0.5 * 10 ** rng.uniform(-6, 0)
    return InverseSlope(bound, keep, inverse_slope(*_two_points(rng, bound), keep))


@method
def a_8(case: InverseSlope) -> float:
    """Lemma A.8."""
    return case.slope / inverse_constant(case.bound, case.keep)


@method
def a_8_ten_percent(case: InverseSlope) -> float:
    """Wrong: 0.9 of the constant."""
    return case.slope / (OFF * inverse_constant(case.bound, case.keep))


@method
def a_8_at_zero(case: InverseSlope) -> float:
    """Wrong: the curvature at 0 in the place of that at B."""
    return case.slope / inverse_constant(0.0, case.keep)


def _two_points(rng: np.random.Generator, bound: float) -> tuple[float, float]:
    """Two points of [−B, B], at least 1e-5·B apart, near B in most cases."""
    near = 10 ** rng.uniform(-4, 0.3)
    x = bound * (1 - near * rng.uniform())
    y = x - bound * near * 10 ** rng.uniform(-1, 0)
    return x, y if y >= -bound else bound
