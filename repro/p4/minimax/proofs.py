"""Proofs by intervals of Lemma 2 of sharper_floor.md: what labels that move tell of a parameter.

‖θ − θ′‖² and E|σ(u) − σ(v)| are sums over the cells of x, so it is enough to compare them in one.
With h = |u − v|/2 and m = (u + v)/2, |m| ≤ B′ − h,

    |σ(u) − σ(v)| = sinh h/(cosh m + cosh h) ≥ sinh h/(cosh(B′−h) + cosh h) = p(2h),

and F(h) = (2h)²/p(2h) is what is left.  With L = (log F)′ = 2/h − coth h + tanh(h − B′/2), F grows
where L ≥ 0, and log F(x) − log F(y) = L(y)(x−y) + ½L′(z)(x−y)² with z between x and y (Taylor):
near a maximum inside, plain intervals err by the first power of their width, this by the second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from repro.core.proofs import Claimed, Interval, iv
from repro.p4.minimax.modulus import RUNGS, saturation, worst_step

SHARE = (0.0, 1.0)
ZERO, ONE, TWO = iv.mpf(0), iv.mpf(1), iv.mpf(2)
"""Converted once: converting is a fifth of all work."""
KEPT = 1 << 14
"""Values kept: neighbouring pieces share ends and sides, and the methods share pieces."""


@lru_cache(maxsize=KEPT)
def _number(value: float) -> Interval:
    """A number, converted once."""
    return iv.mpf(value)


def _monotone(rising: Callable[[Interval], Interval], x: Interval) -> Interval:
    """A growing function at both ends."""
    if x.a == x.b:
        return rising(x)
    return iv.mpf([rising(x.a).a, rising(x.b).b])


def _cosh(x: Interval) -> Interval:
    """cosh, which grows in |x|."""
    return _monotone(_cosh_at, abs(x))


@lru_cache(maxsize=KEPT)
def _cosh_at(end: Interval) -> Interval:
    return (iv.exp(end) + iv.exp(-end)) / TWO


@lru_cache(maxsize=KEPT)
def _tanh(x: Interval) -> Interval:
    return ONE - TWO / (ONE + iv.exp(TWO * x))


def _sinh_over(x: Interval) -> Interval:
    """sinh(x)/x for x ≥ 0: it grows from 1."""
    return _monotone(_sinh_over_at, x)


@lru_cache(maxsize=KEPT)
def _sinh_over_at(end: Interval) -> Interval:
    return (iv.exp(end) - iv.exp(-end)) / (TWO * end) if end > ZERO else ONE


@lru_cache(maxsize=KEPT)
def _rate(h: Interval, bound: float) -> Interval:
    """L: 2/h − coth h falls in h, as sinh h ≥ h, and tanh(h − B′/2) grows."""

    def falling(end: Interval) -> Interval:
        return TWO / end - ONE / _tanh(end) if end > ZERO else iv.inf

    growing = _tanh(h - _number(bound) / TWO)
    return iv.mpf([(falling(h.b) + growing.a).a, (falling(h.a) + growing.b).b])


@lru_cache(maxsize=KEPT)
def _bend(h: Interval, bound: float) -> Interval:
    """L′ = −2/h² + 1/sinh²h + 1/cosh²(h − B′/2), at h > 0."""
    return (ONE / _sinh_over(h) ** 2 - TWO) / h**2 + ONE / _cosh(h - _number(bound) / TWO) ** 2


@lru_cache(maxsize=KEPT)
def _per_h(h: Interval, bound: float) -> Interval:
    """F/(4h) = (h/sinh h)·(cosh(B′−h) + cosh h)."""
    return (_cosh(_number(bound) - h) + _cosh(h)) / _sinh_over(h)


@lru_cache(maxsize=KEPT)
def _over(share: Interval, there: Interval, bound: float) -> Interval:
    """F(share·there)/F(there), share·there in [0, B′]."""
    here = share * there
    direct = share * _per_h(here, bound) / _per_h(there, bound)
    if direct.b <= ONE:
        return direct
    between = iv.mpf([min(here.a, there.a), max(here.b, there.b)])
    if share.b <= ONE and _rate(between, bound).a >= ZERO:
        return iv.mpf([direct.a, min(direct.b, ONE.b)])
    if between.a <= ZERO:
        return direct
    apart = (share - ONE) * there
    change = _rate(there, bound) * apart + _bend(between, bound) / TWO * apart**2
    return iv.mpf([max(direct.a, iv.exp(change).a), min(direct.b, iv.exp(change).b)])


def separation(bound: float, share: float = 1.0) -> Claimed:
    """F(h) over share·g(B′): its largest value as ``saturation`` has it.

    Args:
        bound: B′.
        share: 1; less of it is wrong.
    """
    most = worst_step(bound) / 2
    known = 4 * iv.mpf(most) * _per_h(iv.mpf(most), bound) / (share * saturation(bound))
    return Claimed(((0.0, bound / most),), lambda part: known * _over(part, iv.mpf(most), bound))


def covered_separation(bound: float, share: float = 1.0) -> Claimed:
    """√F(h) over share·√(max of F up to r), at every h ≤ r ≤ B′.

    A cell of mass m ≥ ξ that moves W in all has p(2h) ≤ W/m ≤ W/ξ, hence h ≤ r with p(2r) = W/ξ
    (or r = B′), and ω(W, ξ)² = W·max F up to r; so q² = Σ m·(2h)² ≤ max F·Σ m·p(2h) ≤ ω².  The
    maximum up to r is at least F(r), and F at the first maximum where r is beyond it.

    Args:
        bound: B′.
        share: 1; less of it is wrong.
    """
    peak = iv.mpf(first_peak(bound))

    def ratio(part: Interval, reach: Interval) -> Interval:
        interval = _over(part, reach, bound)
        if reach.b > peak.a:
            by_peak = _over(part * reach / peak, peak, bound)
            beyond = reach.a >= peak.b  # else r may lie before the maximum
            most = min(interval.b, by_peak.b) if beyond else interval.b
            interval = iv.mpf([min(interval.a, by_peak.a), most])
        return iv.sqrt(interval) / _number(share)

    return Claimed((SHARE, (0.0, bound)), ratio)


def first_peak(bound: float) -> float:
    """h ≤ B′ up to which F grows: the first root of L, or B′."""
    ladder = np.linspace(0, bound, RUNGS + 1)[1:]
    falls = [h for h in map(float, ladder) if float(_rate(iv.mpf(h), bound).b) < 0]
    if not falls:
        return bound
    root: Any = scipy.optimize.brentq(
        lambda h: float(_rate(iv.mpf(h), bound).mid), falls[0] / 2, falls[0]
    )
    return float(root)
