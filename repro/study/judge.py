"""From measurements to verdicts: the rules of the contract, and nothing else.

A slope or ratio is supported when its 95 % interval lies inside claimed ± tolerance (an
equivalence test), or on the allowed side of a bound; contradicted when the interval lies
wholly outside; inconclusive when it straddles the margin.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from scipy import stats

from repro.base.notation import LINEAR_AXES
from repro.study.checks import (
    Check,
    Direction,
    FrequencyCheck,
    InequalityCheck,
    RatioCheck,
    SlopeCheck,
    Verdict,
)
from repro.study.rates import Interval, Slope, fit_mean, fit_slope
from repro.study.results import Fit, Outcome, Series

MAX_FAILED_SHARE = 0.01
"""Beyond this share of failed replicates a check is inconclusive: the rest may be a selection."""


def compare(ci: Interval, claimed: float, tolerance: float, direction: Direction) -> Verdict:
    """Hold an interval against a claim.

    >>> compare(Interval(-1.0, -1.01, -0.99), -1.0, 0.05, "two_sided")
    'supported'
    >>> compare(Interval(-2.0, -2.01, -1.99), -1.0, 0.05, "at_most")
    'supported'
    """
    low = -np.inf if direction == "at_most" else claimed - tolerance
    high = np.inf if direction == "at_least" else claimed + tolerance
    if not np.isfinite([ci.low, ci.high]).all():
        return "inconclusive"
    if low <= ci.low and ci.high <= high:
        return "supported"
    return "contradicted" if ci.high < low or ci.low > high else "inconclusive"


@singledispatch
def judge(
    check: Check, method: str, series: Series, rng: np.random.Generator, resamples: int
) -> Outcome:
    """Judge one method's measurements under one check.

    Args:
        check: the declared claim.
        method: name of the implementation measured.
        series: its measurements.
        rng: stream of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    raise TypeError(f"no rule for {type(check).__name__}")


@judge.register
def _(check: SlopeCheck, method, series, rng, resamples) -> Outcome:
    log_axis = check.axis not in LINEAR_AXES
    t = np.log(series.grid) if log_axis else series.grid
    try:
        slope = fit_slope(t, series, rng, resamples)
    except ValueError as problem:
        return _unmeasured(check, method, series, str(problem))
    verdict = _enough(series, _slope_verdict(check, slope))
    numbers = {
        "claimed": check.claimed,
        "direction": check.direction,
        "slope": slope.slope.value,
        "ci95": [slope.slope.low, slope.slope.high],
        "tolerance": check.tolerance,
        "curvature": slope.curvature.value,
        "curvature_ci95": [slope.curvature.low, slope.curvature.high],
        "end_slope": slope.end_slope.value,
        "end_slope_ci95": [slope.end_slope.low, slope.end_slope.high],
        "local_slopes": list(slope.local),
    }
    return Outcome(
        method, verdict, numbers, series, Fit(slope.slope.value, slope.intercept, log_axis)
    )


@judge.register
def _(check: RatioCheck, method, series, rng, resamples) -> Outcome:
    if not np.isfinite(series.means).all():
        return _unmeasured(check, method, series, "a grid point has no finite value")
    ratio = fit_mean(series, rng, resamples)
    verdict = _enough(series, compare(ratio, check.claimed, check.tolerance, "two_sided"))
    numbers = {
        "claimed": check.claimed,
        "value": ratio.value,
        "ci95": [ratio.low, ratio.high],
        "tolerance": check.tolerance,
        "by_point": series.means.tolist(),
    }
    return Outcome(method, verdict, numbers, series)


@judge.register
def _(check: InequalityCheck, method, series, rng, resamples) -> Outcome:
    cases = sum(_cases(row) for row in series.values.reshape(len(series.grid), -1))
    if cases == 0:
        return _unmeasured(check, method, series, "no case has a finite value")
    largest = float(np.nanmax(series.values))
    holds: Verdict = "supported" if largest <= 1 + check.tolerance else "contradicted"
    numbers = {"max_ratio": largest, **_slack(largest), "cases": cases}
    numbers["tolerance"] = check.tolerance
    return Outcome(method, _enough(series, holds), numbers, series)


@judge.register
def _(check: FrequencyCheck, method, series, rng, resamples) -> Outcome:
    """Clopper–Pearson intervals at each grid point, Bonferroni over the grid."""
    flat = series.values.reshape(len(series.grid), -1)
    level = 1 - 0.05 / len(series.grid)
    if not np.isfinite(series.means).all():
        return _unmeasured(check, method, series, "a grid point has no finite value")
    frequencies, lows, highs = [], [], []
    for row in flat:
        row = row[np.isfinite(row)]
        test = stats.binomtest(int(row.sum()), row.size)
        interval = test.proportion_ci(level, method="exact")
        frequencies.append(float(row.mean()))
        lows.append(float(interval.low))
        highs.append(float(interval.high))
    bound = Interval(max(frequencies), max(lows), max(highs))
    numbers = {
        "claimed": check.allowed,
        "allowed": check.allowed,
        "value": bound.value,
        "ci95": [bound.low, bound.high],
        "max_ratio": bound.value / check.allowed,
        **_slack(bound.value / check.allowed),
        "cases": int(np.isfinite(flat).sum()),
    }
    verdict = compare(bound, check.allowed, 0.0, "at_most")
    return Outcome(method, _enough(series, verdict), numbers, series)


def _slack(largest: float) -> dict[str, float]:
    """How many times smaller the constant of an inequality could be; left out where it is 0."""
    return {"slack": 1 / largest} if largest > 0 else {}


def _cases(values: np.ndarray) -> int:
    """Cases tried at a grid point: an exact number, the same in every replicate, is one case."""
    finite = values[np.isfinite(values)]
    return 1 if finite.size and np.ptp(finite) == 0 else finite.size


def _slope_verdict(check: SlopeCheck, slope: Slope) -> Verdict:
    """The mean slope's verdict, unless a significant bend leads elsewhere at the far end."""
    verdict = compare(slope.slope, check.claimed, check.tolerance, check.direction)
    if not slope.bends:
        return verdict
    at_end = compare(slope.end_slope, check.claimed, check.tolerance, check.direction)
    opposite = {"supported": "contradicted", "contradicted": "supported"}
    return "inconclusive" if at_end == opposite.get(verdict) else verdict


def _enough(series: Series, verdict: Verdict) -> Verdict:
    """Inconclusive where too many replicates failed."""
    return "inconclusive" if series.failed > MAX_FAILED_SHARE * series.values.size else verdict


def _unmeasured(check: Check, method: str, series: Series, reason: str) -> Outcome:
    """An outcome without a number, with the reason in its place."""
    empty = {"slope": "slope", "inequality": "max_ratio"}.get(check.kind, "value")
    return Outcome(method, "inconclusive", {empty: None, "reason": reason}, series)
