"""Proofs by intervals of three steps of P3's Lemma A.11, and counterexamples to wrong versions."""

from __future__ import annotations

from functools import partial

from repro.families.central.quantities_objective import QUADRATIC_CURVATURE, StepCase
from repro.study.proofs import Claimed, Interval, iv
from repro.study.row import Method


def _convexity(case: StepCase, reach: float = 1.0) -> Claimed:
    """γ over the second derivative of one pair's loss, at every difference |x| ≤ 2LB (A.4).

    By Taylor's formula it is the ratio of the two sides for that pair, and the lemma's two sides
    are sums of those of the pairs, whatever their features and weights.

    Args:
        case: whose L and B.
        reach: |x| up to which γ is taken, over 2LB.
    """
    end = 2 * iv.mpf(case.budget.feature_norm) * iv.mpf(case.budget.radius)
    gamma = 1 / _inverse_slope(reach * end)
    return Claimed(((0.0, float(end.b)),), lambda x: gamma * _inverse_slope(x))


def _inverse_slope(x: Interval) -> Interval:
    """1/σ′."""
    grown = iv.exp(x)
    return 2 + grown + 1 / grown


curvature = Method("curvature", _convexity)
curvature_of_rewards = Method("curvature_of_rewards", partial(_convexity, reach=0.5))


def _growth(case: StepCase) -> Claimed:
    """(γ/2)·h² over f(θ) − f(θ̂) for one pair, h the difference that the step makes (A.5).

    By Taylor's formula the right side is g·h + ½σ′(x)·h², and g·h ≥ 0 where θ̂ is the minimum of a
    ball; with s = 2g/h ≥ 0 the ratio is γ/(σ′(x) + s).
    """
    end = 2 * iv.mpf(case.budget.feature_norm) * iv.mpf(case.budget.radius)
    gamma = 1 / _inverse_slope(end)
    box = ((0.0, float(end.b)), (0.0, 1e6))
    return Claimed(box, lambda x, s: gamma / (1 / _inverse_slope(x) + s))


def _growth_printed(case: StepCase) -> Claimed:
    """f(θ) + (γ/2)‖θ̂ − θ‖² over f(θ̂), the two sides exchanged: one pair whose label is certain.

    θ̂ lies on the ball, and a reward difference x short of it f is log(1 + e^(x − 2LB)).
    """
    end = 2 * iv.mpf(case.budget.feature_norm) * iv.mpf(case.budget.radius)
    gamma, least = 1 / _inverse_slope(end), iv.log(1 + iv.exp(-end))
    box = ((0.0, float(end.b)),)
    return Claimed(box, lambda x: (iv.log(1 + iv.exp(x - end)) + gamma / 2 * x**2) / least)


growth = Method("growth", _growth)
growth_printed = Method("growth_printed", _growth_printed)


def _ridge(case: StepCase, printed: bool = False) -> Claimed:
    """γ·vᵀ(M + κI)v over vᵀ(γM + cI)v for f = (γ/2)‖θ‖²_M (A.6); κ = c/γ, or c/2 as printed.

    With p the share of ‖v‖² in vᵀMv + ‖v‖² it is 1 + (γκ − c)·p/(γ(1−p) + cp).
    """
    gamma = iv.mpf(QUADRATIC_CURVATURE)

    def ratio(share: Interval, c: Interval) -> Interval:
        excess = c * (gamma / 2 - 1) if printed else iv.mpf(0)
        return 1 + excess * share / (gamma * (1 - share) + c * share)

    return Claimed(((0.0, 1.0), (0.1, 2.0)), ratio)


ridge_convexity = Method("ridge_convexity", _ridge)
ridge_convexity_printed = Method("ridge_convexity_printed", partial(_ridge, printed=True))
