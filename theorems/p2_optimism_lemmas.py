"""P2 Lemmas C.4 and C.5: what the online meta theorem (C.3) stands on.

Statements (P2, appendix C.2).  For fixed t, with probability at least 1−δ, for all π in Π:

    C.4   κ·E_μ[(f_π − f_π*)²] ≤ L̂(π) − L̂(π*) + err,   err = c(ε)²·log(|Π|T/δ) by Lemma C.6;
    C.5   γ(t−1)·E_ref[log π − log π*] ≤ B̂(π) − B̂(π*) + (γ/β)·V_max·√((t−1)·log(|Π|/δ)).

Both fail as printed, on one state with two responses and a class of two policies; assumptions 4.5
(π* in the class) and 4.6 (|β·log π/π_ref| ≤ V_max) hold by construction.

* ``likelihood_printed``: the text defines L̂ = c²·L̂_XPO, a log likelihood (Algorithm 2), which π*
  makes large.  C.4 then asks a nonnegative number to be below one that falls like −t.  It holds
  with L̂(π*) − L̂(π), and with the factor t − 1 on the left that eq. (6) divides by
  (``likelihood_corrected``; the constant of err, which the paper leaves to ≲, is 2).  For SquareXPO
  L̂ is a loss and the printed sign is right, but then the update of Algorithm 4 has the wrong one
  (see ``square_xpo``).
* ``optimism_printed``: Hoeffding's inequality has √8 where C.5 has 1, as log(π/π*) ranges over
  4V/β.  For two equally likely values the probability of failure is exact, and exceeds δ;
  ``optimism_corrected`` holds, and 7.2 in the place of 8 under the root is found.

Neither changes a rate of Theorems 4.8 or 5.3, which hide constants and use the right sign.
"""

from __future__ import annotations

import math

import numpy as np

from repro.families.xpo.bounds_optimism import TwoPolicies, optimism_term_failure
from repro.study.checks import Check, FrequencyCheck
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

CASES, RATIO = "two policies", "P(failure) / δ"
FAILS = "C.4 fails [frequency]"
POLICIES = TwoPolicies(optimal=1.0, other=-0.5, epsilon=1.0, failure_prob=0.05)
CONSTANTS = {
    "printed": 1.0,
    "hoeffding": math.sqrt(8),
    "hoeffding_ten_percent": math.sqrt(8 * 0.9),
}


class P2OptimismLemmas(SweepExperiment):
    """Two lemmas, as printed and corrected."""

    slug = "p2_optimism_lemmas"
    title = "P2 Lemmas C.4, C.5: likelihood and optimism terms of XPO"
    statements = ("p2.lem_c_4", "p2.lem_c_5")
    settled_by = {
        "p2.lem_c_4": ("likelihood_printed", "likelihood_corrected"),
        "p2.lem_c_5": ("optimism_printed", "optimism_corrected"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = SweepConfig

    rows = (
        Row("likelihood_printed", "horizon", CASES, "printed_sign", (), FAILS,
            "C.4 as printed fails with probability ≤ δ"),
        Row("likelihood_corrected", "horizon", CASES, "corrected_sign", ("printed_sign",), FAILS,
            "C.4 with L̂(π*) − L̂(π) fails with probability ≤ δ"),
        Row("optimism_printed", "horizon", CASES, "printed", (), RATIO,
            "C.5 as printed fails with probability ≤ δ"),
        Row("optimism_corrected", "horizon", CASES, "hoeffding",
            ("printed", "hoeffding_ten_percent"), RATIO,
            "C.5 with √8 fails with probability ≤ δ"),
    )  # fmt: skip

    allowed_failure = POLICIES.failure_prob

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Failures of C.4 in simulated rounds, or exact failure probabilities of C.5 over δ."""
        rounds = int(value)
        if isinstance(check, FrequencyCheck):
            excess = POLICIES.log_likelihood_excess(rng, rounds, replicates)
            return {
                m: POLICIES.likelihood_lemma_fails(excess, rounds, m == "printed_sign")
                for m in check.methods
            }
        cases = [(10 ** rng.uniform(-4, 1), 10 ** rng.uniform(-2, 1.78)) for _ in range(replicates)]
        return {
            m: np.array(
                [
                    optimism_term_failure(rounds, v, CONSTANTS[m], x) * math.exp(x) / 2
                    for v, x in cases
                ]
            )
            for m in check.methods
        }

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumptions 4.5 and 4.6 hold by construction of the two policies."""
        return ()
