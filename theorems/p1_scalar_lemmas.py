"""P1 Lemmas A.1, A.2, A.3, A.4 and A.8: the concentration and calculus under the theorems.

Statements (arXiv 2510.13512, appendix A):

    A.1   P(∃T′ ≤ T: Σ X_t > Σ log E_{t−1}[e^X_t] + log(1/δ)) ≤ δ, X adapted;
    A.2   |f(a) − f(b)| ≤ σ(B)·|a − b| on [−B, B], f = log(ασ + (1−α)(1−σ)), α in (½, 1);
    A.3   Freedman: P(Σ X_i > √(2v·log(1/δ)) + (2/3)M·log(1/δ)) ≤ δ for |X_i| ≤ M, Σ E[X²] ≤ v;
    A.4   x² ≤ a + bx, a, b ≥ 0, implies x² ≤ b² + 2a;
    A.8   |x − x′| ≤ (e^−B + 2 + e^B)/(2(2α−1))·|f(x) − f(x′)| on [−B, B], f = (2σ−1)(2α−1).

Each check reports the largest left over right side (max_ratio): all five are sharp, so a constant
10 % too small is found by the same code; it is the control of each check, with a flipped sign where
there is one.

A.1 and A.3 are computed, on a fixed list of laws whose probabilities are exact, not simulated, and
most of which are near where the lemma is tight.  A.1: martingales on a lattice with state-dependent
bets, by dynamic programming; their mean E[e^X] is 1.  A.3: a ±1 walk that stops at the boundary, by
reflection (its Σ E[X²] ≤ n), and centred skewed binomials.  The constant 2 in √(2v·log(1/δ)) shows
its worth only at small δ, so cases go down to δ = e^−40; 1.8 is then refuted.

A slip that changes nothing: A.3 conditions on 𝒢_i, for which X_i is measurable; 𝒢_{i−1} is meant.
A.2, A.4 and A.8 are proved, by intervals over the whole box.  What would refute a check: one case
above 1.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from repro.base.schema import Pairs, RewardBound
from repro.base.tails import binomial_above
from repro.core.check import Check, Quantity, Theorem, named
from repro.core.claims import Inequality
from repro.core.proofs import (
    Claimed,
    Interval,
    interval_inverse_slope,
    interval_sigmoid,
    iv,
    proof_of,
    slope_between,
)
from repro.core.random_cases import listed
from repro.labels.preferences.label_information import sigmoid, sigmoid_difference

OFF = 0.9
"""A planted constant, 10 % too small."""
HEADROOM = 200
"""Lattice states below the start: a martingale that falls so far hardly comes back."""
FAR = 1e6
"""Largest root, in units of what it is compared with."""
LOGS_OF_DELTA = np.geomspace(1e-3, 40, 60)
"""log(1/δ), δ from .999 down to e^−40."""


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class NumberOfTerms:
    """So many terms.

    Attributes:
        horizon: T.
    """

    horizon: Pairs


@dataclass(frozen=True, kw_only=True)
class BoundedDifferences:
    """Differences in [−B, B].

    Attributes:
        reward_bound: B.
    """

    reward_bound: RewardBound


# A.1: martingales on a lattice -------------------------------------------------------------------


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


def martingales(world: NumberOfTerms) -> list[Martingale]:
    """Small and large units, near and far targets, shy and bold bets."""
    return [
        Martingale(world.horizon, log_unit, level - 0.01, boldness)
        for log_unit, level, boldness in product((0.1, 0.25, 0.5), (10, 20, 30), (1, 2, 5))
    ]


def a_1(case: Martingale) -> float:
    """Lemma A.1."""
    return case.crossing_over_delta(1.0)


def a_1_ten_percent(case: Martingale) -> float:
    """Wrong: the boundary 0.9·log(1/δ)."""
    return case.crossing_over_delta(OFF)


# A.3: bounded sums -------------------------------------------------------------------------------


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


def bounded_sums(world: NumberOfTerms) -> list[Sum]:
    """A stopped ±1 walk and skewed binomials, δ from .999 down to e^−40."""
    walks = [Sum(world.horizon, float(value), False, 0.5) for value in LOGS_OF_DELTA]
    skewed = product(LOGS_OF_DELTA, (1e-3, 1e-2, 0.1, 0.5, 0.9))
    return walks + [Sum(world.horizon, float(value), True, prob) for value, prob in skewed]


def a_3(case: Sum) -> float:
    """Lemma A.3."""
    return case.crossing_over_delta(2)


def a_3_ten_percent(case: Sum) -> float:
    """Wrong: 1.8 for 2."""
    return case.crossing_over_delta(2 * OFF)


# Exact crossings ---------------------------------------------------------------------------------


def lattice_crossing(
    up: np.ndarray, down: np.ndarray, log_unit: float, level: int, horizon: int
) -> float:
    """P(M reaches u^level within T rounds) for a positive martingale M on powers of u.

    M starts at 1.  In state u^k it moves to u^(k+up) or u^(k−down), with the chance that keeps
    its mean; it stays where it is once it reaches the level or the lowest state.  With
    X = log M_t − log M_{t−1} the mean of e^X is 1, so this is the event of P1's Lemma A.1.

    Args:
        up: (K,) steps up by state, lowest state first, at least 1.
        down: (K,) steps down, at least 1.
        log_unit: log u > 0.
        level: target k > 0; states run from level − K to level − 1.
        horizon: T.
    """
    states = len(up)
    place = np.arange(states)
    to_up = np.minimum(place + up, states)
    to_down = np.maximum(place - down, 0)
    rise, fall = np.expm1((to_up - place) * log_unit), np.expm1((to_down - place) * log_unit)
    chance = -fall / (rise - fall)
    mass = np.zeros(states + 1)
    mass[states - level] = 1.0
    for _ in range(horizon):
        after = np.bincount(to_up, mass[:-1] * chance, states + 1)
        after += np.bincount(to_down, mass[:-1] * (1 - chance), states + 1)
        after[-1] += mass[-1]
        mass = after
    return float(mass[-1])


def walk_crossing(steps: int, boundary: float) -> float:
    """P(max of a ±1 walk over n steps > boundary), by the reflection principle."""
    level = math.floor(boundary) + 1
    return sum(
        float(binomial_above(math.ceil((steps + k) / 2) - 1, steps, 0.5))
        for k in (level, level + 1)
    )


def binomial_excess(count: int, prob: float, boundary: float) -> float:
    """P(Bin(n, p) − np > boundary)."""
    return float(binomial_above(math.floor(count * prob + boundary), count, prob))


# A.2, A.4 and A.8: proofs by intervals -----------------------------------------------------------


def a_2(world: BoundedDifferences, share: float = 1.0, sign: float = 1.0) -> Claimed:
    """(log(1 − α + (2α−1)σ))′ over share·σ(±B) (A.2), the signal 2α − 1 in (0, 1]."""
    bound = world.reward_bound

    def ratio(x: Interval, signal: Interval) -> Interval:
        odds = (1 / signal - 1) / 2 * (1 + iv.exp(-x))
        return interval_sigmoid(-x) / (1 + odds) / (share * interval_sigmoid(iv.mpf(sign * bound)))

    return Claimed((*slope_between(bound), (1e-6, 1.0)), ratio)


def a_4(world: BoundedDifferences) -> Claimed:
    """Largest x² of x² ≤ a + bx over b² + 2a (A.4); r = √(1 + 4a/b²), free of B.

    (b + br)²/4 over b² + b²(r²−1)/2 is 1 − (r−1)²/(2(1+r²)).
    """
    return Claimed(((1.0, FAR),), lambda r: 1 - (r - 1) ** 2 / (2 * (1 + r**2)))


def square_over(world: BoundedDifferences, factor: float) -> Claimed:
    """Wrong: over |b² + factor·a|."""

    def ratio(r: Interval) -> Interval:
        return (1 + r) ** 2 / abs(4 + factor * (r**2 - 1))

    return Claimed(((1.0, 1.5),), ratio)


def a_8(world: BoundedDifferences, share: float = 1.0, at: float | None = None) -> Claimed:
    """1/((2α−1)·2σ′) over share·(e^−B + 2 + e^B)/(2(2α−1)) (A.8); α cancels."""
    bound = world.reward_bound
    constant = interval_inverse_slope(iv.mpf(bound if at is None else at))
    return Claimed(slope_between(bound), lambda x: interval_inverse_slope(x) / (share * constant))


# What tests hold the proofs against: the lemmas' ratios at two points ----------------------------


def log_likelihood_slope(x: float, y: float, keep: float) -> float:
    """|f(x) − f(y)|/|x − y| for f = log(α·σ + (1−α)(1−σ)), α = keep in (½, 1) (Lemma A.2)."""
    signal = 2 * keep - 1
    base = 1 - keep + signal * sigmoid(y)
    return abs(math.log1p(signal * sigmoid_difference(x, y) / base) / (x - y))


def inverse_slope(x: float, y: float, keep: float) -> float:
    """|x − y|/|f(x) − f(y)| for f = (2σ−1)(2α−1) (Lemma A.8)."""
    return abs((x - y) / (2 * (2 * keep - 1) * sigmoid_difference(x, y)))


def inverse_constant(bound: float, keep: float) -> float:
    """(e^−B + 2 + e^B)/(2(2α−1)), the constant of Lemma A.8."""
    return (2 + 2 * math.cosh(bound)) / (2 * (2 * keep - 1))


def largest_root(a: float, b: float) -> float:
    """The largest x with x² ≤ a + b·x, for a, b ≥ 0 (Lemma A.4)."""
    return (b + math.sqrt(b * b + 4 * a)) / 2


# Quantities and claims ---------------------------------------------------------------------------


RATIO = "left side / right side"
MARTINGALES = listed(RATIO, martingales)
SUMS = listed(RATIO, bounded_sums)
PROVED = Quantity(RATIO, proof_of, evidence="proved")

THEOREM = Theorem(
    title="P1 Lemmas A.1–A.4, A.8: concentration and calculus",
    checks=[
        Check(name="ville", axis="horizon", claim=Inequality("A.1: P(crossing) ≤ δ"),
              quantity=MARTINGALES, right=a_1, wrong=[a_1_ten_percent], settles=["p1.lem_a_1"]),
        Check(name="lipschitz", axis="reward_bound",
              claim=Inequality("A.2: slope of the private log likelihood ≤ σ(B)"),
              quantity=PROVED, right=a_2,
              wrong=[named("a_2_ten_percent", a_2, "the bound is 10 % smaller", share=OFF),
                     named("a_2_sign", a_2, "σ(−B) in the place of σ(B)", sign=-1.0)],
              settles=["p1.lem_a_2"]),
        Check(name="freedman", axis="horizon",
              claim=Inequality("A.3: P(Σ X > √(2vL) + ⅔ML) ≤ e^−L"), quantity=SUMS, right=a_3,
              wrong=[a_3_ten_percent], settles=["p1.lem_a_3"]),
        Check(name="quadratic", axis="reward_bound",
              claim=Inequality("A.4: x² ≤ b² + 2a, b = 2B"), quantity=PROVED, right=a_4,
              wrong=[named("a_4_ten_percent", square_over,
                           "the factor of a is 10 % smaller", factor=2 * OFF),
                     named("a_4_sign", square_over,
                           "the factor of a with its sign reversed", factor=-2.0)],
              settles=["p1.lem_a_4"]),
        Check(name="inverse_lipschitz", axis="reward_bound",
              claim=Inequality("A.8: inverse slope ≤ (e^−B + 2 + e^B)/(2(2α−1))"),
              quantity=PROVED, right=a_8,
              wrong=[named("a_8_ten_percent", a_8, "the bound is 10 % smaller", share=OFF),
                     named("a_8_at_zero", a_8, "the bound at B = 0", at=0.0)],
              settles=["p1.lem_a_8"]),
    ],
    worlds={"rounds": NumberOfTerms, "bounded": BoundedDifferences},
)  # fmt: skip
