"""P4 Lemmas H.1–H.4: the concentration and contraction results that the proofs rest on.

* H.1 (Zanette et al., Lemma 39): for λ ≥ Ω((d/n)·ln(n/δ)), with probability ≥ 1−δ,
  ⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI).  Holds with constant 1 in Ω where it is hardest, cells of mass 1/n; a
  hundredth of λ does not suffice (control).
* H.2 (Hsu et al., Theorem 1): xᵀΣx ≤ σ²[tr Σ + 2√(tr Σ²·ln(1/δ)) + 2‖Σ‖ln(1/δ)] w.p. ≥ 1−δ.
  Control: the trace alone.  (Claim E.1 derived from it with C = 1 fails: see
  estimation_weighted.)
* H.3 (Tropp, Theorem 5.1.1): P(λ_min(Y) ≤ εμ_min) ≤ d·exp(−(1−ε)²μ_min/2H), by exact binomial
  tails.  Controls: twice the exponent, and 10 % more.
* H.4 (Kairouz et al., Corollary 2.9): TV(QP₁, QP₂) ≤ TV(P₁, P₂)/c(ε) for every ε-LDP Q; randomized
  response attains it.  Controls: c(ε)², and a constant 10 % smaller.

What would refute a row: a failure frequency above δ (H.1, H.2), one ratio above 1 (H.3, H.4).
"""

from __future__ import annotations

import numpy as np

from repro.families.robust.bounds_concentration import (
    chernoff_ratio,
    contraction_ratio,
    covariance_fails,
    quadratic_form_fails,
)
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

SHARES = (0.5, 0.7, 0.9, 0.95)
"""ε of Lemma H.3; the proof of Theorem 5.7 uses ½."""
TEN_PERCENT_LESS = 0.9
"""On the right side of H.4: a planted lemma whose constant is 10 % too small."""


class ConcentrationLemmas(SweepExperiment):
    """Appendix H, one row a lemma."""

    slug = "concentration_lemmas"
    title = "P4 Lemmas H.1–H.4: concentration and contraction"
    statements = ("p4.lem_h_1", "p4.lem_h_2", "p4.lem_h_3", "p4.lem_h_4")
    settled_by = {
        "p4.lem_h_1": ("covariance",),
        "p4.lem_h_2": ("quadratic_form",),
        "p4.lem_h_3": ("matrix_chernoff",),
        "p4.lem_h_4": ("contraction",),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"n_pairs"})
    config_type = SweepConfig
    allowed_failure = 0.05

    rows = (
        Row("covariance", "num_features", "cells", "outside", ("ridge_over_hundred",),
            "Lemma H.1 fails [frequency]", "⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI) w.p. ≥ 1−δ"),
        Row("quadratic_form", "num_features", "forms", "outside", ("trace_alone",),
            "Lemma H.2 fails [frequency]", "xᵀΣx ≤ tr Σ + 2√(tr Σ²·l) + 2‖Σ‖l w.p. ≥ 1−δ"),
        Row("matrix_chernoff", "min_eigenvalue", "counts", "tail",
            ("twice_the_exponent", "exponent_ten_percent"),
            "P(λ_min ≤ εμ) / bound", "P(λ_min ≤ εμ) ≤ d·exp(−(1−ε)²μ/2)"),
        Row("contraction", "privacy_cost", "mechanisms", "total_variation",
            ("cost_squared", "ten_percent"),
            "TV after / (TV before / c)", "TV shrinks by c(ε)"),
    )  # fmt: skip

    def __init__(self, config: SweepConfig, setting: Setting) -> None:
        super().__init__(config, setting)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Failures of an event, or ratios to a bound."""
        delta = self.allowed_failure
        match check.name:
            case "covariance":
                n = int(self._fixed(check, "n_pairs"))
                scales = {"outside": 1.0, "ridge_over_hundred": 0.01}
                return {
                    m: covariance_fails(int(value), n, scales[m], delta, rng, replicates)
                    for m in check.methods
                }
            case "quadratic_form":
                return {
                    m: quadratic_form_fails(int(value), m == "trace_alone", delta, rng, replicates)
                    for m in check.methods
                }
            case "matrix_chernoff":
                mean = value * self._fixed(check, "n_pairs")
                return {
                    m: np.full(replicates, max(chernoff_ratio(mean, s, exponent) for s in SHARES))
                    for m, exponent in zip(check.methods, (0.5, 1.0, 0.55), strict=True)
                }
        found = {
            m: np.array([contraction_ratio(value, power, rng) for _ in range(replicates)])
            for m, power in zip(check.methods, (1, 2, 1), strict=True)
        }
        return {**found, "ten_percent": found["ten_percent"] / TEN_PERCENT_LESS}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """‖φ‖ ≤ 1, σ = 1 and ε-LDP hold by construction."""
        return (AssumptionResult("bounded features, Rademacher noise", True, "by construction"),)
