"""Proofs by intervals of P3's eqs. (19) and (21) and of a ranking's term of Σ_K, L and B given.

The printed forms are refuted by one comparison, whose two sides are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from repro.families.central.quantities_rankings import RankingCase
from repro.study.proofs import Claimed, Interval, iv, proved
from repro.study.row import Method

RATIO = "left side / right side"
PROVED = proved(RATIO, of=lambda case: case)
UNIT = (0.0, 1.0)


def _curvature(case: RankingCase) -> Claimed:
    """γ_K·vᵀΣ_K·v over vᵀ∇²ℓ·v with γ_K = e^(−4LB)·(K−1)/(2K), by the first choice alone.

    With x_k = vᵀφ_k the first choice adds ½·Σ_jk p_j·p_k·(x_j − x_k)² to the right, the others are
    not negative, and the left is e^(−4LB)/K²·½·Σ_jk (x_j − x_k)².  So it is enough that
    p_j·p_k ≥ e^(−4LB)/K²: with rewards a and b of the two responses and K·e^m the sum of all e^r,
    the ratio is exp(2m − a − b − 4LB), and a, b, m lie in [−LB, LB].
    """
    end = iv.mpf(case.feature_norm) * iv.mpf(case.radius)
    side = (-float(end.b), float(end.b))
    return Claimed((side, side, side), lambda a, b, m: iv.exp(2 * m - a - b - 4 * end))


def _curvature_printed(case: RankingCase) -> Claimed:
    """With γ_K = e^(−4LB)/2, at θ = 0 where all responses but one have the same features.

    x is 1 for one response and −1 for the others: vᵀ∇²ℓ·v = 4·(K−1)/K², as only the choice among
    all tells anything, and vᵀΣ_K·v = 8/K.
    """
    count, end = case.num_ranked, iv.mpf(case.feature_norm) * iv.mpf(case.radius)
    hessian, covariance = iv.mpf(4 * (count - 1)) / count**2, iv.mpf(8) / count
    return Claimed((UNIT,), lambda _: iv.exp(-4 * end) / 2 * covariance / hessian)


curvature = Method("curvature", _curvature)
curvature_printed = Method("curvature_printed", _curvature_printed)


def _term(case: RankingCase) -> Claimed:
    """2/(K−1)·Σ(x_k − x̄)² over 2KL²/(K−1): the mean of x² less x̄², both over L²."""
    return Claimed((UNIT, (-1.0, 1.0)), lambda square, mean: square - mean**2)


def _term_of_many(case: RankingCase) -> Claimed:
    """Wrong: over 2L², with x = ±L by turns."""
    count = iv.mpf(case.num_ranked)
    mean = iv.mpf(case.num_ranked % 2) / count
    return Claimed((UNIT,), lambda _: (1 - mean**2) * count / (count - 1))


two_k_over_k_minus_1 = Method("two_k_over_k_minus_1", _term)
limit_of_many = Method("limit_of_many", _term_of_many)


class Trajectories(Protocol):
    """What eq. (21) reads of a case: H, L and B."""

    @property
    def steps(self) -> int: ...
    @property
    def feature_norm(self) -> float: ...
    @property
    def radius(self) -> float: ...


def _of_trajectories(
    case: Trajectories, over_sum: Callable[[Interval], Interval] | None = None
) -> Claimed:
    """γ_τ·vᵀΣv over vᵀ∇²ℓ·v; Σ = x·xᵀ has the square of the Hessian, σ′·xxᵀ, and |m| ≤ 2HLB.

    Args:
        case: H, L, B.
        over_sum: what another Σ has in the place of (xᵀv)², over it, as a function of ``left``.
    """
    end = 2 * case.steps * iv.mpf(case.feature_norm) * iv.mpf(case.radius)
    gamma = 1 / _inverse_slope(end)
    if over_sum is None:
        return Claimed(((0.0, float(end.b)),), lambda m: gamma * _inverse_slope(m))
    return Claimed(((1e-6, 1.0),), lambda left: gamma * 4 * over_sum(left))


def _inverse_slope(m: Interval) -> Interval:
    """1/σ′."""
    grown = iv.exp(m)
    return 2 + grown + 1 / grown


def _steps_that_cancel(left: Interval) -> Interval:
    """Σ of the main text: steps y and −(1 − left)·y, whose sum is left·y, at θ = 0 and v = y."""
    return (1 + (1 - left) ** 2) / left**2


of_the_sum = Method("covariance", _of_trajectories)
step_by_step = Method("covariance_printed", partial(_of_trajectories, over_sum=_steps_that_cancel))
