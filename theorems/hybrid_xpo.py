"""P2, section 6: n offline and T online private labels together (ours).

The paper leaves hybrid settings open.  Here SquareXPO (Algorithm 4, its sign corrected) starts from
n labels of pairs of π_ref, its loss is the sum over all n + t labels, and its optimism is
W·E_ref[log π] with the known π_ref and one W for all rounds.

Statement (``own.hybrid``, docs/explanations/hybrid.md).  C_cov is Definition 4.7's, C_off the
largest π/π_ref of the class, K = 4cosh²(R_max/2)(1 + (2V_max − R_max)₊), ℓ = log(|Π|/δ),
q = (1 − e^(−1/2))/4.  For a finite class with Assumptions 4.5 and 4.6, every β > 0, n and T, and
W = (8β/K)·√(qE/Λ), with probability at least 1−δ the average of J_β(π*_β) − J_β(π^(t)) is at most

    (K/4)·√(EΛ/q),    E = 4c(ε)²ℓ + 16q·C_cov,
    Λ = C_cov·log(1 + T/(C_cov(1 + n/C_off)))/(T·log 2) ≤ 2.9·max{1, log(1 + T/C_cov)}/N,

N = n/C_off + T/C_cov.  For every algorithm, n, T and w ≤ ½ there are two problems of two responses,
one of them with π_ref = w, R_max ≤ 1, C_off ≤ 1/w, C_cov ≤ 2, in one of which its expected average
gap is at least min{1/8, .11·c(ε)/√(2wn + T)}, and 2wn + T ≤ 2N.

So offline labels count for n/C_off and online ones for T/C_cov: on two responses from both sides,
for every finite class from above where c(ε)²ℓ exceeds .4·C_cov (with another W always: Theorem 1′
of the page, which has no row).  Online labels beat as many offline ones by √(1/w).  Testable: the
exponents in n, T and c(ε); that of 1/w in the gap of T offline labels over that of T online ones,
where the rare response is the better; both bounds.

The gap is that of the harder of both problems of the lower bound, the supremum over a ladder of
rewards.  What would refute it: a gap above the upper or below the lower bound; another exponent.
Wrong versions read the labels of one phase only, or give both mean losses the same weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from repro.families.xpo.cases import Supremum, XpoCase, XpoExperiment, XpoProbes
from repro.families.xpo.hybrid import (
    ADVANTAGE,
    HARDER_GAP,
    LOWER_OVER,
    OVER_UPPER,
    HybridCase,
    evenly_weighted,
    hybrid_xpo,
    label_flip,
    more_labels,
    offline_ignored,
    online_ignored,
    realizable_and_bounded,
    reversed_optimism,
    without_cost,
    without_optimism,
)
from repro.study.case import Point
from repro.study.claims import Inequality, Slope
from repro.study.results import AssumptionResult
from repro.study.row import Need, Row

OFFLINE, ONLINE = (Supremum(interior=True, rare=rare) for rare in (0.01, 1e-15))
BOUND, SWEPT = Supremum(interior=False, rare=0.01), Supremum(interior=False)
LEARNS = (Need.LABELS, Need.TRUTH_HIDDEN)
OPTIMISTIC = (without_optimism, reversed_optimism)


class HybridXpo(XpoExperiment):
    """Both bounds of own.hybrid."""

    title = "P2 section 6: SquareXPO from offline and online private labels"
    settles = ("own.hybrid",)
    config_type = XpoProbes
    case_type: ClassVar[type[XpoCase]] = HybridCase

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "T = 100: gap {rate}"), HARDER_GAP, hybrid_xpo,
            (offline_ignored, evenly_weighted, label_flip, without_cost), on="needles",
            given=OFFLINE, needs=LEARNS),
        Row("horizon", "horizon", Slope(-0.5, "π_ref of one response 1e-15: gap {rate}"),
            HARDER_GAP, hybrid_xpo, (online_ignored, evenly_weighted, *OPTIMISTIC), on="skewed",
            given=ONLINE, needs=(*LEARNS, Need.OPTIMISM)),
        Row("privacy_cost", "privacy_cost", Slope(1, "as much from both: gap {rate}"), HARDER_GAP,
            hybrid_xpo, (without_cost,), on="needles", given=OFFLINE,
            needs=(*LEARNS, Need.PRIVACY)),
        Row("advantage", "inverse_reference",
            Slope(0.5, "T offline labels over T online: {rate}"), ADVANTAGE, hybrid_xpo,
            OPTIMISTIC, on="skewed", given=SWEPT, needs=(Need.LABELS, Need.OPTIMISM)),
        Row("upper_bound", "n_pairs", Inequality("gap ≤ K/4·√(EΛ/q) with probability .95"),
            OVER_UPPER, hybrid_xpo, (offline_ignored, evenly_weighted, label_flip), on="needles",
            given=BOUND, needs=(Need.LABELS,)),
        Row("lower_bound", "horizon", Inequality("gap ≥ min{1/8, .11·c(ε)/√(2wn + T)}"),
            LOWER_OVER, hybrid_xpo, (more_labels,), on="needles", given=BOUND,
            needs=(Need.TRUTH_HIDDEN,)),
    )  # fmt: skip

    def case(self, point: Point) -> XpoCase:
        """What one grid point plays, with its offline labels."""
        given = point.given.n_pairs or point.probe.n_pairs or 0
        return replace(super().case(point), n_pairs=int(point.swept("n_pairs", given)))

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumptions 4.5 and 4.6 of both problems: π*_β is in the class, and V_max = R_max."""
        return self.at_both_ends(HybridCase, realizable_and_bounded)
