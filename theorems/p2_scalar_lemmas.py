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

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.families.chipo import proofs_scalar as proof
from repro.families.chipo.algorithms_policy import chipo_policy, link
from repro.families.chipo.bounds_scalar import (
    largest_mean_value,
    largest_on_square,
    largest_over_corrected,
    largest_over_sum,
)
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Row, per_method

SIDES = "left side / right side"
ARMS = 5


def lemma_c2(constant: Callable[[float], float]) -> Callable[[float], float]:
    """Lemma C.2's largest left side over a right side with that constant, by R."""
    return lambda bound: largest_on_square(bound) / constant(bound)


def lemma_c7(factor: float, growth: float = 2.0) -> Callable[[float], float]:
    """Lemma C.7's largest left side over factor·(X + Y)·e^(growth·Y), by Y."""
    return lambda bound: largest_over_sum(bound) / (factor * math.exp(growth * bound))


def printed_constant(bound: float) -> float:
    """e^−R + 2 + e^R."""
    return math.exp(-bound) + 2 + math.exp(bound)


mean_value = Method("lemma", lemma_c2(printed_constant))
without_two = Method("without_two", lemma_c2(lambda bound: printed_constant(bound) - 2))
twice = Method("twice", lemma_c2(lambda bound: 2 * printed_constant(bound)))

difference = Method("lemma", lemma_c7(8.0))
every_bound = Method("every_bound", largest_over_corrected)
ninety_percent = Method("ninety_percent", lambda bound: largest_over_corrected(bound) / 0.9)
exact = Method("exact", lambda bound: largest_mean_value(bound, 2 * bound) / (1 + bound))
printed_growth = Method("printed", lambda bound: 3 * bound * math.exp(2 * bound) / (1 + bound))
constant_half = Method("constant_half", lemma_c7(0.5))
constant_586 = Method("constant_586", lemma_c7(0.586))
constant_55 = Method("constant_55", lemma_c7(0.55))
constant_1593 = Method("constant_1593", lemma_c7(1.593, growth=1.0))
constant_154 = Method("constant_154", lemma_c7(1.54, growth=1.0))


half_chi_square = Method("half_chi_square", 0.5)
whole_chi_square = Method("whole_chi_square", 1.0)
right_link = Method("link", link)
link_doubled = Method("link_doubled", lambda ratio: link(ratio) + ratio)


def at_bound(case: PointCase, chosen: Method, rng: np.random.Generator, replicates: int) -> float:
    """The worst of a grid."""
    return chosen.run(case.value)


def concentrability(case: PointCase, chosen: Method, rng: np.random.Generator, replicates: int):
    """E_π[π/π_ref] over 2χ² + 1 at random policies, π_ref down to 1/value."""
    reference = case.value ** -rng.random((replicates, ARMS))
    reference /= reference.sum(-1, keepdims=True)
    policy = rng.dirichlet(np.ones(ARMS), replicates)
    chi = (reference * (policy / reference - 1) ** 2).sum(-1)
    return (policy**2 / reference).sum(-1) / (2 * chosen.run * chi + 1)


def implied_spread(case: PointCase, chosen: Method, rng: np.random.Generator, replicates: int):
    """Spread of β·φ(π/π_ref) over arms over the spread of r, at the exact policy."""
    reference = rng.dirichlet(np.ones(ARMS), replicates)
    reward = rng.random((replicates, ARMS))
    ratio = chipo_policy(reference, reward, np.array(case.value)) / reference
    implied = case.value * chosen.run(ratio)
    return np.ptp(implied, axis=-1) / np.ptp(reward, axis=-1)


GRID = Measure(SIDES, per_method(at_bound), Evidence.COMPUTED)
CONCENTRABILITY = Measure(SIDES, per_method(concentrability), Evidence.COMPUTED)
LINK = Measure(SIDES, per_method(implied_spread), Evidence.COMPUTED)

C_2, C_7 = ("p2.lem_c_2",), ("p2.lem_c_7",)
ASKS_FOR_ONE = (*C_2, *C_7)


class P2ScalarLemmas(Experiment[PointCase]):
    """Inequalities on grids."""

    title = "P2 Lemmas C.2 and C.7, and scalar facts of the proofs"

    rows = (
        Row("mean_value", "reward_bound", Inequality("Lemma C.2 on every grid point"), GRID,
            mean_value, (without_two,), settles=C_2),
        Row("mean_value_tight", "reward_bound",
            Ratio("Lemma C.2's constant is the best one", tolerance=0.001), GRID, mean_value,
            (twice,), settles=C_2),
        Row("difference", "reward_bound", Inequality("Lemma C.7 on every grid point"), GRID,
            difference, (constant_half,), settles=C_7),
        Row("difference_tight", "reward_bound",
            Ratio("Lemma C.7 holds with 0.586 in the place of 8, and no less at Y = 1",
                  tolerance=0.001), GRID, constant_586, (constant_55, difference), settles=C_7),
        Row("difference_single", "reward_bound", Inequality("Lemma C.7 with 1.593·e^Y, |x| ≤ 50"),
            GRID, constant_1593, (constant_154,), settles=C_7),
        Row("difference_every_bound", "reward_bound",
            Inequality("Lemma C.7 with 4cosh²(R/2)·(1 + (V − R)₊), for every R and V"), GRID,
            every_bound, (ninety_percent,), settles=("own.reward_range",)),
        Row("difference_growth", "reward_bound",
            Slope(1, "the least constant at V = 2R is (1 + R)·{rate}"), GRID, exact,
            (printed_growth,), settles=("own.reward_range",)),
        Row("hellinger", "reward_bound", Inequality("TV² ≤ H² = Σ(√p − √q)²"), proved(SIDES),
            proof.unnormalised, (proof.normalised,), settles=("p2.lem_3_1",)),
        Row("concentrability", "coverage", Ratio("C^π = 2χ² + 1", tolerance=0.001),
            CONCENTRABILITY, half_chi_square, (whole_chi_square,), settles=("p2.thm_c_1",)),
        Row("link", "kl_weight",
            Ratio("β·φ(π*_β/π_ref) differs from r by a constant", tolerance=0.001), LINK,
            right_link, (link_doubled,), settles=("p2.thm_4_4",)),
    )  # fmt: skip

    def case(self, point: Point) -> PointCase:
        """The grid value."""
        return PointCase(methods=point.methods, value=point.value)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """R ≥ 1 and Y ≥ 1 where the lemmas ask for them."""
        return tuple(
            AssumptionResult(
                f"{trial.row.name}: bound ≥ 1", trial.grid[0] >= 1, f"{trial.grid[0]:g}"
            )
            for trial in self.trials
            if set(trial.row.settles) & set(ASKS_FOR_ONE)
        )
