"""P2 Lemmas C.2 and C.7, and the scalar facts its proofs lean on.

Lemma C.2.  For |z|, |z'| ≤ R and R ≥ 1, |z − z'| ≤ (e^−R + 2 + e^R)·|σ(z) − σ(z')|.
Lemma C.7.  For |x| ≤ X, |y| ≤ Y, Y ≥ 1, |x − y| ≤ 8(X + Y)·e^{2Y}·|σ(x) − σ(y)|.
Proof of Lemma 3.1: TV² ≤ H².  Proof of Theorem C.1: C^π = 2·χ²(π‖π_ref) + 1.  Proof of Theorem
4.4: r = β·φ(π*_β/π_ref) + Z_β with φ(u) = u + log u.

All are exact inequalities or identities, held on dense grids or random policies; the tightest
constants are reported.  Lemma C.2's constant is the best one (at z = z' = R); R ≥ 1 is not needed.
Lemma C.7's 8 can be 0.586 (largest at Y = 1), and e^{2Y} can be e^Y with 1.593 on |x| ≤ 50 and
1 ≤ Y ≤ 8.  For every R = Y > 0, Y < 1 too, and every V = X, 4cosh²(R/2)·(1 + (V − R)₊) does
(``own.reward_range``, docs/explanations/reward_range.md).  H² is unnormalised, Σ(√p − √q)²: with
the normalised one the step would need a factor 2.  χ² is ½·E_ref(π/π_ref − 1)²: without the half
neither the identity nor the link is right.

Refuted by one grid point on the wrong side.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from repro.base.schema import KLWeight, Positive, RewardBound
from repro.core.check import Check, Quantity, SweptCheck, Theorem, named, of_world
from repro.core.claims import Inequality, Ratio, Slope
from repro.core.proofs import Claimed, Interval, iv, proof_of
from repro.p2.chipo.policy import chipo_policy, link

POINTS = 801
"""On each side of a grid."""
FURTHEST = 50.0
"""|x| up to which Lemma C.7 is looked at."""
ARMS = 5

# Worlds: a bound of rewards; policies and rewards that are drawn ---------------------------------


@dataclass(frozen=True, kw_only=True)
class BoundedNumbers:
    """Numbers within a bound.

    Attributes:
        reward_bound: R, or Y.
    """

    reward_bound: RewardBound


@dataclass(frozen=True, kw_only=True)
class RandomPolicies:
    """Random policies of ``ARMS`` responses.

    Attributes:
        coverage: π_ref goes down to about 1/coverage.
    """

    coverage: Positive

    def concentrability(self, rng: np.random.Generator, replicates: int, factor: float):
        """(R,) E_π[π/π_ref] over 2·factor·E_ref(π/π_ref − 1)² + 1."""
        reference = self.coverage ** -rng.random((replicates, ARMS))
        reference /= reference.sum(-1, keepdims=True)
        policy = rng.dirichlet(np.ones(ARMS), replicates)
        chi = (reference * (policy / reference - 1) ** 2).sum(-1)
        return (policy**2 / reference).sum(-1) / (2 * factor * chi + 1)


@dataclass(frozen=True, kw_only=True)
class RandomRewards:
    """Random rewards of ``ARMS`` responses, with the exact policy of each.

    Attributes:
        kl_weight: β.
    """

    kl_weight: KLWeight

    def spread(self, rng: np.random.Generator, replicates: int, of: Callable) -> np.ndarray:
        """(R,) spread of β·φ(π/π_ref) over arms over the spread of r, φ the function ``of``."""
        reference = rng.dirichlet(np.ones(ARMS), replicates)
        reward = rng.random((replicates, ARMS))
        ratio = chipo_policy(reference, reward, np.array(self.kl_weight)) / reference
        implied = self.kl_weight * of(ratio)
        return np.ptp(implied, axis=-1) / np.ptp(reward, axis=-1)


# How far apart numbers with close sigmoids are, on dense grids -----------------------------------


def inverse_slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|x − y| / |σ(x) − σ(y)| without cancellation; 1/σ'(x) where x = y.

    σ(x) − σ(y) = sinh((x−y)/2) / (2·cosh(x/2)·cosh(y/2)).

    >>> float(inverse_slope(np.array(0.0), np.array(0.0)))
    4.0
    """
    half = (x - y) / 2
    safe = np.where(np.abs(half) < 1e-9, 1.0, half)
    spread = np.where(np.abs(half) < 1e-9, 1.0, safe / np.sinh(safe))
    return 4 * np.cosh(x / 2) * np.cosh(y / 2) * spread


@lru_cache(maxsize=64)
def largest_on_square(bound: float) -> float:
    """max of ``inverse_slope`` over |z|, |z'| ≤ bound, on a grid with its corners."""
    z = np.linspace(-bound, bound, POINTS)
    return float(inverse_slope(z[:, None], z[None, :]).max())


def largest_mean_value(reward: float, value: float) -> float:
    """max of ``inverse_slope`` over |x| ≤ value, |y| ≤ reward, value > reward: at both bounds.

    >>> round(largest_mean_value(1.0, 2.0), 3)
    6.678
    """
    return float(inverse_slope(np.array(value), np.array(reward)))


@lru_cache(maxsize=64)
def largest_over_corrected(bound: float, furthest: float = FURTHEST) -> float:
    """max over |x| ≤ furthest, |y| ≤ R = bound of inverse_slope/(4cosh²(R/2)·(1 + (|x| − R)₊))."""
    x = np.linspace(-furthest, furthest, 4 * POINTS + 1)
    x = np.concatenate([x, np.linspace(-bound, bound, POINTS)])
    y = np.linspace(-bound, bound, POINTS)
    beyond = np.maximum(np.abs(x) - bound, 0.0)[:, None]
    known = 4 * np.cosh(bound / 2) ** 2 * (1 + beyond)
    return float((inverse_slope(x[:, None], y) / known).max())


@lru_cache(maxsize=64)
def largest_over_sum(bound: float, furthest: float = FURTHEST) -> float:
    """max over |x| ≤ furthest, |y| ≤ bound of inverse_slope/(|x| + bound).

    In Lemma C.7 X ≥ |x| and Y = bound, and X = |x| is the hardest.
    """
    x = np.linspace(-furthest, furthest, 4 * POINTS + 1)
    y = np.linspace(-bound, bound, POINTS)
    return float((inverse_slope(x[:, None], y) / (np.abs(x)[:, None] + bound)).max())


# The lemmas, and wrong ones: left over right side ------------------------------------------------


def printed_constant(bound: float) -> float:
    """e^−R + 2 + e^R."""
    return math.exp(-bound) + 2 + math.exp(bound)


def mean_value(world: BoundedNumbers, times: float = 1.0, off: float = 0.0) -> float:
    """Lemma C.2's largest left side over a right side with ``times`` its constant, less ``off``."""
    constant = times * printed_constant(world.reward_bound) - off
    return largest_on_square(world.reward_bound) / constant


def difference(world: BoundedNumbers, factor: float = 8.0, growth: float = 2.0) -> float:
    """Lemma C.7's largest left side over factor·(X + Y)·e^(growth·Y)."""
    bound = world.reward_bound
    return largest_over_sum(bound) / (factor * math.exp(growth * bound))


def every_bound(world: BoundedNumbers) -> float:
    """Lemma C.7's left side over 4cosh²(R/2)·(1 + (V − R)₊)."""
    return largest_over_corrected(world.reward_bound)


def ninety_percent(world: BoundedNumbers) -> float:
    """Wrong: nine tenths of the constant."""
    return largest_over_corrected(world.reward_bound) / 0.9


def exact(world: BoundedNumbers) -> float:
    """The least constant at V = 2R, over 1 + R."""
    return largest_mean_value(world.reward_bound, 2 * world.reward_bound) / (1 + world.reward_bound)


def printed(world: BoundedNumbers) -> float:
    """Wrong as the least constant: 3R·e^(2R), as printed."""
    bound = world.reward_bound
    return 3 * bound * math.exp(2 * bound) / (1 + bound)


def half_chi_square(world: RandomPolicies, rng: np.random.Generator, replicates: int):
    """χ² = ½·E_ref(π/π_ref − 1)²."""
    return world.concentrability(rng, replicates, 0.5)


def whole_chi_square(world: RandomPolicies, rng: np.random.Generator, replicates: int):
    """Wrong: χ² without its half."""
    return world.concentrability(rng, replicates, 1.0)


def right_link(world: RandomRewards, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """φ(u) = u + log u."""
    return world.spread(rng, replicates, link)


def link_doubled(world: RandomRewards, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: 2u + log u."""
    return world.spread(rng, replicates, lambda ratio: link(ratio) + ratio)


ANGLE, SHORTER = (0.0, 1.5707963), (0.0, 1.5)
"""Of two probabilities sin²; the second shorter, so that the middle of the box has two of them."""


def tv_over_hellinger(world: BoundedNumbers, factor: float) -> Claimed:
    """factor·TV²/H² of two Bernoulli laws, H² = Σ(√p − √q)², whatever their log odds.

    With p = sin²a and q = sin²b, TV = |sin(a−b)·sin(a+b)| and H² = 4·sin²((a−b)/2).
    """

    def ratio(a: Interval, b: Interval) -> Interval:
        return factor * iv.cos((a - b) / 2) ** 2 * iv.sin(a + b) ** 2

    return Claimed((ANGLE, SHORTER), ratio)


unnormalised = named("unnormalised", tv_over_hellinger, factor=1.0)
normalised = named("normalised", tv_over_hellinger, "H² with a half", factor=2.0)
"""Wrong: H² with a half."""


# The claims --------------------------------------------------------------------------------------

SIDES = "left side / right side"
GRID = Quantity(SIDES, of_world, evidence="computed")
DRAWN = Quantity(SIDES, evidence="computed")
PROVED = Quantity(SIDES, proof_of, evidence="proved")
lemma = named("lemma", mean_value)
lemma_c_7 = named("lemma", difference)
constant_586 = named("constant_586", difference, factor=0.586)
C_2, C_7, RANGE = ["p2.lem_c_2"], ["p2.lem_c_7"], ["own.reward_range"]


def assumes(swept: SweptCheck):
    """R ≥ 1 and Y ≥ 1 where the lemmas ask for them."""
    if {*swept.check.settles} & {*C_2, *C_7}:
        least = swept.sweep.grid[0]
        yield "bound ≥ 1", least >= 1, f"{least:g}"


THEOREM = Theorem(
    title="P2 Lemmas C.2 and C.7, and scalar facts of the proofs",
    checks=[
        Check(name="mean_value", axis="reward_bound",
              claim=Inequality("Lemma C.2 on every grid point"), quantity=GRID, right=lemma,
              wrong=[named("without_two", mean_value,
                           "the constant less 2", off=2.0)], settles=C_2),
        Check(name="mean_value_tight", axis="reward_bound",
              claim=Ratio("Lemma C.2's constant is the best one", tolerance=0.001),
              quantity=GRID, right=lemma, wrong=[named("twice", mean_value,
                                                       "twice the constant", times=2.0)],
              settles=C_2),
        Check(name="difference", axis="reward_bound",
              claim=Inequality("Lemma C.7 on every grid point"), quantity=GRID, right=lemma_c_7,
              wrong=[named("constant_half", difference,
                           "½ in the place of 8", factor=0.5)], settles=C_7),
        Check(name="difference_tight", axis="reward_bound",
              claim=Ratio("Lemma C.7 holds with 0.586 in the place of 8, and no less at Y = 1",
                          tolerance=0.001),
              quantity=GRID, right=constant_586,
              wrong=[named("constant_55", difference,
                           "0.55 in the place of 0.586", factor=0.55),
                     named("lemma", difference, "8, as printed, which is far from tight")],
              settles=C_7),
        Check(name="difference_single", axis="reward_bound",
              claim=Inequality("Lemma C.7 with 1.593·e^Y, |x| ≤ 50"), quantity=GRID,
              right=named("constant_1593", difference, factor=1.593, growth=1.0),
              wrong=[named("constant_154", difference,
                           "1.54 in the place of 1.593", factor=1.54, growth=1.0)], settles=C_7),
        Check(name="difference_every_bound", axis="reward_bound",
              claim=Inequality("Lemma C.7 with 4cosh²(R/2)·(1 + (V − R)₊), for every R and V"),
              quantity=GRID, right=every_bound, wrong=[ninety_percent], settles=RANGE),
        Check(name="difference_growth", axis="reward_bound",
              claim=Slope("the least constant at V = 2R is (1 + R)·{rate}", 1), quantity=GRID,
              right=exact, wrong=[printed], settles=RANGE),
        Check(name="hellinger", axis="reward_bound", claim=Inequality("TV² ≤ H² = Σ(√p − √q)²"),
              quantity=PROVED, right=unnormalised,
              wrong=[normalised], settles=["p2.lem_3_1"]),
        Check(name="concentrability", axis="coverage",
              claim=Ratio("C^π = 2χ² + 1", tolerance=0.001), quantity=DRAWN,
              right=half_chi_square, wrong=[whole_chi_square], settles=["p2.thm_c_1"]),
        Check(name="link", axis="kl_weight",
              claim=Ratio("β·φ(π*_β/π_ref) differs from r by a constant", tolerance=0.001),
              quantity=DRAWN, right=named("link", right_link), wrong=[link_doubled],
              settles=["p2.thm_4_4"]),
    ],
    worlds={"bounded": BoundedNumbers, "policies": RandomPolicies, "rewards": RandomRewards},
    assumes=assumes,
)  # fmt: skip
