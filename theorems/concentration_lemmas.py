"""P4 Lemmas H.1–H.4: the concentration and contraction results that the proofs rest on.

* H.1 (Zanette et al., Lemma 39): for λ ≥ Ω((d/n)·ln(n/δ)), with probability ≥ 1−δ,
  ⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI).  Holds with constant 1 in Ω where it is hardest, cells of mass 1/n,
  whose joint law is summed exactly; a hundredth of λ does not suffice (control).  `ridge`: in
  orthogonal cells, by exact binomial tails at the hardest common mass and δ from .05 to 1e-9,
  λ = 1.4·ln(2d/δ)/n suffices, without the factors d and ln n that the lemma has room for, and 1.2
  in place of 1.4 does not (control).
* H.2 (Hsu et al., Theorem 1): xᵀΣx ≤ σ²[tr Σ + 2√(tr Σ²·ln(1/δ)) + 2‖Σ‖ln(1/δ)] w.p. ≥ 1−δ.
  By all signs, Σ_ij = 2^(−|i−j|).  Control: the trace alone.  `flat_form`: for Σ = 11ᵀ/d, where the
  tail is that of a binomial, with δ down to 1e-15; there the 2 in front of ‖Σ‖ln(1/δ) cannot be
  1.25 (control).  (Claim E.1 derived from it with C = 1 fails: see estimation_weighted.)
* H.3 (Tropp, Theorem 5.1.1): P(λ_min(Y) ≤ εμ_min) ≤ d·exp(−(1−ε)²μ_min/2H), by exact binomial
  tails.  Controls: twice the exponent, and 10 % more.
* H.4 (Kairouz et al., Corollary 2.9): TV(QP₁, QP₂) ≤ TV(P₁, P₂)/c(ε) for every ε-LDP Q; randomized
  response attains it.  Controls: c(ε)², and a constant 10 % smaller.

What would refute a row: one ratio above 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.families.robust.bounds_concentration import (
    chernoff_ratio,
    contraction_ratio,
    covariance_failure,
    flat_form_tail,
    quadratic_form_tail,
    ridge_failure,
)
from repro.preferences.label_law import Channel, randomized_response
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, per_method

SHARES = (0.5, 0.7, 0.9, 0.95)
"""ε of Lemma H.3; the proof of Theorem 5.7 uses ½."""
FAILURE_PROBS = (0.05, 1e-3, 1e-6, 1e-9)
"""δ of the exact rows of H.1 and, with one more, H.2."""
SMALLEST = 1e-15
TEN_PERCENT_LESS = 0.9
"""On the right side of H.4: a planted lemma whose constant is 10 % too small."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LemmaCase(PointCase):
    """A swept value, n where the lemma has one, and the probability that it may fail with.

    Attributes:
        failure_prob: δ.
        channel: the randomized response that attains H.4.
    """

    failure_prob: float
    channel: Channel = randomized_response


def covariance(case: LemmaCase, m: Method[float], rng: np.random.Generator, replicates: int):
    """H.1's exact failure over δ; a method is the scale of its ridge."""
    return covariance_failure(int(case.value), case.n_pairs, m.run, case.failure_prob)


def quadratic_form(case: LemmaCase, m: Method[bool], rng: np.random.Generator, replicates: int):
    """H.2's exact tail over δ, the worst δ; a method says whether the bound is the trace alone."""
    size = int(case.value)
    return max(quadratic_form_tail(size, m.run, delta) for delta in (0.5, *FAILURE_PROBS))


def ridge(case: LemmaCase, m: Method[float], rng: np.random.Generator, replicates: int):
    """H.1's exact failure over δ, the worst δ; a method is the constant in λ."""
    size = int(case.value)
    return max(ridge_failure(size, case.n_pairs, m.run, delta) for delta in FAILURE_PROBS)


def flat_form(case: LemmaCase, m: Method[float], rng: np.random.Generator, replicates: int):
    """H.2's exact tail over δ, the worst δ; a method is the factor of ‖Σ‖·ln(1/δ)."""
    size = int(case.value)
    return max(flat_form_tail(size, m.run, delta) for delta in (*FAILURE_PROBS, SMALLEST))


def chernoff(case: LemmaCase, m: Method[float], rng: np.random.Generator, replicates: int):
    """The tail of H.3 over its bound; a method is the factor in the exponent."""
    mean = case.value * case.n_pairs
    return max(chernoff_ratio(mean, share, m.run) for share in SHARES)


def contraction(case: LemmaCase, m: Method, rng: np.random.Generator, replicates: int):
    """H.4 on random mechanisms; a method is a power of c(ε) and a share of the right side."""
    power, share = m.run
    response = case.channel
    ratios = [contraction_ratio(case.value, power, rng, response) for _ in range(replicates)]
    return np.array(ratios) / share


RIGHT, RIDGE = Method("outside", 1.0), Method("ridge_over_hundred", 0.01)
BOTH, TRACE = Method("outside", False), Method("trace_alone", True)
ENOUGH, SIXTH_LESS = Method("ridge", 1.4), Method("ridge_sixth_less", 1.2)
PRINTED, FLATTER, HALF = (
    Method("as_printed", 2.0), Method("factor_1_25", 1.25), Method("half", 1.0),
)  # fmt: skip
TAIL, TWICE, STEEPER = (
    Method("tail", 0.5), Method("twice_the_exponent", 1.0), Method("exponent_ten_percent", 0.55),
)  # fmt: skip
VARIATION, SQUARED, TIGHTER = (
    Method("total_variation", (1, 1.0)), Method("cost_squared", (2, 1.0)),
    Method("ten_percent", (1, TEN_PERCENT_LESS)),
)  # fmt: skip


class ConcentrationLemmas(Experiment[LemmaCase]):
    """Appendix H, one row per lemma."""

    title = "P4 Lemmas H.1–H.4: concentration and contraction"

    rows = (
        Row("covariance", "num_features",
            Inequality("⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI) w.p. ≥ 1−δ"),
            Measure("P(H.1 fails) / δ, exactly", per_method(covariance), Evidence.COMPUTED),
            RIGHT, (RIDGE,), settles=("p4.lem_h_1",)),
        Row("ridge", "num_features", Inequality("λ = 1.4·ln(2d/δ)/n: P(H.1 fails) ≤ δ"),
            Measure("P(H.1 fails) / δ, orthogonal cells", per_method(ridge), Evidence.COMPUTED),
            ENOUGH, (SIXTH_LESS,), settles=("p4.lem_h_1",)),
        Row("flat_form", "num_features",
            Inequality("Σ of rank one: P(xᵀΣx > 1 + 2√l + 2l) ≤ δ, l = ln(1/δ)"),
            Measure("P(H.2 fails) / δ, exactly", per_method(flat_form), Evidence.COMPUTED),
            PRINTED, (FLATTER, HALF), settles=("p4.lem_h_2",)),
        Row("quadratic_form", "num_features",
            Inequality("xᵀΣx ≤ tr Σ + 2√(tr Σ²·l) + 2‖Σ‖l w.p. ≥ 1−δ"),
            Measure("P(H.2 fails) / δ, by all signs", per_method(quadratic_form),
                    Evidence.COMPUTED),
            BOTH, (TRACE,), settles=("p4.lem_h_2",)),
        Row("matrix_chernoff", "min_eigenvalue",
            Inequality("P(λ_min ≤ εμ) ≤ d·exp(−(1−ε)²μ/2)"),
            Measure("P(λ_min ≤ εμ) / bound", per_method(chernoff), Evidence.COMPUTED),
            TAIL, (TWICE, STEEPER), settles=("p4.lem_h_3",)),
        Row("contraction", "privacy_cost", Inequality("TV shrinks by c(ε)"),
            Measure("TV after / (TV before / c)", per_method(contraction), Evidence.SEARCHED),
            VARIATION, (SQUARED, TIGHTER), needs=(Need.PRIVACY,), settles=("p4.lem_h_4",)),
    )  # fmt: skip

    def case(self, point: Point) -> LemmaCase:
        return LemmaCase(
            methods=point.methods, value=point.value, n_pairs=point.given.n_pairs or 0,
            failure_prob=self.failure_prob,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """‖φ‖ ≤ 1, σ = 1 and ε-LDP hold by construction."""
        return (AssumptionResult("bounded features, Rademacher noise", True, "by construction"),)
