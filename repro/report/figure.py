"""The figure of one run: small multiples, a panel per check; no pyplot, no display."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repro.core.results import Result
from repro.report.panels import draw_panel, has_arrows
from repro.report.record import RunRecord, record_of
from repro.report.run_files import CheckEntry, ControlEntry
from repro.report.sheet import EDGE, Box, Sheet
from repro.report.style import (
    ALLOWED_LOOK,
    CLAIMED,
    CONTROL,
    CONTROL_LOOK,
    DASHES,
    FITTED,
    GLYPHS,
    MEASURED,
    VERDICTS,
    WORST_LOOK,
)
from repro.report.terminal import facts
from repro.report.window import has_worst, kind_of
from repro.report.wording import (
    brief_verdict,
    brief_words,
    caught_words,
    claim_words,
    expected_words,
    failed_assumptions,
    measured_words,
    name_lines,
    note_words,
    plain_words,
    short_exponents,
    verdict_words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@contextmanager
def own_defaults() -> Iterator[None]:
    """Matplotlib's own defaults and fixed SVG ids, undone on leaving; the backend is not touched.

    A user's file may ask for TeX, which may be missing, or for other fonts.
    """
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "repro"
        yield


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


SMALL, SMALL_LEADING, HEAD, HEAD_LEADING = 8.5, 12.0, 10.5, 15.0
"""Points: size of the small print and of the name, and the distance between their lines."""

LINE, NAME = 50, 19
"""Characters of small print, and of a name beside its verdict, that fit over one panel."""


Said = tuple[CheckEntry, Sequence[ControlEntry]]
"""A check and its controls."""


def caption_height(row: Sequence[Said]) -> float:
    """Points above the axes that the captions of one row of panels need."""
    return max(
        (_height(name_lines(said[0].name, NAME), caption_lines(*said)) for said in row), default=0
    )


def write_captions(ax: Axes, said: Said, top: float) -> None:
    """Write above the axes, from ``top`` points downwards; the panel itself holds data only."""
    check = said[0]
    names, small = name_lines(check.name, NAME), "\n".join(caption_lines(*said))
    bold = {"fontsize": HEAD, "fontweight": "bold"}
    _write(ax, "\n".join(names), 0, top, **bold)
    _write(ax, small, 0, top - HEAD_LEADING * len(names), fontsize=SMALL, color=".2")
    colour = VERDICTS.get(check.verdict, "black")
    _write(ax, verdict_words(check.verdict), 1, top, ha="right", color=colour, **bold)


def _height(names: list[str], small: list[str]) -> float:
    return 7 + HEAD_LEADING * len(names) + SMALL_LEADING * len(small)


def _write(ax: Axes, text: str, x: float, y: float, **look: Any) -> None:
    """Text that hangs ``y`` points above the axes, at ``x`` of their width."""
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate(text, (x, 1), (0, y), va="top", linespacing=1.2, **place, **look)


def caption_lines(check: CheckEntry, controls: Sequence[ControlEntry]) -> list[str]:
    """The small print, wrapped: claim, measurement, notes, controls."""
    words = measured_words(check)
    texts = [check.claim, f"claimed {claim_words(check)}"]
    texts.append(words if check.headline is None else f"{check.evidence} {words}".lstrip())
    texts.append(note_words(check, check.measured_in_all))
    if check.verdict != check.expected:
        texts.append(f"NOT as expected; expected: {plain_words(check.expected)}")
    for order, control in enumerate(controls):
        glyph = GLYPHS[order % len(GLYPHS)]
        words = f"{brief_words(control)}, {_unbroken(caught_words(control.verdict))}"
        texts.append(f"{glyph} {control.name}: {words}")
    return [line for text in texts for line in _wrap(short_exponents(text))]


def _wrap(text: str) -> list[str]:
    """Lines that do not break inside an interval."""
    kept = "[".join(
        part if order == 0 else part.replace(", ", ",\u00a0", 1)
        for order, part in enumerate(text.split("["))
    )
    return textwrap.wrap(kept, LINE, subsequent_indent="   ", break_on_hyphens=False)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\u00a0")


PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.9
"""Inches of one panel with its captions."""

LEAST, TITLE_LEADING = 2.1, 0.25
"""Inches that a panel keeps below its captions, with its labels, and of one line of the title."""

DPI = 110


def draw(result: Result) -> Sheet:
    """Draw every check of a run: what was measured, what is claimed, what the controls did.

    Panels are in the order of the table of the terminal and of the report.
    """
    columns, run = panel_columns(len(result.checks)), record_of(result)
    width = PANEL_WIDTH * max(columns, 2)
    heading = heading_lines(result, run, width)
    said = list(run.verdict.with_controls())
    rows = [said[start : start + columns] for start in range(0, len(said), columns)]
    with _style():
        heights = [caption_height(row) for row in rows]
        # captions may not leave less than ``LEAST`` of a panel
        high = max(PANEL_HEIGHT * max(1, len(rows)), sum(heights) / 72 + LEAST * len(rows))
        more = TITLE_LEADING * max(0, len(heading) - 2)
        sheet = Sheet((width, high + more + 1.3), DPI, columns, heights)
        for order, (ax, item) in enumerate(
            zip(sheet.panels(len(said)), result.checks, strict=True)
        ):
            draw_panel(ax, item)
            write_captions(ax, said[order], heights[order // columns])
        sheet.settle(*_headings(sheet, result, heading))
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


def heading_lines(result: Result, run: RunRecord, width: float) -> list[str]:
    """Title, overall verdict and the first assumption that fails, wrapped to ``width`` inches."""
    verdict = f"{brief_verdict(run.verdict)} ({expected_words(run.verdict)}); {facts(run)}"
    failing = failed_assumptions(run.verdict)
    more = f" (and {len(failing) - 1} more)" if failing[1:] else ""
    texts = [f"{result.theorem}: {result.title}", verdict, *(words + more for words in failing[:1])]
    return [line for text in texts for line in textwrap.wrap(text, int(width * 7.8))]


def _headings(sheet: Sheet, result: Result, lines: Sequence[str]) -> tuple[float, float]:
    """Title and overall verdict on top, the shared legend below; pixels that they take."""
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

    extra = {
        "axes.formatter.use_mathtext": True,
        "axes.edgecolor": ".3",
        "axes.grid": True,
        "grid.color": ".9",
        "grid.linewidth": 0.6,
        "font.family": "DejaVu Sans",
    }
    style: Any = {**_looks(), **extra}
    with own_defaults(), matplotlib.rc_context(style):
        yield


@cache
def _looks() -> dict[str, Any]:
    """Seaborn's look.

    Only seaborn's modules of looks and colours are run: the whole package imports
    ``scipy.stats``, which takes half a second of CPU.  A later ``import seaborn`` is whole.
    """
    with _unimported("seaborn"):
        import_module("seaborn.cm")  # makes the colours known that the look names
        looks = import_module("seaborn.rcmod")
    return looks.axes_style("ticks") | looks.plotting_context("paper", font_scale=1.05)


@contextmanager
def _unimported(name: str) -> Iterator[None]:
    """Inside, a package's modules are imported without the package, and forgotten on leaving."""
    spec = find_spec(name)
    if name in sys.modules or spec is None:
        yield
        return
    sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            del sys.modules[module]
