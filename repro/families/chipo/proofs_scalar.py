"""Lemma 1 of price_of_adaptivity.md by intervals, and a counterexample to a smaller constant."""

from __future__ import annotations

from functools import partial

from repro.study.proofs import Claimed, Interval, iv
from repro.study.row import Method


def _between(bound: float, share: float = 1.0) -> Claimed:
    """|x − y|/|tanh(x/2) − tanh(y/2)| over share·K_R, |x| ≤ 2R and |y| ≤ R.

    It is 2·cosh(x/2)·cosh(y/2)·u/sinh(u), u = (x−y)/2, and K_R = R·cosh(R)·coth(R/2) its value at
    the corner (2R, R).
    """
    end = iv.mpf(bound)
    worst = end * _cosh(end) * _cosh(end / 2) / _sinh(end / 2)

    def ratio(x: Interval, y: Interval) -> Interval:
        return 2 * _cosh(x / 2) * _cosh(y / 2) * _over_sinh((x - y) / 2) / (share * worst)

    # x ≥ 0 stands for both signs, since the ratio does not change under (x, y) → (−x, −y)
    return Claimed(((0.0, 2 * bound), (-bound, bound)), ratio)


inverse_slope = Method("inverse_slope", _between)
inverse_slope_ten_percent = Method("inverse_slope_ten_percent", partial(_between, share=0.9))


def _cosh(x: Interval) -> Interval:
    """cosh(x), which grows in |x|: its ends are those of |x|, so that nothing is lost."""
    low, high = ((iv.exp(end) + iv.exp(-end)) / 2 for end in (abs(x).a, abs(x).b))
    return iv.mpf([low.a, high.b])


def _sinh(x: Interval) -> Interval:
    return (iv.exp(x) - iv.exp(-x)) / 2


def _over_sinh(u: Interval) -> Interval:
    """u/sinh(u), which falls in |u| from 1: its ends are those of |u|."""
    size = abs(u)
    low, high = (iv.mpf(1) if end == 0 else end / _sinh(end) for end in (size.b, size.a))
    return iv.mpf([low.a, min(high.b, 1)])  # rounding in sinh shows where u is all but 0
