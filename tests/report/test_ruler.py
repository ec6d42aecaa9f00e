"""Ticks that are drawn at once are where matplotlib draws them one by one."""

from typing import Any

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repro.report.ruler import Ruler

LOOK: Any = {"axes.grid": True, "axes.axisbelow": True, "font.family": "DejaVu Sans"}


def panel(x: tuple[str, float, float], y: tuple[str, float, float]) -> Axes:
    """Between two numbers on each axis, on a scale of that name."""
    figure = Figure(figsize=(4.0, 3.0), dpi=110)
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0.2, 0.2, 0.7, 0.7))
    ax.set(xscale=x[0], yscale=y[0], xlim=x[1:], ylim=y[1:], xlabel="labels n", ylabel="gap [nats]")
    return ax


def pixels(ax: Axes) -> np.ndarray:
    """(height, width, 4) of its figure."""
    canvas = FigureCanvasAgg(ax.get_figure(root=True))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def ruled(ax: Axes) -> Axes:
    renderer = FigureCanvasAgg(ax.get_figure(root=True)).get_renderer()
    for name in "xy":
        Ruler(ax, name).settle(renderer)
    return ax


@pytest.mark.parametrize("x", [("log", 10.0, 3e3), ("linear", -1.0, 7.5)])
@pytest.mark.parametrize("y", [("log", 1e-6, 1.0), ("linear", -0.02, 1.13)])
def test_the_same_pixels_as_axes_of_matplotlib(x, y):
    with rc_context({**LOOK, "axes.formatter.use_mathtext": False}):
        found, wanted = pixels(ruled(panel(x, y))), pixels(panel(x, y))
    assert np.array_equal(found, wanted)
    assert (found < 100).any()


def test_a_power_of_ten_that_all_labels_share_is_above_the_panel():
    with rc_context({**LOOK, "axes.formatter.use_mathtext": True}):
        ax = ruled(panel(("linear", 0.0, 1.0), ("linear", 2e-8, 9e-8)))
        shared = ax.yaxis.get_offset_text()
        assert "10^{-8}" in shared.get_text().replace("−", "-")
        assert shared.get_window_extent().y0 > ax.get_window_extent().y1
        with_it = pixels(ax)
        shared.set_text("")
        assert not np.array_equal(with_it, pixels(ax))


def test_labels_leave_room_for_the_words_and_ticks_outside_are_not_drawn():
    found = []
    for ticks in ([0.0, 0.5, 1.0], [-3.0, 0.0, 0.5, 1.0, 1.1]):
        with rc_context(LOOK):
            ax = panel(("linear", 0.0, 1.0), ("linear", 0.0, 1.0))
            ax.set_xticks(ticks, map(str, ticks))
            ax.set_xlim(0.0, 1.0)
            found.append(pixels(ruled(ax)))
            assert ax.xaxis.label.get_window_extent().y1 < ax.get_window_extent().y0 - 10
    assert np.array_equal(*found)
