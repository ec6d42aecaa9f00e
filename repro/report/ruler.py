"""One axis of a panel: its grid, ticks and labels, each kind drawn at once and measured once.

Matplotlib makes five artists of every tick and measures each label twice whenever it draws, half of
the time that a figure took.  Which ticks there are and what they say is still its locators' and
formatters' to decide.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter
from matplotlib.transforms import Bbox

OFFSET_PAD = 3.0
"""Points between tick labels, or the frame, and the power of ten that all labels share."""

CLOSE = 1e-9
"""Share of an axis by which rounding may put a tick outside of it."""


class Ruler(Artist):
    """Stands for ``ax.xaxis`` or ``ax.yaxis``, which it hides and asks for ticks and words.

    Args:
        ax: the panel, its limits, locators and formatters set.
        name: ``x`` or ``y``.
    """

    zorder = 0.5

    def __init__(self, ax: Axes, name: str) -> None:
        super().__init__()
        self._panel, self._across = ax, name == "x"
        self._axis: Any = ax.xaxis if self._across else ax.yaxis
        self._axis.set_visible(False)
        self._places, self._words = np.empty(0), [""]
        ax.add_artist(self)
        self.set_clip_on(False)
        self._lines = [self._grid(), self._ticks("major"), self._ticks("minor")]
        self._label = self._tick_label()
        self._measured_words: list[str] = []
        self._reach = 0.0

    def settle(self, renderer: RendererBase) -> float:
        """Choose ticks for the panel as it stands, and set the words where these leave room.

        Returns:
            Pixels outside of the frame that labels take.
        """
        self._choose()
        axis, frame, point = self._axis, self._panel.bbox, _figure(self._panel).dpi / 72
        if self._words != self._measured_words:
            self._reach, self._measured_words = self._measured(renderer), self._words
        size = frame.height if self._across else frame.width
        away = -(self._reach + axis.labelpad * point) / size
        axis.set_label_coords(*((0.5, away) if self._across else (away, 0.5)))
        self._set_offset(self._reach, OFFSET_PAD * point)
        shown = [text for text in (axis.label, axis.get_offset_text()) if text.get_text()]
        return max([self._reach, *(self._outside(text, renderer) for text in shown)])

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:
        """Of the axis' label, or of the frame where it has none."""
        label = self._axis.label
        return label.get_window_extent(renderer) if label.get_text() else self._panel.bbox.frozen()

    def draw(self, renderer: RendererBase) -> None:
        """Grid, ticks, tick labels, the axis' label and the power of ten."""
        renderer.open_group(f"ruler.{self._axis.axis_name}")
        for line in self._lines:
            line.draw(renderer)
        for place, word in zip(self._places, self._words, strict=True):
            self._put(place, word)
            self._label.draw(renderer)
        self._axis.label.draw(renderer)
        self._axis.get_offset_text().draw(renderer)
        renderer.close_group(f"ruler.{self._axis.axis_name}")
        self.stale = False

    def _choose(self) -> None:
        """Ticks and what they say, at the panel's size."""
        axis, formatter = self._axis, self._axis.get_major_formatter()
        plain = isinstance(formatter, ScalarFormatter)
        if plain:  # formulas take ten times as long to lay out as plain characters
            formatter.set_useMathText(False)
        places = np.asarray(axis.get_majorticklocs(), dtype=float)
        words = formatter.format_ticks(places)
        if plain:
            formatter.set_useMathText(True)
        shown = self._shown(places)
        self._places = places[shown]
        self._words = [word for word, there in zip(words, shown, strict=True) if there]
        minor = np.asarray(axis.get_minorticklocs(), dtype=float)
        between = np.column_stack([self._places, self._places, np.full(shown.sum(), np.nan)])
        self._set(self._lines[0], between.ravel(), np.tile([0.0, 1.0, np.nan], shown.sum()))
        minor = minor[self._shown(minor)]
        self._set(self._lines[1], self._places, np.zeros(len(self._places)))
        self._set(self._lines[2], minor, np.zeros(len(minor)))

    def _shown(self, places: np.ndarray) -> np.ndarray:
        """(ticks,) which of them lie on the axis."""
        scale = self._axis.get_transform()
        low, high = np.sort(scale.transform(self._axis.get_view_interval()))
        at, room = scale.transform(places), CLOSE * (high - low)
        return (at >= low - room) & (at <= high + room)

    def _set(self, line: Line2D, along: np.ndarray, across: np.ndarray) -> None:
        line.set_data(*((along, across) if self._across else (across, along)))

    def _put(self, place: float, word: str) -> None:
        self._label.set_position((place, 0.0) if self._across else (0.0, place))
        self._label.set_text(word)

    def _measured(self, renderer: RendererBase) -> float:
        """Pixels outside of the frame that tick labels take."""
        outside = [0.0]
        for place, word in zip(self._places, self._words, strict=True):
            if word:
                self._put(place, word)
                outside.append(self._outside(self._label, renderer))
        return max(outside)

    def _outside(self, text: Text, renderer: RendererBase) -> float:
        box, frame = text.get_window_extent(renderer), self._panel.bbox
        return float(frame.y0 - box.y0 if self._across else frame.x0 - box.x0)

    def _set_offset(self, reach: float, pad: float) -> None:
        """The power of ten that all labels share, below their end or above the panel."""
        text, high = self._axis.get_offset_text(), self._panel.bbox.height
        text.set_text(self._axis.get_major_formatter().get_offset())
        text.set_transform(self._panel.transAxes)
        text.set_position((1.0, -(reach + pad) / high) if self._across else (0.0, 1 + pad / high))

    def _grid(self) -> Line2D:
        line = Line2D(
            [], [], color=_rc("grid.color"), ls=_rc("grid.linestyle"), lw=_rc("grid.linewidth")
        )
        self._add(line, "grid")
        line.set_clip_path(self._panel.patch)
        return line

    def _ticks(self, which: str) -> Line2D:
        name = f"{self._axis.axis_name}tick"
        marker: Any = TICKDOWN if self._across else TICKLEFT
        size, width = _rc(f"{name}.{which}.size"), _rc(f"{name}.{which}.width")
        colour = _rc(f"{name}.color")
        ticks = Line2D([], [], ls="none", marker=marker, color=colour, ms=size, mew=width)
        self._add(ticks, "tick1")
        return ticks

    def _add(self, line: Line2D, which: Literal["grid", "tick1"]) -> None:
        """Along the axis in its own units, across it in shares of the panel."""
        ax = self._panel
        line.set_figure(_figure(ax))
        line.axes = ax
        across = ax.get_xaxis_transform if self._across else ax.get_yaxis_transform
        line.set_transform(across(which))

    def _tick_label(self) -> Text:
        """One text, which is put from tick to tick."""
        ax, name = self._panel, f"{self._axis.axis_name}tick"
        pad = _rc(f"{name}.major.pad") + _rc(f"{name}.major.size")
        across = ax.get_xaxis_text1_transform if self._across else ax.get_yaxis_text1_transform
        transform, va, ha = across(pad)
        look = {"fontsize": _rc(f"{name}.labelsize"), "color": _rc(f"{name}.color")}
        label = Text(0, 0, "", va=va, ha=ha, transform=transform, **look)
        label.set_figure(_figure(ax))
        return label


def _rc(key: Any) -> Any:
    return rcParams[key]


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None, "a panel of a figure"
    return figure
