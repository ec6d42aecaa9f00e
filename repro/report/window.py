"""Which part of the y axis a panel shows, so that one far point does not flatten all others."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from repro.base.notation import LINEAR_AXES
from repro.core.results import CheckResult, Series
from repro.report.run_files import finite

Z95 = 1.96
"""Standard errors in a 95 % interval of a mean."""


@dataclass(frozen=True)
class Curve:
    """Means along a sweep; NaN where no replicate finished.

    Attributes:
        grid: (G,) swept values.
        mean: (G,) mean over the finite replicates.
        half_width: (G,) half of the 95 % interval of the mean, 0 where it is unknown.
        worst: (G,) largest finite replicate.
    """

    grid: np.ndarray
    mean: np.ndarray
    half_width: np.ndarray
    worst: np.ndarray


def curve(series: Series) -> Curve:
    """Read a series without numpy's warnings on grid points where everything failed."""
    grid = np.asarray(series.grid, dtype=float)
    flat = np.asarray(series.values, dtype=float).reshape(len(grid), -1)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        mean, half_width = series.means, Z95 * series.standard_errors
        worst = np.nanmax(np.where(np.isfinite(flat), flat, np.nan), axis=1)
    return Curve(grid, mean, np.nan_to_num(half_width, nan=0.0, posinf=0.0), worst)


def level(
    grid: Sequence[float], mean: Sequence[float], axis: str, scaled: float
) -> tuple[int, float] | None:
    """One point of a curve that runs at other budgets of privacy share, with as many labels.

    A smaller epsilon gets more labels, so curves over their number end in the same values; at one
    number of labels they differ.  Curves over another axis are at other numbers of labels then, and
    have no such point.

    Args:
        grid: (G,) swept values.
        mean: (G,) the curve there.
        axis: that is swept.
        scaled: by how much the labels were multiplied.

    Returns:
        The power of ten nearest to the middle of the sweep that the config names, as its exponent;
        and log10 of the curve there, read off between two grid points.

    >>> level([1e3, 1e5], [1e-1, 1e-3], "n_pairs", 1.0)
    (4, -2.0)
    """
    x, y = np.asarray(grid, dtype=float), np.asarray(mean, dtype=float)
    if axis in LINEAR_AXES or len(x) < 2 or (x <= 0).any() or not (y > 0).all():
        return None
    if axis != "n_pairs" and scaled != 1:
        return None
    at = np.log10(x)
    shared = round(float(at[0] + at[-1]) / 2 - (math.log10(scaled) if axis == "n_pairs" else 0))
    within = at[0] <= shared <= at[-1]
    return (shared, float(np.interp(shared, at, np.log10(y)))) if within else None


LEAST_DECADES, ROOM = 0.5, 2.0
"""Decades that a measured slope is taken to span at least, and how many such spans above or below
it the nearest point of a control may lie before all of that control are arrows at the edge."""

FAR = 15.0
"""Decades from the level of an inequality beyond which points are arrows at the edge."""

CROWDED, FLAT = 6.0, 30.0
"""Times the room of a measured constant or bound that its controls may take before those beyond
are arrows: around a constant its tolerance is to be read, of a bound only its level."""

Window = tuple[float, float]


def kind_of(item: CheckResult) -> str:
    """Kind of a check: slope, ratio, inequality or privacy."""
    return getattr(item.check, "kind", "")


def has_worst(item: CheckResult) -> bool:
    """Whether every case counts, not the mean."""
    return kind_of(item) == "inequality" and not hasattr(item.check, "allowed")


def allowed(item: CheckResult) -> float | None:
    """The level that an inequality may not pass; None for other checks."""
    return finite(getattr(item.check, "allowed", 1.0)) if kind_of(item) == "inequality" else None


def level_of(item: CheckResult) -> tuple[float | None, float]:
    """The claimed or allowed level, None without one, and the tolerance around it."""
    numbers, check = item.outcome.numbers, item.check
    margin = finite(numbers.get("tolerance", getattr(check, "tolerance", None))) or 0.0
    if kind_of(item) == "inequality":
        return allowed(item), margin
    return finite(numbers.get("claimed", getattr(check, "claimed", None))), margin


def allowed_range(item: CheckResult) -> tuple[float, float] | None:
    """Least and largest slope, ratio, frequency or ε that the claim allows; None without one."""
    level, margin = level_of(item)
    if level is None:
        return None
    if kind_of(item) not in ("slope", "ratio"):
        return -math.inf, level
    side = item.outcome.numbers.get("direction", getattr(item.check, "direction", "two_sided"))
    low = -math.inf if side == "at_most" else level - margin
    return low, math.inf if side == "at_least" else level + margin


def window(item: CheckResult, curves: Sequence[Curve], log_y: bool) -> Window | None:
    """Least and largest value that is drawn, None where all of them fit.

    Args:
        item: the check.
        curves: the measured one, then the controls.
        log_y: whether the axis is logarithmic.
    """
    level, margin = level_of(item)
    if kind_of(item) == "slope":
        return _steep(curves) if log_y else None
    if kind_of(item) == "ratio" and level is not None:
        return _focus(curves, level - margin, level + margin, CROWDED)
    if kind_of(item) == "privacy" and level is not None:
        return _focus(curves, 0.0, level, CROWDED)
    if kind_of(item) == "inequality" and level:
        if log_y:
            return _near(item, curves, level)
        return _focus(curves, 0.0, np.nanmax(curves[0].worst, initial=level), FLAT)
    return None


def _steep(curves: Sequence[Curve]) -> Window | None:
    """A slope beside a control many decades away looks flat: without that control."""
    spans = [np.log10(curve.mean[curve.mean > 0]) for curve in curves]
    if not spans[0].size:
        return None
    bottom, top = spans[0].min(), spans[0].max()
    room = ROOM * max(top - bottom, LEAST_DECADES)
    far = [s.size > 0 and (s.min() > top + room or s.max() < bottom - room) for s in spans]
    if not any(far):
        return None
    shown = np.concatenate([span for span, gone in zip(spans, far, strict=True) if not gone])
    margin = 0.2 * max(np.ptp(shown), LEAST_DECADES)
    return 10 ** (shown.min() - margin), 10 ** (shown.max() + margin)


def _focus(curves: Sequence[Curve], low: float, high: float, crowded: float) -> Window | None:
    """What is claimed, from low to high, and measured, where controls lie far outside."""
    test = curves[0]
    ends = np.concatenate([test.mean - test.half_width, test.mean + test.half_width, [low, high]])
    bottom, top = np.nanmin(ends), np.nanmax(ends)
    size = (top - bottom) or abs(high)
    shown = [
        np.fmax(curve.mean, curve.worst) if crowded == FLAT else curve.mean for curve in curves[1:]
    ]
    others = np.concatenate([[bottom, top], *shown])
    if np.nanmax(others) - np.nanmin(others) <= crowded * size:
        return None
    return bottom - 0.6 * size, top + 0.6 * size


def _near(item: CheckResult, curves: Sequence[Curve], level: float) -> Window | None:
    """What lies within so many decades of the allowed level that the level can be read."""
    shown = [curve.worst if has_worst(item) else curve.mean for curve in curves]
    values = np.concatenate([*shown, *(curve.mean for curve in curves), [level]])
    values = np.log10(values[np.isfinite(values) & (values > 0)])
    near = values[abs(values - np.log10(level)) <= FAR]
    if len(near) == len(values):
        return None
    margin = 0.05 * max(np.ptp(near), LEAST_DECADES)
    return 10 ** (near.min() - margin), 10 ** (near.max() + margin)
