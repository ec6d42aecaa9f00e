"""How many replicates a check needs, from a pilot of its variance.

A check is planned so that its pinned verdict comes out at every budget and practically every seed:
the 95 % half-width of a two-sided claim is a fixed part of its tolerance, and between the measured
value and the edge of the margin there is room for the interval that decides and for chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from scipy import stats

from repro.base.notation import LINEAR_AXES
from repro.core.claims import (
    DeclaredCheck,
    Direction,
    FrequencyCheck,
    RatioCheck,
    SlopeCheck,
    Verdict,
)
from repro.core.rates import Estimate, fit_slope, point_estimates, pooled
from repro.core.results import CheckResult, Outcome, Series
from repro.study.experiment import Budget

PARTS = {"smoke": 3.0, "laptop": 6.0, "paper": 20.0}
"""By budget: the tolerance over the largest 95 % half-width of a two-sided claim (contract)."""

CHANCE = 3.5
"""Standard errors left for chance: a check goes astray at one seed in 4,000."""

SPARE = 1.3
"""A variance from 20 blocks may be a third too small."""

NICE = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


@dataclass(frozen=True)
class Margin:
    """One estimate of a check and the edge that it has to keep away from.

    Attributes:
        error: standard error in the pilot.
        room: from the estimate to the edge of the margin, on the pinned verdict's side.
        width: tolerance that the half-width is a part of; inf for one-sided claims.
        shared: by how many intervals the error rate is shared.
        may_straddle: whether the verdict turns only once the whole interval lies beyond the edge.
    """

    error: float
    room: float
    width: float
    shared: int = 1
    may_straddle: bool = False

    def times(self, pilot: Budget, budget: Budget) -> float:
        """By how much the pilot's replicates must be multiplied at a budget, at least.

        A pilot whose own noise may have put its value beyond the edge is given the benefit of the
        doubt.  inf: the value lies beyond the edge, or there is none.
        """
        room = self.room if self.room > 0 else self.room + CHANCE * self.error
        if not room > 0 or not math.isfinite(self.error):
            return math.inf
        deciding, printed = (
            float(stats.norm.isf(miss / self.shared / 2)) for miss in (budget.check_error, 0.05)
        )
        spent = CHANCE + (-deciding if self.may_straddle else deciding)
        if spent <= 0:
            return 0.0
        largest = min(room / spent, self.width / PARTS[budget.name] / printed)
        return SPARE * (self.error / largest) ** 2 * pilot.replicates / budget.replicates


@dataclass(frozen=True)
class Tail:
    """A frequency that has to stay below what is allowed, by exact intervals at one grid point.

    Their width at a rare event shrinks as 1/n, not as its root.

    Attributes:
        share: how often the event was seen.
        size: replicates in the pilot.
        allowed: how often it may happen.
        shared: by how many intervals the error rate is shared.
    """

    share: float
    size: int
    allowed: float
    shared: int

    def times(self, pilot: Budget, budget: Budget) -> float:
        """By how much the pilot's replicates must be multiplied at a budget, as of ``Margin``."""
        share = self.share
        if share >= self.allowed:
            share -= CHANCE * math.sqrt(share * (1 - share) / self.size)
        if share >= self.allowed:
            return math.inf
        share = max(share, 0.0)
        miss = budget.check_error / self.shared / 2
        n = np.geomspace(10, 1e9, 2000)
        seen = np.floor(n * share + CHANCE * np.sqrt(n * share * (1 - share)))
        high = stats.beta.isf(miss, seen + 1, np.maximum(n - seen, 1e-9))
        enough = n[high <= self.allowed]
        least = enough[0] if enough.size else math.inf
        return float(SPARE * least / self.size * pilot.replicates / budget.replicates)


def planned(result: CheckResult, pilot: Budget, budgets: Iterable[Budget]) -> float:
    """By how much a check's replicates are to be multiplied; 0 where it has no interval.

    Args:
        result: the check and its controls, measured at the pilot's budget.
        pilot: that budget.
        budgets: at which the check is to come out as pinned.

    Returns:
        inf where no number of replicates is enough: the value itself lies beyond the edge.
    """
    pinned: tuple[Outcome, Verdict] = (result.outcome, result.check.expected)
    controls: list[tuple[Outcome, Verdict]] = [(c, "contradicted") for c in result.controls]
    times = [
        _times(margins(result.check, outcome.series, verdict), verdict, pilot, budget)
        for outcome, verdict in [pinned, *controls]
        for budget in budgets
    ]
    return max(times)


def rounded(replicates: float) -> float:
    """The next nice number.

    >>> [rounded(x) for x in (0.04, 0.8, 1.0, 1.2, 2.4, 42, math.inf)]
    [0.05, 1.0, 1.0, 1.5, 3.0, 50.0, inf]
    """
    if math.isinf(replicates):
        return math.inf
    scale = 10.0 ** math.floor(math.log10(replicates) + 1e-12)
    return next(float(f"{n * scale:.3g}") for n in NICE if n * scale >= replicates * (1 - 1e-9))


def _times(
    margins: Sequence[Margin | Tail], verdict: Verdict, pilot: Budget, budget: Budget
) -> float:
    """Every estimate has to hold a claim up; one alone is enough to bring it down."""
    times = [margin.times(pilot, budget) for margin in margins]
    if not times:
        return 0.0
    return min(times) if verdict == "contradicted" else max(times)


@singledispatch
def margins(check: DeclaredCheck, series: Series, verdict: Verdict) -> Sequence[Margin | Tail]:
    """The estimates that a kind of check is judged by; none where nothing is random."""
    return []


@margins.register
def _(check: SlopeCheck, series, verdict) -> list[Margin]:
    t = series.grid if check.axis in LINEAR_AXES else np.log(series.grid)
    try:
        slope = fit_slope(t, series).slope
    except ValueError:  # a mean without a logarithm: no number of replicates is known to do
        return [Margin(math.nan, math.nan, math.inf)]
    room = _room(slope, check.claimed, check.tolerance, check.direction)
    return [_margin(slope, room, check.tolerance, check.direction, verdict, 1)]


@margins.register
def _(check: RatioCheck, series, verdict) -> list[Margin]:
    """The mean over the grid is to hold; a point is to be no contradiction by itself.

    A bound is to hold at every point.
    """
    points, shared = point_estimates(series), len(series.grid)
    judged = [(pooled(points), 1), *((at, shared) for at in points)]
    found = [
        _margin(
            at,
            _room(at, check.claimed, check.tolerance, check.direction),
            check.tolerance,
            check.direction,
            verdict,
            among,
        )
        for at, among in judged
    ]
    if verdict == "contradicted":
        return found
    straddle = check.direction == "two_sided"
    return [found[0], *(replace(at, width=math.inf, may_straddle=straddle) for at in found[1:])]


@margins.register
def _(check: FrequencyCheck, series, verdict) -> Sequence[Margin | Tail]:
    """To be contradicted, an event that was never seen has the error of one that was seen once."""
    flat = series.values.reshape(len(series.grid), -1)
    size = np.isfinite(flat).sum(axis=1)
    shares = np.nansum(flat, axis=1) / size
    if verdict != "contradicted":
        pairs = zip(shares.tolist(), size.tolist(), strict=True)
        return [Tail(share, count, check.allowed, len(size)) for share, count in pairs]
    errors = np.sqrt((shares * size + 1) / (size + 2) * (1 - shares) / size)
    return [
        Margin(float(error), float(share - check.allowed), math.inf, len(size))
        for error, share in zip(errors, shares, strict=True)
    ]


def _room(at: Estimate, claimed: float, tolerance: float, direction: Direction) -> float:
    """How far inside the margin an estimate lies; negative outside."""
    above, below = claimed + tolerance - at.value, at.value - claimed + tolerance
    sides: Mapping[Direction, float] = {"at_most": above, "at_least": below}
    return sides.get(direction, min(above, below))


def _margin(
    at: Estimate, room: float, tolerance: float, direction: Direction, verdict: Verdict, shared: int
) -> Margin:
    if verdict == "contradicted":
        return Margin(at.error, -room, math.inf, shared)
    if direction != "two_sided":
        return Margin(at.error, room, math.inf, shared)
    # a pilot's own noise is no bias: what lies off the claim by chance is taken to lie on it
    likely = min(room + CHANCE * at.error, tolerance)
    return Margin(at.error, likely, tolerance, shared)
