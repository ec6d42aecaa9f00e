"""P1's Definitions 3.2 and 3.5, eqs. (15), (18), (20) and Theorems 4.2 and 4.5, taken literally.

* Definition 3.2 (``distance_printed``) takes the infimum over b inside the supremum: a misprint, as
  Lemma B.1 of the appendix defines b(s) = E_π[r̄ − r*]. Taken as printed, b(s) may
  equal g − h at the response in question, as both are in [0, B], so D² is 0 everywhere, and the
  step of the proof of Theorem 4.2 that uses it, (r̄ − r* − b)² ≤ D²·E Var(r̄ − r*), fails wherever
  the two differ. With b(s) = E_ref[g − h] it holds, with equality somewhere (``distance``).
* Definition 3.5 names no a¹ in the supremum of d_F. If a¹ is free as well, the pairs may be the
  same response twice, and d_F = T·min(1, ·) (``first_response_free``); with a¹ ~ π¹, as in
  Algorithm 2, d_F of a linear class gains d per unit of log T (``first_response_drawn``), and
  Theorem 5.2's bound is log² T for it (``bound_of_a_linear_class``; a limit, so that T is huge, and
  a symbolic proof is among the tests).
* Eq. (20) (``population_printed``) has √(4nB²·L·E Δ²), L = log(N/δ). Freedman's inequality (Lemma
  A.3) with v = 4B²·n·E Δ² gives √(8nB²·L·E Δ²) (``population``). Contradicted exactly, by a class
  of two opposite rewards whose pairs rarely tell: the number of telling pairs is binomial, and the
  chance is about e^(−L/2) in the place of e^−L. Realisable, Bradley–Terry, i.i.d. pairs from π.
  O(·) of Lemma B.1 absorbs it.
* Lemma B.1 holds with probability 1 − 2δ, by a union of (19) and (20); the proof of Theorem 4.2
  quotes it with 1 − δ. The exact chance that either fails is below δ in every case searched
  (``failure_probability``), so 1 − δ is not refuted; and as log(2N/δ) ≤ 2·log(N/δ), running the
  proof at δ/2 repairs it within O(·) (a proof among the tests). The control has both printed
  constants.

* Eq. (15), last line (``eq_15_printed``): (σ(x) − σ(y))² ≥ σ′(B)·(x−y)² loses a square; σ′(B)² is
  right, and sharp (``eq_15``). At ε = ∞ the end of (15) is true with its own ⅛, by another step
  (Lemma 2 of docs/explanations/corrected_theorem_4_2.md). Step (b) of (18) (``eq_18_printed``) has
  (a+b)²/8 ≥ a²/4 − τ²; with a²/16 − τ²/2 it holds, and is sharp (``eq_18``).
* Theorem 4.5 says "S = log N_F(τ)" for *a* class F. For a class with one parameter log N_F(τ) grows
  without end as τ → 0, while the private MLE's gap stays (``one_parameter``): the theorem is about
  the hypercube of its proof, where log N counts states (``hypercube``).
* Remark 4.4 writes e^ε − 1 for 2α − 1 for ε in (0, 1] only. There the two rates differ by a factor
  between 4 and (e+1)² (``remark_4_4``), so the abstract's rate is right in that range up to 3.46.

The contradicted rows are the controls of their corrected neighbours.  What would refute a supported
row: one case above 1, or growth other than the claimed one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from repro.families.offline_kl import proofs_scalar as proof
from repro.families.offline_kl import searches_readings as step
from repro.families.offline_kl.bounds_reward_error import OppositeRewards
from repro.families.offline_kl.cases import LabelledPoint, computed_over, searched_of_labels
from repro.families.offline_kl.quantities_readings import (
    DRAWN,
    FREE,
    FirstResponse,
    eluder_closed_form,
    eluder_sums,
)
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.row import Evidence, Measure, Method, Need, Row, method, per_method

FEATURES, RIDGE = 4, 0.25
LOGS_OF_DELTA = np.geomspace(0.1, 60, 40)
"""log(1/δ) of the cases of eq. (20)."""
LOG_CLASS = 12.0
"""log(N/δ) of a net of the class, at a resolution free of T."""


def eluder(case: PointCase, first: Method[FirstResponse], rng: object, replicates: int) -> float:
    """d_F of T rounds."""
    horizon = int(case.value)
    return float(eluder_sums(FEATURES, RIDGE, horizon, first.run)[-1])


def eluder_gain(case: PointCase, first: Method[FirstResponse], rng: object, replicates: int):
    """What d_F gains from T to 10·T rounds, per feature and unit of log T."""
    horizon = int(case.value)
    sums = eluder_sums(FEATURES, RIDGE, 10 * horizon, first.run)
    return float(sums[-1] - sums[horizon - 1]) / (FEATURES * math.log(10))


def exponent(case: PointCase, growth: Method, rng: object, replicates: int) -> float:
    """log₂ of the bound at T² over the bound at T: 1 if it is ∝ log T, 2 if ∝ log² T."""
    horizon = 10.0 ** int(case.value)
    logs = [math.log(t) + LOG_CLASS for t in (horizon, horizon**2)]
    return math.log2(logs[1] / logs[0] * growth.run(horizon))


@method
def eluder_of_horizon(horizon: float) -> float:
    """By what factor d_F grows from T to T²."""
    one, other = (eluder_closed_form(FEATURES, RIDGE, t) for t in (horizon, horizon**2))
    return other / one


@method
def eluder_held_fixed(horizon: float) -> float:
    """Wrong: d_F taken for a constant."""
    return 1.0


def chance_of_eq_20(factor: float, case: OppositeRewards) -> float:
    """P((20) fails) over δ, with a factor in the place of its 4."""
    return case.population_failure(factor) / case.failure_prob


def chance_of_either(printed: bool, case: OppositeRewards) -> float:
    """P((19) or (20) fails) over δ."""
    return case.either_fails(printed) / case.failure_prob


PRINTED = Method("printed", partial(chance_of_eq_20, 4.0))
FREEDMAN = Method("freedman", partial(chance_of_eq_20, 8.0))
FREEDMAN_TEN_PERCENT = Method("freedman_ten_percent", partial(chance_of_eq_20, 7.2))
PRINTED_CONSTANTS = Method("printed_constants", partial(chance_of_either, True))
CORRECTED_CONSTANTS = Method("corrected_constants", partial(chance_of_either, False))


def rare_cases(bound: float) -> Iterator[OppositeRewards]:
    """Many pairs of which few tell, and δ down to e^−60: where eq. (20) is tightest."""
    for power, telling, log_inverse in product((8, 11, 14), (1e-4, 1e-2, 0.49), LOGS_OF_DELTA):
        log_term = math.log(2) + float(log_inverse)
        yield OppositeRewards(bound, 1.0, 10**power, telling, log_term)


def common_case(bound: float, rng: np.random.Generator) -> OppositeRewards:
    """Any data that can be summed over."""
    pairs, telling = int(10 ** rng.uniform(1, 3.5)), 10 ** rng.uniform(-2, -0.31)
    epsilon, log_term = 10 ** rng.uniform(-0.5, 1), math.log(2) + 10 ** rng.uniform(-2, 1.3)
    return OppositeRewards(bound, epsilon, pairs, telling, log_term)


def of_value(case: PointCase, formula: Method, rng: object, replicates: int) -> float:
    """A closed form of the swept value."""
    return formula.run(case.value)


CHANCE = "P(failure) / δ"
ELUDER = Measure("d_F", per_method(eluder), Evidence.COMPUTED)
GAIN = Measure("(d_F(10T) − d_F(T)) / (d·log 10)", per_method(eluder_gain), Evidence.COMPUTED)
EXPONENT = Measure("exponent of d_F·log(NT/δ) in log T", per_method(exponent), Evidence.COMPUTED)
RARE = computed_over(CHANCE, rare_cases)
COMMON = searched_of_labels(CHANCE, common_case)

PROVED = proved("left side / right side")
OF_SIZE = Measure("left side / right side", per_method(of_value), Evidence.COMPUTED)
OF_BUDGET = Measure("left side / right side", per_method(of_value), Evidence.COMPUTED)

DEF_3_5, LEM_B_1 = ("p1.def_3_5",), "p1.lem_b_1"
ZERO = "b(s) = g − h is allowed inside the supremum, so D² is 0"
HALF = "Freedman's inequality has 8 for 4: the chance is about e^(−L/2) for e^−L"
SQUARE = "σ′ ≤ 1/4, so that σ′(B) is above σ′(B)² ≤ (σ(x) − σ(y))²/(x−y)²"
QUARTER = "at b = 0 it says a²/4 ≤ a²/8 + τ²"
STATES = ("own.states_of_theorem_4_5",)


class P1LiteralReadings(Experiment[LabelledPoint]):
    """Two definitions and two steps, as printed and as meant.

    All cases are realisable and Bradley–Terry by construction; pairs are i.i.d.
    """

    title = "P1 Definitions 3.2, 3.5, eqs. (15), (18), (20), Theorems 4.2, 4.5: read literally"

    rows = (
        Row("distance_printed", "num_features",
            Inequality("D² of Definition 3.2 as printed bounds the error"), PROVED,
            proof.infimum_inside, settles=("p1.def_3_2",), expected="contradicted", why=ZERO),
        Row("distance", "num_features",
            Inequality("D² with b(s) = E_ref[g − h] bounds the error"), PROVED, proof.centred,
            (proof.infimum_inside, proof.uncentred), settles=("p1.def_3_2",)),
        Row("first_response_free", "horizon",
            Slope(1, "a¹ in the supremum as well: d_F {rate}", tolerance=0.01), ELUDER, FREE,
            (DRAWN,), settles=DEF_3_5),
        Row("first_response_drawn", "horizon", Ratio("a¹ ~ π¹: d_F gains d per unit of log T"),
            GAIN, DRAWN, (FREE,), settles=DEF_3_5),
        Row("bound_of_a_linear_class", "log10_horizon",
            Ratio("Theorem 5.2's bound for a linear class ∝ log² T", 2, tolerance=0.1), EXPONENT,
            eluder_of_horizon, (eluder_held_fixed,), settles=("p1.thm_5_2",)),
        Row("population_printed", "reward_bound",
            Inequality("eq. (20) as printed fails with probability ≤ δ"), RARE, PRINTED,
            settles=("p1.eq_20",), expected="contradicted", why=HALF),
        Row("population", "reward_bound",
            Inequality("eq. (20) with 8 for 4 fails with probability ≤ δ"), RARE, FREEDMAN,
            (PRINTED, FREEDMAN_TEN_PERCENT), settles=(LEM_B_1, "p1.eq_20")),
        Row("failure_probability", "reward_bound",
            Inequality("(19) or (20) fails with probability ≤ δ, not 2δ"), COMMON,
            CORRECTED_CONSTANTS, (PRINTED_CONSTANTS,), needs=(Need.LABELS,),
            settles=(LEM_B_1, "p1.thm_4_2")),
        Row("eq_15_printed", "reward_bound",
            Inequality("(15), last line: σ′(B)·(x−y)² ≤ (σ(x) − σ(y))²"), PROVED,
            proof.last_line_of_15, settles=("p1.eq_15",), expected="contradicted", why=SQUARE),
        Row("eq_15", "reward_bound", Inequality("(15) with σ′(B)²·(x−y)²"), PROVED,
            proof.squared_slope, (proof.last_line_of_15, proof.squared_slope_ten_percent),
            settles=("p1.eq_15",)),
        Row("eq_18_printed", "ridge",
            Inequality("(18), step (b): a²/4 − τ² ≤ (a+b)²/8"), PROVED, proof.step_b_of_18,
            settles=("p1.eq_18",), expected="contradicted", why=QUARTER),
        Row("eq_18", "ridge", Inequality("(18), step (b) with a²/16 − τ²/2"), PROVED,
            proof.by_halves, (proof.step_b_of_18, proof.by_halves_tenth_more),
            settles=("p1.eq_18",)),
        Row("one_parameter", "num_states",
            Inequality("one parameter, S = log N(τ): the MLE's gap ≤ Theorem 4.5's bound"),
            OF_SIZE, step.gap_over_literal, (step.gap_over_states,), settles=STATES),
        Row("hypercube", "num_states",
            Inequality("Theorem 4.5 with S states ≤ the MLE's gap"), OF_SIZE,
            step.of_the_hypercube, (step.of_one_parameter,), settles=("p1.thm_4_5",)),
        Row("remark_4_4", "epsilon",
            Inequality("ε ≤ 1: 4 ≤ ((e^ε−1)/(2α−1))² ≤ (e+1)²"), OF_BUDGET, step.two_rates,
            (step.two_rates_at_twice,), settles=("p1.rem_4_4",)),
    )  # fmt: skip

    def case(self, point: Point) -> LabelledPoint:
        """The swept value, and the labels where a row reads them."""
        return LabelledPoint(methods=point.methods, value=point.value)
