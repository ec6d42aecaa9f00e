"""P2 Theorem 4.8: PrivXPO finds a near-optimal regularised policy at the rate c(ε)/√T.

Statement (Improved bounds for private and robust alignment, Theorem 4.8).  For any β > 0 and T,
with a proper γ, Algorithm 2 has with probability at least 1−δ

    J_β(π*_β) − J_β(π̂) ≲ κ_cov(Π)·c(ε)·√(log(|Π|T/δ)/T),

with, by its proof, κ_cov = (V_max + R_max)·e^{2R_max}·√C_cov(Π)·log T.  In code: β is kl_weight,
c(ε) privacy_cost, C_cov coverability (A up to a constant for needles), γ = β·c(ε)/(2√T).

Testable: the exponents in T and c(ε) as a supremum over a ladder of reward gaps Δ with β ∝ Δ.  On
one fixed instance the gap falls faster (like 1/T, or exponentially for a finite class): the rate
√(1/T) is that of the supremum.  The ladder is fixed in absolute terms, half of the runs choose the
rung and the other half measure there; a worst rung at an end of the ladder is a failed replicate.
Measured is the average iterate, which the proof bounds; the printed output, the best iterate,
needs the unknown J_β.  In A the printed bound is held as an inequality: at reachable A the
needle class has not reached the exponent ½.

With π_ref uniform the comparisons τ̃ explore by themselves, and γ hardly matters.  It does where
π_ref hardly ever draws the best response (row ``exploration``, γ four times as large): C_cov stays
at most 2, so the bound stays, and so does the gap; without optimism, and more so with its sign
reversed, the gap grows as the response gets rarer.

Slips in the proof: Lemma C.6 ends with +L̂(π*_β) + L̂(π) where a difference is meant, and
L̂ is a log-likelihood in Algorithm 2 but a loss in Lemma 3.1.  Algorithm 2 itself is right.

The controls ignore privacy in the likelihood, flip the labels, or drop or reverse optimism.
"""

from __future__ import annotations

import math

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.xpo.cases import Supremum, XpoCase, XpoExperiment, XpoProbes
from repro.families.xpo.quantities import WORST_GAP, worst_gaps
from repro.families.xpo.wrong import (
    exploring_xpo,
    label_flip,
    naive_likelihood,
    priv_xpo,
    reversed_optimism,
    without_optimism,
)
from repro.study.claims import Inequality, Slope
from repro.study.row import Evidence, Measure, Need, Row, Values

CLASS_TILTS = 17
FAILURE_PROB = 0.05


def printed_bound(case: XpoCase) -> float:
    """The bound at the end of Theorem 4.8's proof, constant 1, R_max = V_max = 1."""
    members = CLASS_TILTS * case.num_actions
    logs = math.log(members * case.horizon / FAILURE_PROB) * math.log(case.horizon) ** 2
    root = math.sqrt(case.num_actions * logs / case.horizon)
    return privacy_cost(case.epsilon) * 2 * math.exp(2) * root


def shares(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method on its worst rung over the printed bound."""
    bound = printed_bound(case)
    return {name: gap / bound for name, gap in worst_gaps(case, rng, replicates).items()}


SHARE = Measure("average gap / printed bound", shares, Evidence.MEASURED)
EXACT, BOUND = Supremum(interior=True), Supremum(interior=False)
RATE = ("p2.thm_4_8", "p2.alg_2", "p2.lem_c_6")
NEEDS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)


class PrivateXpo(XpoExperiment):
    """Theorem 4.8 on needles of two and more responses."""

    title = "P2 Theorem 4.8: PrivXPO, private online alignment"
    settles = ("p2.thm_4_8", "p2.alg_2")
    config_type = XpoProbes

    rows = (
        Row("horizon", "horizon", Slope(-0.5, "sup over instances: gap {rate}"), WORST_GAP,
            priv_xpo, (naive_likelihood, label_flip), on="needles", given=EXACT, needs=NEEDS,
            settles=RATE),
        Row("privacy_cost", "privacy_cost", Slope(1, "sup over instances: gap {rate}"), WORST_GAP,
            priv_xpo, (naive_likelihood,), on="needles", given=EXACT, needs=NEEDS, settles=RATE),
        Row("num_actions", "num_actions",
            Inequality("gap ≤ c(ε)(V+R)e^{2R}·√(A·log(|Π|T/δ)·log²T/T)"), SHARE, priv_xpo,
            (label_flip,), on="needles", given=BOUND, needs=(Need.LABELS,)),
        Row("exploration", "coverage", Slope(0, "C_cov ≤ 2, best response rare: gap {rate}",
            "at_most", tolerance=0.1, symbol="1/π_ref"), WORST_GAP, exploring_xpo,
            (without_optimism, reversed_optimism), on="needles", given=BOUND,
            needs=(Need.OPTIMISM,)),
    )  # fmt: skip
