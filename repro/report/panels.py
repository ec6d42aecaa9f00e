"""One panel of the figure: the check's measurements, its claim and its controls."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import (
    FixedFormatter,
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from repro.base.notation import AXES, LINEAR_AXES
from repro.core.results import CheckResult
from repro.report.run_files import finite
from repro.report.style import (
    ALLOWED_LOOK,
    CLAIMED,
    CONTROL,
    CONTROL_LOOK,
    DASHES,
    FITTED,
    MARKERS,
    MEASURED,
    WORST_LOOK,
)
from repro.report.window import (
    Curve,
    Window,
    allowed,
    allowed_range,
    curve,
    has_worst,
    kind_of,
    level_of,
    window,
)
from repro.report.wording import short_exponents

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL = 0.11
"""Share of a panel's width that a tick's label takes."""

QUANTITY = 26
"""Characters of a quantity that fit beside a panel on one line."""

ROOM_BELOW = 0.12
"""Share of a log axis that is added below for arrows."""

CROWDED = 1e3
"""Largest over smallest value of a log axis from which decades alone have ticks."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Lines = tuple[np.ndarray | None, np.ndarray, np.ndarray]
"""What a claim allows lies between the second and the third over the first, (2,) each; infinite
where one side is free, and None in the place of x where both are level."""

WIDE = 30.0
"""Largest over smallest value from which a ratio or frequency is drawn on a log axis."""


def draw_panel(ax: Axes, item: CheckResult) -> None:
    """Draw one check; points without a finite (on log axes: positive) mean are left out."""
    curves = [curve(outcome.series) for outcome in (item.outcome, *item.controls)]
    log_x, log_y = _scales(item, curves)
    ax.set_xscale("log" if log_x else "linear")
    ax.set_yscale("log" if log_y else "linear")
    _limits(ax, item, curves[0].grid, log_x)
    part = window(item, curves, log_y) or (0.0 if log_y else -math.inf, math.inf)
    for order, control_curve in enumerate(curves[1:]):
        _points(ax, control_curve, CONTROL, MARKERS[order % len(MARKERS)], log_y, part)
    _points(ax, curves[0], MEASURED, "o", log_y, part)
    if has_worst(item):
        _worst_cases(ax, curves, part)
    lines = _slope_lines(ax, item, curves[0]) if kind_of(item) == "slope" else _level(ax, item)
    if math.isfinite(part[1]):
        ax.set_ylim(*part)
    elif log_y and any((outcome.mean <= 0).any() for outcome in curves):
        _room_for_zeros(ax)
    if lines:
        _shade(ax, *lines)
    _frame(ax, item, curves[0], log_x)


def _room_for_zeros(ax: Axes) -> None:
    """Room below on a log axis, so that no arrow lies on the lowest of points and lines."""
    low, high = ax.get_ylim()
    ax.set_ylim(low * (low / high) ** ROOM_BELOW, high)


def _limits(ax: Axes, item: CheckResult, grid: np.ndarray, log_x: bool) -> None:
    """Room on log axes around a single value: left alone they are a rounding error wide."""
    if log_x and grid.max() == grid.min():
        ax.set_xlim(grid[0] / 2, 2 * grid[0])
    if level := allowed(item):
        ax.update_datalim([(0, level)], updatex=False)


def _frame(ax: Axes, item: CheckResult, measured: Curve, log_x: bool) -> None:
    """Labels, and swept values as ticks where the default would name next to none."""
    grid = measured.grid
    ax.set_xlabel(AXES.get(item.check.axis, item.check.axis))
    ax.set_ylabel(textwrap.fill(item.check.quantity, QUANTITY, break_long_words=False))
    _decades(ax)
    if grid.max() == grid.min():
        ax.set_xticks(grid[:1], labels_of(grid[:1].tolist()))
    if log_x and grid.max() < 100 * grid.min():
        shown = apart(grid[:: -(-len(grid) // 7)].tolist())
        ax.xaxis.set_major_locator(FixedLocator(shown))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FixedFormatter(labels_of(shown)))
    if not np.isfinite(measured.mean).any():
        ax.set_xlim(*(grid[[0, -1]] if grid[0] < grid[-1] else (grid[0], 2 * grid[0] + 1)))
        ax.set_yticks([])
        ax.text(0.5, 0.5, "no finite measurement", transform=ax.transAxes, ha="center")


def apart(values: list[float]) -> list[float]:
    """Positive values in order without those whose labels would run into each other's.

    >>> apart([1.04, 1.3, 2.2, 4.0, 8.0, 16.0])
    [1.04, 2.2, 4.0, 8.0, 16.0]
    """
    room = LABEL * math.log(values[-1] / values[0])
    kept = values[:1]
    for value in values[1:-1]:
        if math.log(value / kept[-1]) > room and math.log(values[-1] / value) > room:
            kept.append(value)
    return [*kept, values[-1]] if values[-1] > values[0] else kept


def labels_of(values: list[float]) -> list[str]:
    """Short labels, with as many digits as it takes to tell them apart.

    >>> labels_of([2.0, 5.5, 1.6e6]), labels_of([1.000002, 1.00001])
    (['2', '5.5', '1.6e6'], ['1', '1.00001'])
    >>> labels_of([64.0, 1024.0, 4096.0]), labels_of([0.000244, 0.00391])
    (['64', '1024', '4096'], ['2.44e-4', '3.91e-3'])
    """
    texts: list[str] = []
    for digits in range(3, 17):
        texts = [_label(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return [short_exponents(label) for label in texts]


def _label(value: float, digits: int) -> str:
    """Up to four figures without an exponent, as far as a panel has room for them."""
    if value == int(value) and abs(value) < 1e4:
        return str(int(value))
    if 0 < abs(value) < 1e-2 and len(f"{value:.{digits}g}") > 6:
        return f"{value:.{digits - 1}e}".replace("0e", "e").replace("0e", "e").replace(".e", "e")
    return f"{value:.{digits}g}"


def _decades(ax: Axes) -> None:
    """On a log axis of less than two decades 1, 2 and 5 are named, of less than one 3 and 7 too,
    of less than half a one round numbers; on a linear one that is all but one number, it is.

    From three decades on there are no ticks between them: too close to be read, and every tick
    takes as long as a curve.
    """
    for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if axis.get_scale() == "log" and ends[1] >= 100 * ends[0]:
            axis.set_major_formatter(FuncFormatter(lambda value, _: decade(value)))
            axis.set_minor_formatter(NullFormatter())
            if ends[1] > CROWDED * ends[0]:
                axis.set_minor_locator(NullLocator())
    low, high = ax.get_ylim()
    if ax.get_yscale() == "log" and high < 100 * low:
        named = (1.0, 2.0, 5.0) if high > 10 * low else (1.0, 2.0, 3.0, 5.0, 7.0)
        narrow = MaxNLocator(4, steps=[1, 2, 5, 10])
        ax.yaxis.set_major_locator(narrow if high < 3 * low else LogLocator(subs=named))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: labels_of([value])[0]))
        ax.yaxis.set_minor_formatter(NullFormatter())
    elif ax.get_yscale() == "linear" and 0 < high - low < 1e-4 * abs(high + low):
        ax.yaxis.set_major_formatter(
            FuncFormatter(lambda value, _: beside(value, 0.5 * (low + high)))
        )


def decade(value: float) -> str:
    """A power of ten, in plain characters: parsing formulas takes a tenth of a figure's time.

    >>> decade(1e-12), decade(1.0), decade(1e5)
    ('10⁻¹²', '10⁰', '10⁵')
    """
    return "10" + str(round(math.log10(value))).translate(RAISED)


def beside(value: float, middle: float) -> str:
    """A label of a tick next to a number that has far more digits than there is room for.

    >>> [beside(1 + step, 1.0) for step in (-2e-6, 0.0, 1e-6)]
    ['1−2e-6', '1', '1+1e-6']
    """
    step = value - middle
    if abs(step) < 1e-9 * abs(middle):
        return f"{middle:g}"
    return f"{middle:g}{'+' if step > 0 else '−'}{short_exponents(f'{abs(step):.2g}')}"


def _scales(item: CheckResult, curves: list[Curve]) -> tuple[bool, bool]:
    """Whether x and y are logarithmic."""
    grid, fit = curves[0].grid, item.outcome.fit
    log_x = item.check.axis not in LINEAR_AXES and (fit is None or fit.log_axis)
    shown = [curve.worst if has_worst(item) else curve.mean for curve in curves]
    means = [curve.mean for curve in curves]
    values = np.concatenate([*shown, *means, [allowed(item) or np.nan]])
    values = values[np.isfinite(values)]
    if kind_of(item) == "slope":
        log_y = bool((values > 0).any())
    else:
        positive = values[values > 0]
        wide = positive.size and positive.max() > WIDE * positive.min() and values.min() >= 0
        log_y = bool(wide) and kind_of(item) != "ratio"
    return bool(log_x and (grid > 0).all()), log_y


def _points(ax: Axes, measured: Curve, color: str, marker: str, log_y: bool, part: Window) -> None:
    """Means with their 95 % intervals, arrows for those beyond the part that is shown; on a log
    axis an interval that reaches 0 is cut short."""
    above, below = measured.mean > part[1], measured.mean < part[0]
    if log_y:
        below |= measured.mean <= 0
    mean = np.where(above | below, np.nan, measured.mean)
    low = np.minimum(measured.half_width, 0.9 * mean) if log_y else measured.half_width
    look = {"ls": "none", "mfc": color, "zorder": 4} if marker == "o" else CONTROL_LOOK
    spread = np.vstack([low, measured.half_width])
    ax.errorbar(
        measured.grid,
        mean,
        yerr=spread,
        color=color,
        marker=marker,
        ms=5,
        lw=1,
        capsize=2.5,
        **look,
    )
    _at_the_edge(ax, measured.grid[above], 0.96, "^", color)
    _at_the_edge(ax, measured.grid[below], 0.04, "v", color)


def _slope_lines(ax: Axes, item: CheckResult, measured: Curve) -> Lines | None:
    """Draw the fitted line, and the claimed slope from the first point on; what is allowed."""
    fit, claimed = item.outcome.fit, finite(item.outcome.numbers.get("claimed"))
    good = (measured.mean > 0) & (measured.grid > 0 if fit is None or fit.log_axis else True)
    if fit is None or claimed is None or not good.any():
        return None
    t = np.log(measured.grid[good]) if fit.log_axis else measured.grid[good]
    ends, first = np.array([t.min(), t.max()]), np.log(measured.mean[good])[t.argmin()]
    x = np.exp(ends) if fit.log_axis else ends
    with np.errstate(over="ignore"):
        fitted = np.exp(fit.intercept + fit.slope * ends)
        stated, low, high = (
            np.exp(first + slope * (ends - ends[0])) if math.isfinite(slope) else np.full(2, slope)
            for slope in (claimed, *(allowed_range(item) or (claimed, claimed)))
        )
    ax.plot(x, fitted, color=FITTED, linewidth=3, zorder=2.5, solid_capstyle="round")
    ax.plot(x, stated, color=CLAIMED, linewidth=1.3, linestyle=DASHES, zorder=3)
    return x, low, high


def _level(ax: Axes, item: CheckResult) -> Lines | None:
    """Draw the claimed or allowed level; what is allowed."""
    (level, _), ends = level_of(item), allowed_range(item)
    if level is None or ends is None:
        return None
    ax.axhline(level, color=CLAIMED, lw=1.3, ls=DASHES, zorder=3)
    return None, np.full(2, ends[0]), np.full(2, ends[1])


def _shade(ax: Axes, x: np.ndarray | None, low: np.ndarray, high: np.ndarray) -> None:
    """What lies between two lines; an infinite one, and None for x, end where the panel does."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    low, high = np.where(np.isinf(low), bottom, low), np.where(np.isinf(high), top, high)
    ax.fill_between([left, right] if x is None else x, low, high, **ALLOWED_LOOK)
    ax.set(xlim=(left, right), ylim=(bottom, top))


def _worst_cases(ax: Axes, curves: list[Curve], part: Window) -> None:
    """The worst case at each point, where every case counts."""
    for measured, color in zip(curves, [MEASURED] + [CONTROL] * len(curves), strict=False):
        beyond = measured.worst > part[1]
        ax.plot(measured.grid[~beyond], measured.worst[~beyond], color=color, **WORST_LOOK)
        _at_the_edge(ax, measured.grid[beyond & ~(measured.mean > part[1])], 0.96, "^", color)


def _at_the_edge(ax: Axes, x: np.ndarray, edge: float, marker: str, color: str) -> None:
    """Arrows in place of points that lie beyond the panel, such as zeros on a log axis; those of
    controls are larger, so that they show behind a measured one."""
    if not len(x):
        return
    look: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "marker": marker, "ls": "none"}
    size, order = (5, 4) if color == MEASURED else (7.5, 2)
    ax.plot(x, np.full(len(x), edge), color=color, ms=size, zorder=order, **look)


def has_arrows(ax: Axes) -> bool:
    """Whether a point of the panel is drawn as an arrow at its edge."""
    loose = [line for line in ax.lines if line.get_linestyle() == "None"]
    return any(line.get_marker() in ("^", "v") and np.size(line.get_xdata()) for line in loose)
