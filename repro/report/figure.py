"""The figure of one run: small multiples, a panel per check; no pyplot, no display."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from repro.core.results import Result
from repro.report.captions import caption_height, write_captions
from repro.report.cells import facts
from repro.report.legend import legend_handles
from repro.report.own_defaults import own_defaults
from repro.report.panels import draw_panel, has_arrows
from repro.report.record import RunRecord, record_of
from repro.report.sheet import EDGE, Box, Sheet
from repro.report.wording import expected_words, verdict_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.9
"""Inches of one panel with its captions."""

DPI = 110


def draw(result: Result) -> Sheet:
    """Draw every check of a run: what was measured, what is claimed, what the controls did.

    Contradicted checks come first, the others in the order of the run.
    """
    columns, run = panel_columns(len(result.checks)), record_of(result)
    pairs = zip(result.checks, run.verdict.with_controls(), strict=True)
    shown = sorted(pairs, key=lambda pair: pair[0].verdict != "contradicted")
    checks, said = [item for item, _ in shown], [words for _, words in shown]
    rows = [said[start : start + columns] for start in range(0, len(said), columns)]
    with _style():
        size = (PANEL_WIDTH * max(columns, 2), PANEL_HEIGHT * max(1, len(rows)) + 1.3)
        heights = [caption_height(row) for row in rows]
        sheet = Sheet(size, DPI, columns, heights)
        for order, (ax, item) in enumerate(zip(sheet.panels(len(checks)), checks, strict=True)):
            draw_panel(ax, item)
            write_captions(ax, said[order], heights[order // columns])
        sheet.settle(*_headings(sheet, result, run))
    return sheet


def figures(result: Result, kinds: Iterable[str]) -> list[bytes]:
    """A run's figure in several formats, laid out once."""
    figure = draw(result)
    return [figure_bytes(figure, kind) for kind in kinds]


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A figure as ``png`` or ``svg``; the same figure gives the same bytes."""
    more: dict[str, Any] = {}
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    if kind == "png":  # for pages with room for one column
        metadata["Panels"] = "; ".join(" ".join(map(str, box)) for box in panel_boxes(figure))
        more["pil_kwargs"] = {"compress_level": 3}  # for these pictures smaller than 6, and faster
    content = BytesIO()
    with _style():
        figure.savefig(content, format=kind, metadata=metadata, **more)
    return content.getvalue()


def panel_boxes(figure: Figure) -> list[Box]:
    """Left, top, width and height in pixels of each panel with its captions; the legend is last.

    None for a figure of another making.
    """
    return figure.boxes() if isinstance(figure, Sheet) else []


def panel_columns(panels: int) -> int:
    """Columns that keep a figure of ``panels`` panels readable at full size.

    >>> [panel_columns(n) for n in (1, 2, 4, 5, 14, 30)]
    [1, 2, 2, 3, 3, 4]
    """
    return 1 if panels <= 1 else 2 if panels <= 4 else 3 if panels <= 18 else 4


def _headings(sheet: Sheet, result: Result, run: RunRecord) -> tuple[float, float]:
    """Title and overall verdict on top, the shared legend below; pixels that they take."""
    width = int(sheet.get_figwidth() * 7.8)
    verdict = f"{verdict_words(result.verdict)} ({expected_words(run.verdict)}); {facts(run)}"
    title = f"{result.theorem}: {result.title}"
    lines = [line for text in (title, verdict) for line in textwrap.wrap(text, width)]
    top = 1 - EDGE / sheet.bbox.height
    heading = sheet.suptitle(
        "\n".join(lines), y=top, fontsize=13, fontweight="bold", linespacing=1.4
    )
    handles = legend_handles(result, any(has_arrows(ax) for ax in sheet.axes))
    rows = math.ceil(len(handles) / int(sheet.get_figwidth() // 2.2))
    columns = math.ceil(len(handles) / rows)
    legend = sheet.legend(handles=handles, loc="lower center", ncols=columns, frameon=False)
    high = sheet.bbox.height
    return high - heading.get_window_extent().y0, legend.get_window_extent().y1


@contextmanager
def _style() -> Iterator[None]:
    """Seaborn's look over matplotlib's defaults, undone on leaving."""
    import matplotlib
    import seaborn

    extra = {
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
