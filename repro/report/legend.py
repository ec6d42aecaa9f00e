"""The one legend of a figure: an entry for each kind of mark that it has."""

from __future__ import annotations

from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repro.core.results import Result
from repro.report.style import (
    ALLOWED_LOOK,
    CLAIMED,
    CONTROL,
    CONTROL_LOOK,
    DASHES,
    FITTED,
    MEASURED,
    WORST_LOOK,
)
from repro.report.window import has_worst, kind_of


def legend_handles(result: Result, beyond: bool) -> list[Any]:
    """Entries in the order measured, claimed, controls.

    Args:
        result: what is drawn.
        beyond: whether a panel has arrows in place of points.
    """
    kinds = {kind_of(item) for item in result.checks}
    controlled = {kind_of(item) for item in result.checks if item.controls}
    handles: list[Any] = [_mark("mean, 95 % interval", color=MEASURED, marker="o", ls="none")]
    if any(has_worst(item) for item in result.checks):
        handles.append(_mark("worst case", color=MEASURED, **WORST_LOOK))
    if "slope" in kinds:
        handles.append(_mark("fitted slope", color=FITTED, lw=3))
    handles.append(_mark("claimed", color=CLAIMED, lw=1.3, ls=DASHES))
    handles.append(Patch(label="allowed, with its tolerance", **ALLOWED_LOOK))
    if controlled:
        handles.append(
            _mark("control, wrong on purpose", color=CONTROL, marker="s", **CONTROL_LOOK)
        )
    if beyond:
        handles.append(_mark("beyond the panel, or zero", color=CONTROL, marker="^", ls="none"))
    return handles


def _mark(label: str, **look: Any) -> Line2D:
    return Line2D([], [], label=label, **look)
