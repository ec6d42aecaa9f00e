"""From measurements to verdicts: the rules of the contract, and nothing else.

A slope is supported when its interval lies inside claimed ± tolerance (an equivalence test), or on
the allowed side of a bound; contradicted when the interval lies wholly outside; inconclusive when
it straddles the margin.  A ratio is held to its claim on the mean, and contradicted by any grid
point; a frequency is held to it at every point, by intervals that hold together.  Printed
intervals are those of 95 %; the budget says how rarely the interval that decides may miss the
truth, so that the suite's verdicts hold together too.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from repro.base.notation import LINEAR_AXES
from repro.core.claims import (
    DeclaredCheck,
    Direction,
    FrequencyCheck,
    InequalityCheck,
    RatioCheck,
    SlopeCheck,
    Verdict,
)
from repro.core.rates import Interval, SlopeFit, fit_slope, point_estimates, pooled
from repro.core.results import MAX_FAILED_SHARE, Fit, Outcome, Series
from repro.core.verdicts import worst
from repro.labels.privacy.clopper_pearson import lower, upper

OPPOSITE = {"supported", "contradicted"}


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
def judge(check: DeclaredCheck, method: str, series: Series, check_error: float) -> Outcome:
    """Judge one method's measurements under one check.

    Args:
        check: the declared claim.
        method: name of the implementation measured.
        series: its measurements.
        check_error: how often the interval that decides may miss the truth, at most 0.05.
    """
    raise TypeError(f"no rule for {type(check).__name__}")


@judge.register
def _(check: SlopeCheck, method, series, check_error) -> Outcome:
    log_axis = check.axis not in LINEAR_AXES
    t = np.log(series.grid) if log_axis else series.grid
    try:
        slope = fit_slope(t, series)
    except ValueError as problem:
        return _unmeasured(check, method, series, str(problem))
    verdict = _enough(series, _slope_verdict(check, slope, check_error))
    mean, curvature, end = (x.interval() for x in (slope.slope, slope.curvature, slope.end_slope))
    numbers = {
        "claimed": check.claimed,
        "direction": check.direction,
        "slope": mean.value,
        "ci95": [mean.low, mean.high],
        "tolerance": check.tolerance,
        "curvature": curvature.value,
        "curvature_ci95": [curvature.low, curvature.high],
        "end_slope": end.value,
        "end_slope_ci95": [end.low, end.high],
        "local_slopes": list(slope.local),
        **_distance(check, mean.value),
    }
    return Outcome(method, verdict, numbers, series, Fit(mean.value, slope.intercept, log_axis))


@judge.register
def _(check: RatioCheck, method, series, check_error) -> Outcome:
    """The mean over the grid decides, unless a grid point by itself contradicts the claim.

    A bound (a one-sided claim) has to hold at every grid point.  Intervals of points hold together
    (Bonferroni over the grid), so errors to either side do not make up for each other.
    """
    if not np.isfinite(series.means).all():
        return _unmeasured(check, method, series, "a grid point has no finite value")
    points, share = point_estimates(series), 1 / len(series.grid)
    mean, shown = pooled(points), [point.interval(0.05 * share) for point in points]
    numbers = {
        "claimed": check.claimed,
        **({} if check.direction == "two_sided" else {"direction": check.direction}),
        "value": mean.value,
        "ci95": [mean.interval().low, mean.interval().high],
        "tolerance": check.tolerance,
        "by_point": [at.value for at in shown],
        "by_point_ci95": [[at.low, at.high] for at in shown],
        **_factor(check, series.means),
    }
    deciding = [
        mean.interval(check_error),
        *(point.interval(check_error * share) for point in points),
    ]
    verdicts: list[Verdict] = [
        compare(at, check.claimed, check.tolerance, check.direction) for at in deciding
    ]
    everywhere = check.direction != "two_sided" or "contradicted" in verdicts
    verdict = worst(verdicts) if everywhere else verdicts[0]
    return Outcome(method, _enough(series, verdict), numbers, series)


@judge.register
def _(check: InequalityCheck, method, series, check_error) -> Outcome:
    cases = sum(_cases(row) for row in series.values.reshape(len(series.grid), -1))
    if cases == 0:
        return _unmeasured(check, method, series, "no case has a finite value")
    largest = float(np.nanmax(series.values))
    holds: Verdict = "supported" if largest <= 1 + check.tolerance else "contradicted"
    numbers = {"max_ratio": largest, **_slack(largest), "cases": cases}
    numbers["tolerance"] = check.tolerance
    return Outcome(method, _enough(series, holds), numbers, series)


@judge.register
def _(check: FrequencyCheck, method, series, check_error) -> Outcome:
    """Clopper–Pearson intervals at each grid point, Bonferroni over the grid."""
    flat = series.values.reshape(len(series.grid), -1)
    if not np.isfinite(series.means).all():
        return _unmeasured(check, method, series, "a grid point has no finite value")
    bound = _highest(flat, 0.05)
    numbers = {
        "claimed": check.allowed,
        "allowed": check.allowed,
        "value": bound.value,
        "ci95": [bound.low, bound.high],
        "max_ratio": bound.value / check.allowed,
        **_slack(bound.value / check.allowed),
        "cases": int(np.isfinite(flat).sum()),
    }
    verdict = compare(_highest(flat, check_error), check.allowed, 0.0, "at_most")
    return Outcome(method, _enough(series, verdict), numbers, series)


def _highest(flat: np.ndarray, miss: float) -> Interval:
    """The highest frequency over the grid; its interval misses it with probability ``miss``.

    Args:
        flat: (G, replicates) of 0 and 1; NaN where a replicate failed.
        miss: shared by the grid points.
    """
    hits, trials = np.nansum(flat, axis=1), np.isfinite(flat).sum(axis=1)
    level = 1 - miss / len(flat) / 2
    return Interval(
        float((hits / trials).max()),
        float(lower(hits, trials, level).max()),
        float(upper(hits, trials, level).max()),
    )


def _slack(largest: float) -> dict[str, float]:
    """How many times smaller the constant of an inequality could be; left out where it is 0."""
    return {"slack": 1 / largest} if largest > 0 else {}


def _factor(check: RatioCheck, means: np.ndarray) -> dict[str, float]:
    """The same of a one-sided ratio, at the grid point where it is least."""
    if check.direction == "at_most":
        bound, held = check.claimed, float(means.max())
    else:
        bound, held = float(means.min()), check.claimed
    fits = check.direction != "two_sided" and held > 0
    return {"slack": bound / held} if fits else {}


def _distance(check: SlopeCheck, slope: float) -> dict[str, float]:
    """How far a one-sided slope lies within what is allowed."""
    sign = {"at_most": 1, "at_least": -1, "two_sided": 0}[check.direction]
    return {"slack": sign * (check.claimed - slope)} if sign else {}


def _cases(values: np.ndarray) -> int:
    """Cases tried at a grid point: an exact number, the same in every replicate, is one case."""
    finite = values[np.isfinite(values)]
    return 1 if finite.size and np.ptp(finite) == 0 else finite.size


def _slope_verdict(check: SlopeCheck, slope: SlopeFit, check_error: float) -> Verdict:
    """The mean slope's verdict, unless a significant bend leads elsewhere at the far end."""
    mean, end = (estimate.interval(check_error) for estimate in (slope.slope, slope.end_slope))
    verdict = compare(mean, check.claimed, check.tolerance, check.direction)
    at_end = compare(end, check.claimed, check.tolerance, check.direction)
    return "inconclusive" if slope.bends and {verdict, at_end} == OPPOSITE else verdict


def _enough(series: Series, verdict: Verdict) -> Verdict:
    """Inconclusive where too many replicates failed."""
    return "inconclusive" if series.failed > MAX_FAILED_SHARE * series.values.size else verdict


def _unmeasured(check: DeclaredCheck, method: str, series: Series, reason: str) -> Outcome:
    """An outcome without a number, with the reason in its place."""
    empty = {"slope": "slope", "inequality": "max_ratio"}.get(check.kind, "value")
    return Outcome(method, "inconclusive", {empty: None, "reason": reason}, series)
