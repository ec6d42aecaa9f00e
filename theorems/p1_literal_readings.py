"""P1's Definitions 3.2 and 3.5, eq. (20) and the probability of Theorem 4.2, taken literally.

* Definition 3.2 (``distance_printed``) takes the infimum over b inside the supremum. b(s) may
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

The contradicted rows are the controls of their corrected neighbours.  What would refute a supported
row: one case above 1, or growth other than the claimed one.
"""

from __future__ import annotations

import math

import numpy as np

from repro.families.offline_kl.bounds_reward_error import OppositeRewards
from repro.families.offline_kl.quantities_readings import (
    FirstResponse,
    distance_ratios,
    eluder_closed_form,
    eluder_sums,
)
from repro.study.checks import Check
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

LINEAR, OPPOSITE, ONE_HOT = "random linear classes", "two opposite rewards", "one-hot responses"
CHANCE = "P(failure) / δ"
FACTORS = {"printed": 4.0, "freedman": 8.0, "freedman_ten_percent": 7.2}
FIRST: dict[str, FirstResponse] = {"drawn": "drawn", "free": "free"}
FEATURES, RIDGE = 4, 0.25
LOG_CLASS = 12.0
"""log(N/δ) of a net of the class, at a resolution free of T."""


class P1LiteralReadings(SweepExperiment):
    """Two definitions and two steps, as printed and as meant."""

    slug = "p1_literal_readings"
    title = "P1 Definitions 3.2, 3.5, eq. (20), probability of Theorem 4.2: read literally"
    statements = ("p1.def_3_2", "p1.def_3_5", "p1.lem_b_1", "p1.thm_4_2", "p1.thm_5_2",
                  "p1.eq_20")  # fmt: skip
    settled_by = {
        "p1.def_3_2": ("distance_printed", "distance"),
        "p1.def_3_5": ("first_response_free", "first_response_drawn"),
        "p1.lem_b_1": ("population", "failure_probability"),
        "p1.thm_4_2": ("failure_probability",),
        "p1.thm_5_2": ("bound_of_a_linear_class",),
        "p1.eq_20": ("population_printed", "population"),
    }
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = SweepConfig

    rows = (
        Row("distance_printed", "num_features", LINEAR, "infimum_inside", (),
            "error² / (D²·E Var)", "D² of Definition 3.2 as printed bounds the error"),
        Row("distance", "num_features", LINEAR, "centred", ("infimum_inside", "uncentred"),
            "error² / (D²·E Var)", "D² with b(s) = E_ref[g − h] bounds the error"),
        Row("first_response_free", "horizon", ONE_HOT, "free", ("drawn",), "d_F",
            "a¹ in the supremum as well: d_F ∝ T"),
        Row("first_response_drawn", "horizon", ONE_HOT, "drawn", ("free",),
            "(d_F(10T) − d_F(T)) / (d·log 10)", "a¹ ~ π¹: d_F gains d per unit of log T"),
        Row("bound_of_a_linear_class", "log10_horizon", ONE_HOT, "eluder_of_horizon",
            ("eluder_held_fixed",), "exponent of d_F·log(NT/δ) in log T",
            "Theorem 5.2's bound for a linear class ∝ log² T"),
        Row("population_printed", "reward_bound", OPPOSITE, "printed", (), CHANCE,
            "eq. (20) as printed fails with probability ≤ δ"),
        Row("population", "reward_bound", OPPOSITE, "freedman",
            ("printed", "freedman_ten_percent"), CHANCE,
            "eq. (20) with 8 for 4 fails with probability ≤ δ"),
        Row("failure_probability", "reward_bound", OPPOSITE, "corrected_constants",
            ("printed_constants",), CHANCE, "(19) or (20) fails with probability ≤ δ, not 2δ"),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One number per random case; growth is exact and the same in all."""
        world = str(check.settings["world"])
        if world == ONE_HOT:
            return {m: np.full(replicates, _growth(check, int(value), m)) for m in check.methods}
        if world == LINEAR:
            return distance_ratios(int(value), check.methods, rng, replicates)
        case = _rare_case if check.name.startswith("population") else _common_case
        cases = [case(value, rng) for _ in range(replicates)]
        return {m: np.array([_chance(one, m) for one in cases]) for m in check.methods}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """All cases are realisable and Bradley–Terry by construction; pairs are i.i.d."""
        return ()


def _growth(check: Check, horizon: int, method: str) -> float:
    if check.name == "bound_of_a_linear_class":
        return _exponent(10.0**horizon, method == "eluder_held_fixed")
    sums = eluder_sums(FEATURES, RIDGE, 10 * horizon, FIRST[method])
    if check.quantity == "d_F":
        return float(sums[horizon - 1])
    return float(sums[-1] - sums[horizon - 1]) / (FEATURES * math.log(10))


def _exponent(horizon: float, fixed: bool) -> float:
    """log₂ of the bound at T² over the bound at T: 1 if it is ∝ log T, 2 if ∝ log² T."""
    eluder = [eluder_closed_form(FEATURES, RIDGE, float(t)) for t in (horizon, horizon**2)]
    logs = [math.log(t) + LOG_CLASS for t in (horizon, horizon**2)]
    return math.log2(logs[1] / logs[0] * (1.0 if fixed else eluder[1] / eluder[0]))


def _chance(case: OppositeRewards, method: str) -> float:
    """P(failure) over δ: of (20) with a factor, or of (19) or (20)."""
    if method in FACTORS:
        return case.population_failure(FACTORS[method]) / case.failure_prob
    return case.either_fails(method == "printed_constants") / case.failure_prob


def _rare_case(bound: float, rng: np.random.Generator) -> OppositeRewards:
    """Many pairs of which few tell, and δ down to e^−60: where eq. (20) is tightest."""
    pairs, telling = int(10 ** rng.uniform(8, 14)), 10 ** rng.uniform(-4, -0.31)
    return OppositeRewards(bound, 1.0, pairs, telling, math.log(2) + 10 ** rng.uniform(-1, 1.78))


def _common_case(bound: float, rng: np.random.Generator) -> OppositeRewards:
    """Any data that can be summed over."""
    pairs, telling = int(10 ** rng.uniform(1, 3.5)), 10 ** rng.uniform(-2, -0.31)
    epsilon, log_term = 10 ** rng.uniform(-0.5, 1), math.log(2) + 10 ** rng.uniform(-2, 1.3)
    return OppositeRewards(bound, epsilon, pairs, telling, log_term)
