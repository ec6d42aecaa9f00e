"""The figure of one run: small multiples, a panel per check; no pyplot, no display."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.report.captions import caption_height, write_captions
from repro.report.cells import facts
from repro.report.legend import legend_handles
from repro.report.own_defaults import own_defaults
from repro.report.panels import draw_panel, has_arrows
from repro.report.wording import expected_words, verdict_words
from repro.study.results import CheckResult, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.9
"""Inches of one panel with its captions."""

DPI = 110
EDGE = 4
"""Pixels around a panel that is cut out."""


def draw(result: Result) -> Figure:
    """Draw every check of a run: what was measured, what is claimed, what the controls did."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = panel_columns(len(result.checks))
    rows = max(1, math.ceil(len(result.checks) / columns))
    with _style():
        size = (PANEL_WIDTH * max(columns, 2), PANEL_HEIGHT * rows + 1.3)
        layout = ConstrainedLayoutEngine(hspace=0.05, wspace=0.04, w_pad=0.08, h_pad=0.1)
        figure = Figure(figsize=size, dpi=DPI, layout=layout)
        FigureCanvasAgg(figure)
        for row, axes in enumerate(figure.subplots(rows, columns, squeeze=False)):
            _draw_row(axes, result.checks[row * columns : (row + 1) * columns])
        _headings(figure, result)
        figure.draw_without_rendering()
        figure.set_layout_engine(None)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG; the same figure gives the same bytes."""
    path.write_bytes(figure_bytes(figure, path.suffix.removeprefix(".")))


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A figure as ``png`` or ``svg``; the same figure gives the same bytes."""
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    if kind == "png":  # for pages with room for one column
        metadata["Panels"] = "; ".join(" ".join(map(str, box)) for box in panel_boxes(figure))
    content = BytesIO()
    with _style():
        figure.savefig(content, format=kind, metadata=metadata)
    return content.getvalue()


def panel_boxes(figure: Figure) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height in pixels of each panel with its captions; the legend is last."""
    parts = [ax.get_tightbbox() for ax in figure.axes if ax.axison]
    parts += [legend.get_window_extent() for legend in figure.legends]
    wide, high = map(int, figure.bbox.size)
    found = []
    for part in parts:
        if part is not None:
            left, right = max(0, int(part.x0) - EDGE), min(wide, math.ceil(part.x1) + EDGE)
            low, top = max(0, int(part.y0) - EDGE), min(high, math.ceil(part.y1) + EDGE)
            found.append((left, high - top, right - left, top - low))
    return found


def panel_columns(panels: int) -> int:
    """Columns that keep a figure of ``panels`` panels readable at full size.

    >>> [panel_columns(n) for n in (1, 2, 4, 5, 14, 30)]
    [1, 2, 2, 3, 3, 4]
    """
    return 1 if panels <= 1 else 2 if panels <= 4 else 3 if panels <= 18 else 4


def _draw_row(axes: Iterable[Axes], items: Sequence[CheckResult]) -> None:
    """Panels side by side, their captions aligned; places left over stay empty."""
    top = caption_height(items)
    for ax, item in zip_longest(axes, items):
        if item is None:
            ax.set_axis_off()
            continue
        draw_panel(ax, item)
        write_captions(ax, item, top)


def _headings(figure: Figure, result: Result) -> None:
    """Title and overall verdict on top, the shared legend below."""
    width = int(figure.get_figwidth() * 7.8)
    verdict = f"{verdict_words(result.verdict)} ({expected_words(result)}); {facts(result)}"
    title = f"{result.theorem}: {result.title}"
    lines = [line for text in (title, verdict) for line in textwrap.wrap(text, width)]
    figure.suptitle("\n".join(lines), fontsize=13, fontweight="bold", linespacing=1.4)
    handles = legend_handles(result, any(has_arrows(ax) for ax in figure.axes))
    rows = math.ceil(len(handles) / int(figure.get_figwidth() // 2.2))
    columns = math.ceil(len(handles) / rows)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


@contextmanager
def _style() -> Iterator[None]:
    """Seaborn's look and fixed SVG ids over matplotlib's defaults, undone on leaving."""
    import matplotlib
    import seaborn

    extra = {
        "svg.hashsalt": "repro",
        "axes.formatter.use_mathtext": True,
        "axes.edgecolor": ".3",
        "axes.grid": True,
        "grid.color": ".9",
        "grid.linewidth": 0.6,
        "font.family": "DejaVu Sans",
    }
    looks = seaborn.axes_style("ticks") | seaborn.plotting_context("paper", font_scale=1.05)
    style: Any = {**looks, **extra}
    with own_defaults(), matplotlib.rc_context(style):
        yield
