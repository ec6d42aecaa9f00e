"""Proofs by intervals of P1's scalar lemmas, and counterexamples to their wrong versions.

Where a lemma speaks of two points x and y, the slope between them is a derivative in between (mean
value theorem), so one point of [−B, B] stands for both.  Rearrangements that leave a square where
intervals would lose it are checked symbolically in tests/families/offline_kl/test_proofs_scalar.py.
"""

from __future__ import annotations

from functools import partial

from repro.families.offline_kl.bounds_corrected import AT_LARGE_N, CONSTANTS_APART, LARGEST_TILT
from repro.preferences.label_information import TWO_TERM_CONSTANT
from repro.study.proofs import Claimed, Interval, interval_inverse_slope, iv
from repro.study.row import Method

OFF = 0.9
"""A planted constant, 10 % too small."""
FAR = 1e6
"""Largest root and largest difference, in units of what they are compared with."""
UNIT = (0.0, 1.0)
HALF_TURN = 3.1415926
MOST = 1e12
"""Ratios to nothing are cut here."""


def _width(bound: float) -> Interval:
    """V/e^B = (1 + e^−B)²."""
    return (1 + iv.exp(iv.mpf(-bound))) ** 2


def _above(bound: float, constant: float = TWO_TERM_CONSTANT) -> Claimed:
    """V + κV² over 16·(e^B + κe^(2B)); p = κe^B/(1 + κe^B) from 0 to 1 is every ε."""
    width = _width(bound)
    return Claimed((UNIT,), lambda p: width * (1 + p * (width - 1)) / constant)


def _below(bound: float, factor: float = 1.0) -> Claimed:
    """factor·(e^B + κe^(2B)) over V + κV², likewise."""
    width = _width(bound)
    return Claimed((UNIT,), lambda p: factor / (width * (1 + p * (width - 1))))


two_term_above = Method("two_term_above", _above)
two_term_above_ten_percent = Method(
    "two_term_above_ten_percent", partial(_above, constant=OFF * TWO_TERM_CONSTANT)
)
two_term_below = Method("two_term_below", _below)
two_term_below_ten_percent = Method("two_term_below_ten_percent", partial(_below, factor=1.1))


def _apart(bound: float, share: float = 1.0) -> Claimed:
    """Upper over lower bound at large n, b = B − a, a ≤ 1/10, over share·14.

    S, C, β and q cancel and n/(n+1) ≤ 1, so it is W(B)/W(b) over 0.0889; with p = κV/(1 + κV) at b,
    from 0 to 1 as ε is anything, W(B)/W(b) = ρ·(1 − p + pρ) where ρ = V(B)/V(b).
    """
    most = share * CONSTANTS_APART * AT_LARGE_N

    def ratio(room: Interval, p: Interval) -> Interval:
        # ρ = cosh²(B/2)/cosh²(b/2) grows with a, so each end of a gives an end of ρ
        low, high = (_spread(iv.mpf(bound)) / _spread(bound - end) for end in (room.a, room.b))
        grown = iv.mpf([low.a, high.b])
        return grown * (1 + p * (grown - 1)) / most

    return Claimed(((0.0, min(LARGEST_TILT, bound)), UNIT), ratio)


def _spread(x: Interval) -> Interval:
    """V = 1/σ′, at a point."""
    return interval_inverse_slope(iv.mpf(x))


constants_apart = Method("constants_apart", _apart)
constants_apart_ten_percent = Method("constants_apart_ten_percent", partial(_apart, share=OFF))


def _no_coverage(kl_weight: float, share: float = 1.0) -> Claimed:
    """SubOpt over share·Var_π_ref[error]/(2λm), where f″ ≥ m, response by response.

    SubOpt is λ·Σπ_ref·h(ŵ) for h(w) = f(w) − f(w*) − (f′(w*) + c)(w − w*), whatever c is, as
    ŵ − w* has mean 0; with c the mean of f′(ŵ) − f′(w*) the errors' variance is λ²·Σπ_ref·h′(ŵ)².
    As h(w*) = 0,

        h(ŵ) = h′²/(2m) − (h′ + m(w* − ŵ))²/(2m) − R,

    R ≥ 0 the Bregman divergence of the convex f − m·w²/2.  Over h′²/(2m), with z = m(w* − ŵ)/h′ and
    r = 2mR/h′² ≥ 0, that is 1 − (1 + z)² − r.
    """
    return Claimed(((-FAR, FAR), (0.0, FAR)), lambda z, r: (1 - (1 + z) ** 2 - r) / share)


no_coverage = Method("no_coverage", _no_coverage)
no_coverage_ten_percent = Method("no_coverage_ten_percent", partial(_no_coverage, share=OFF))


def _report_slope(epsilon: float, share: float = 1.0) -> Claimed:
    """(log P(report))′ over share·tanh(ε/4), at every difference.

    With q = P(a flip), s = 1 − 2q and v = e^x it is s/(1 + 2√(q(1−q)) + (√(q/v) − √((1−q)v))²).
    """
    flip = 1 / (1 + iv.exp(iv.mpf(epsilon)))
    keep, grown = 1 - flip, iv.exp(iv.mpf(epsilon) / 2)
    claimed = (grown - 1) / (grown + 1)

    def ratio(root: Interval) -> Interval:
        off = iv.sqrt(flip) / root - iv.sqrt(keep) * root
        return (keep - flip) / (1 + 2 * iv.sqrt(flip * keep) + off**2) / (share * claimed)

    return Claimed(((1e-6, 1e6),), ratio)


log_likelihood = Method("log_likelihood", _report_slope)
log_likelihood_ten_percent = Method("log_likelihood_ten_percent", partial(_report_slope, share=OFF))
