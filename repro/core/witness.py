"""Where a contradicted claim fails: the swept value, the numbers there, of draws the dataset."""

from __future__ import annotations

from functools import singledispatch
from itertools import combinations

import numpy as np

from repro.base.notation import LINEAR_AXES
from repro.core.claims import (
    DeclaredCheck,
    FrequencyCheck,
    InequalityCheck,
    RatioCheck,
    SlopeCheck,
)
from repro.core.results import Outcome, Series

Witness = dict[str, object]
"""JSON fields (contract): ``at`` is a value of the axis, ``measured`` the number there, ``claimed``
the one that it is held to; ``from`` the value that a growth is counted from; ``block`` and
``replicate`` the numbers of the draw."""
DRAWN = ("measured", "searched")
"""Evidence whose cases are draws of a stream, which its seed, value and block name."""


def witness_of(check: DeclaredCheck, outcome: Outcome) -> Witness | None:
    """Where the claim fails by most; None where it is not contradicted.

    Args:
        check: the claim.
        outcome: of the algorithm under test.
    """
    return farthest(check, outcome.series) if outcome.verdict == "contradicted" else None


@singledispatch
def farthest(check: DeclaredCheck, series: Series) -> Witness | None:
    """Where a series is farthest from what is claimed of it; one rule for each kind of check."""
    raise TypeError(f"no witness of a {type(check).__name__}")


@farthest.register
def _(check: SlopeCheck, series: Series) -> Witness | None:
    """Two swept values between which the quantity grows otherwise than any claimed exponent."""
    log_axis = check.axis not in LINEAR_AXES
    t = np.log(series.grid) if log_axis else series.grid
    positive = [g for g, mean in enumerate(series.means) if mean > 0]
    beyond = {
        (low, high): _beyond(
            check, np.log(series.means[high] / series.means[low]), t[high] - t[low]
        )
        for low, high in combinations(positive, 2)
    }
    if not beyond:
        return None
    low, high = max(beyond, key=lambda pair: abs(beyond[pair]))
    growth = np.log(series.means[high] / series.means[low])
    return {
        "from": series.grid[low],
        "at": series.grid[high],
        "measured_from": series.means[low],
        "measured": series.means[high],
        "factor": np.exp(growth),
        "claimed": np.exp(growth - beyond[low, high]),
    }


def _beyond(check: SlopeCheck, growth: float, step: float) -> float:
    """By how much a growth of the logarithm over a step lies beyond what the claim allows."""
    low, high = ((check.claimed + side * check.tolerance) * step for side in (-1, 1))
    if growth > high and check.direction != "at_least":
        return growth - high
    return min(growth - low, 0.0) if check.direction != "at_most" else 0.0


@farthest.register
def _(check: RatioCheck, series: Series) -> Witness:
    """The swept value whose mean is farthest from the claim, on a side that is not allowed."""
    signs = {"at_most": 1, "at_least": -1}
    off = series.means - check.claimed
    far = off * signs[check.direction] if check.direction in signs else np.abs(off)
    return at_point(series, int(np.nanargmax(far)), check.claimed)


@farthest.register
def _(check: InequalityCheck, series: Series) -> Witness:
    """The largest ratio of all cases; of draws, which one it is."""
    point, block, replicate = _largest(series.values)
    drawn = {"block": block, "replicate": replicate} if check.evidence in DRAWN else {}
    worst = float(series.values[point, block, replicate])
    return {"at": series.grid[point], "measured": worst, "claimed": 1.0, **drawn}


@farthest.register
def _(check: FrequencyCheck, series: Series) -> Witness:
    """The swept value at which the event fails most often, and the first draw where it does."""
    point = int(np.nanargmax(series.means))
    _, block, replicate = _largest(series.values[point : point + 1])
    return {
        **at_point(series, point, check.allowed),
        "failures": int(np.nansum(series.values[point])),
        "cases": int(np.isfinite(series.values[point]).sum()),
        "block": block,
        "replicate": replicate,
    }


def at_point(series: Series, point: int, claimed: float) -> Witness:
    """One swept value, the number there and the claimed one."""
    return {"at": series.grid[point], "measured": series.means[point], "claimed": claimed}


def _largest(values: np.ndarray) -> tuple[int, int, int]:
    """Point, block and replicate of the largest finite number, the first of equals."""
    at = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return int(at[0]), int(at[1]), int(at[2])
