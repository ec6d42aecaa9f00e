"""Where the panels of a figure stand: all of one size, what is around them measured once.

Matplotlib's constrained layout, the panels and captions being the same, takes 1.9 to 2.4 times as
long for the PNG and the SVG together: 7.7 s against 3.2 s of processor time for 38 panels, 4.2 s
against 2.1 s for 22, 3.3 s against 1.8 s for 17 (Matplotlib 3.11.2, best of three in turns).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repro.report.ruler import Ruler

GAP = 12.0
"""Points between what belongs to one panel and what belongs to the next."""

LEFT, BELOW = 50.0, 32.0
"""Points that tick labels and an axis' label usually take."""

NARROWEST = 0.5
"""Share of its place that a panel keeps, however long its captions are."""

EDGE = 4
"""Pixels around a panel that is cut out."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""


@dataclass(frozen=True)
class Around:
    """Pixels around one panel's frame, and how wide its captions are."""

    left: float
    below: float
    above: float
    captions: float


class Sheet(Figure):
    """A figure of panels in rows; drawn by Agg, whatever the user's backend is.

    Args:
        size: inches.
        dpi: pixels an inch.
        columns: panels in a full row.
        above: pixels above the panels of each row, for their captions.
    """

    def __init__(
        self, size: tuple[float, float], dpi: int, columns: int, above: Sequence[float]
    ) -> None:
        super().__init__(figsize=size, dpi=dpi)
        self._agg = FigureCanvasAgg(self)
        self._columns, self._above = columns, [points * dpi / 72 for points in above]
        self._around: list[Around] = []
        self._rulers: list[tuple[Ruler, Ruler]] = []

    def panels(self, count: int) -> list[Axes]:
        """That many panels, about where they will stand."""
        point = self.dpi / 72
        for order in range(count):
            self.add_axes((0, 0, 1, 1), label=str(order))
            above = self._above[order // self._columns]
            self._around.append(Around(LEFT * point, BELOW * point, above, 0.0))
        self._place(0.0, 0.0)
        return self.axes

    def settle(self, head: float, foot: float) -> None:
        """Give every panel its place.

        Args:
            head: pixels that are kept free at the top.
            foot: at the bottom.
        """
        self._rulers = [(Ruler(ax, "x"), Ruler(ax, "y")) for ax in self.axes]
        panels_and_axes = zip(self.axes, self._around, strict=True)
        self._around = [replace(now, captions=self._captions(ax)) for ax, now in panels_and_axes]
        for _ in range(2):  # first to learn what is around them
            self._place(head, foot)
            self._around = [self._measured(order) for order in range(len(self._rulers))]

    def boxes(self) -> list[Box]:
        """Each panel with its captions; the legends are last."""
        wide, high = map(int, self.bbox.size)
        extents = []
        for ax, around in zip(self.axes, self._around, strict=True):
            x0, y0, x1, y1 = ax.get_window_extent().extents
            right = max(x1, x0 + around.captions)
            extents.append((x0 - around.left, y0 - around.below, right, y1 + around.above))
        all_boxes: list[Box] = []
        legends = [legend.get_window_extent().extents for legend in self.legends]
        for x0, y0, x1, y1 in [*extents, *legends]:
            left, right = max(0, int(x0) - EDGE), min(wide, math.ceil(x1) + EDGE)
            low, top = max(0, int(y0) - EDGE), min(high, math.ceil(y1) + EDGE)
            all_boxes.append((left, high - top, right - left, top - low))
        return all_boxes

    def _captions(self, ax: Axes) -> float:
        """How wide the captions on the left are."""
        left = [text for text in ax.texts if text.get_horizontalalignment() == "left"]
        renderer = self._agg.get_renderer()
        return max((artist.get_window_extent(renderer).width for artist in left), default=0.0)

    def _measured(self, order: int) -> Around:
        """What is around a panel, its ticks chosen for the size that it has."""
        renderer = self._agg.get_renderer()
        below, left = (ruler.settle(renderer) for ruler in self._rulers[order])
        return replace(self._around[order], left=left, below=below)

    def _place(self, head: float, foot: float) -> None:
        """One width and one height for all, columns and rows as far apart as they need."""
        if not self._around:
            return
        (wide, high), gap = self.bbox.size, GAP * self.dpi / 72
        columns, count = self._columns, len(self._around)
        by_column = [self._around[c::columns] for c in range(columns) if self._around[c::columns]]
        by_row = [self._around[r : r + columns] for r in range(0, count, columns)]
        left = np.array([max(around.left for around in part) for part in by_column])
        captions = np.array([max(around.captions for around in part) for part in by_column])
        below = np.array([max(around.below for around in part) for part in by_row])
        room = wide - left.sum() - gap * (len(left) + 1)
        width = _width(room / len(left), captions)
        above = np.array(self._above)
        height = high - head - foot - (above + below).sum() - gap * (len(below) + 1)
        height = max(height / len(below), 1.0)
        x = np.cumsum(left + np.maximum(width, captions) + gap) - np.maximum(width, captions)
        y = high - head - gap - np.cumsum(above + height + below + gap) + below + gap
        for order, ax in enumerate(self.axes):
            row, column = divmod(order, columns)
            ax.set_position((x[column] / wide, y[row] / high, width / wide, height / high))


def _width(most: float, captions: np.ndarray) -> float:
    """Of a panel, where captions wider than it push the next column away."""
    width = most
    for _ in range(50):
        width = most - np.maximum(captions - width, 0.0).mean()
    return float(max(width, NARROWEST * most))
