"""The figure: a panel per check, nothing lost in greyscale, no global state, no crash."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot, rcParams
from matplotlib.collections import PolyCollection

import repro
from repro.core.claims import DeclaredCheck
from repro.core.results import CheckResult, Outcome, Series
from repro.report.figure import (
    _looks,
    caption_lines,
    draw,
    figure_bytes,
    panel_boxes,
    panel_columns,
)
from repro.report.record import record_of


def texts(ax) -> str:
    """All words of one panel."""
    return "\n".join(text.get_text() for text in ax.texts)


def panels(figure):
    """Axes in use."""
    return [ax for ax in figure.axes if ax.axison]


@pytest.fixture(scope="module", name="figure")
def _figure(shared_result):
    return draw(shared_result)


def test_every_check_has_a_panel_with_name_verdict_and_numbers(figure, shared_result):
    for ax, item in zip(panels(figure), shared_result.checks, strict=True):
        assert item.check.name in texts(ax)
        assert item.outcome.verdict in texts(ax)
    first = texts(panels(figure)[0])
    assert "✓ supported" in first
    assert "claimed slope -1 ± 0.05" in first
    assert "measured -1.0020 [-1.0062, -0.9978]".replace(", ", ",\u00a0") in first
    assert "naive_likelihood: 0.0030" in first
    assert "1 of 80 replicates failed" in first


def test_the_whole_figure_states_the_verdict_and_whether_it_was_expected(figure):
    assert "Offline gap under label privacy" in figure.get_suptitle()
    words = " ".join(figure.get_suptitle().split())
    assert "? inconclusive (NOT as expected; expected: supported)" in words


@pytest.mark.parametrize("panels_shown", [1, 4])
def test_long_headings_stay_inside_the_figure(result, panels_shown):
    title = "A long title about label privacy, regret and the cost of both " * 3
    figure = draw(replace(result, title=title, checks=result.checks[:panels_shown]))
    for artist in (*figure.texts, *figure.legends):
        box = artist.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1


def test_axes_carry_label_quantity_and_scale(figure):
    slope, ratio, *_ = panels(figure)
    assert (slope.get_xlabel(), slope.get_ylabel()) == ("labels n", "suboptimality [nats]")
    assert (slope.get_xscale(), slope.get_yscale()) == ("log", "log")
    assert ratio.get_yscale() == "linear"


def test_the_claimed_line_has_the_claimed_slope_from_the_first_point_on(figure, shared_result):
    ax = panels(figure)[0]
    claimed = next(line for line in ax.lines if line.get_linestyle() == "--")
    x, y = np.log(claimed.get_xdata()), np.log(claimed.get_ydata())
    assert np.diff(y) / np.diff(x) == pytest.approx(-1.0)
    series = shared_result.checks[0].outcome.series
    assert (x[0], y[0]) == pytest.approx((np.log(series.grid[0]), np.log(series.means[0])))


def allowed_part(ax) -> np.ndarray:
    """Corners of what is shaded."""
    (shaded,) = (one for one in ax.collections if isinstance(one, PolyCollection))
    return shaded.get_paths()[0].vertices


@pytest.mark.parametrize(("direction", "below", "above"),
                         [("two_sided", -1.05, -0.95), ("at_most", None, -0.95),
                          ("at_least", -1.05, None)])  # fmt: skip
def test_what_a_claimed_slope_allows_is_shaded(result, make_result, direction, below, above):
    item = result.checks[0]
    check = replace(item.check, direction=direction)
    numbers = {**item.outcome.numbers, "direction": direction}
    item = replace(item, check=check, outcome=replace(item.outcome, numbers=numbers))
    (ax,) = panels(draw(make_result(item)))
    corners, (bottom, top) = allowed_part(ax), ax.get_ylim()
    start, end = item.outcome.series.grid[[0, -1]]
    first = item.outcome.series.means[0]
    reached = [
        edge if slope is None else first * (end / start) ** slope
        for slope, edge in ((below, bottom), (above, top))
    ]
    at_the_end = corners[np.isclose(corners[:, 0], end), 1]
    assert (at_the_end.min(), at_the_end.max()) == pytest.approx(tuple(reached))


@pytest.mark.parametrize(("order", "low", "high"), [(1, 0.95, 1.05), (2, None, 1.0)])
def test_what_a_constant_and_a_bound_allow_is_shaded(result, make_result, order, low, high):
    (ax,) = panels(draw(make_result(result.checks[order])))
    corners, (bottom, _) = allowed_part(ax), ax.get_ylim()
    assert corners[:, 1].max() == pytest.approx(high)
    assert corners[:, 1].min() == pytest.approx(bottom if low is None else low)
    assert (corners[:, 0].min(), corners[:, 0].max()) == pytest.approx(ax.get_xlim())


def test_panels_come_in_the_order_of_the_table(result, make_result):
    first, second = result.checks[:2]
    wrong = replace(second, outcome=replace(second.outcome, verdict="contradicted"))
    shown = panels(draw(replace(result, checks=(first, wrong))))
    assert [ax.texts[0].get_text() for ax in shown] == [first.check.name, second.check.name]


def test_all_that_is_drawn_is_in_the_legend(figure):
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert {"claimed", "allowed, with its tolerance"} <= set(words)


def test_marks_differ_without_colour(figure):
    ax = panels(figure)[0]
    looks = {(line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert {("o", "None"), ("s", ":"), ("None", "-"), ("None", "--")} <= looks


def test_no_two_captions_overlap(figure):
    boxes = [text.get_window_extent() for ax in panels(figure) for text in ax.texts]
    frames = [ax.get_window_extent() for ax in panels(figure)]
    for order, box in enumerate(boxes):
        others = [*boxes[order + 1 :], *frames]
        assert not any(box.overlaps(other) for other in others)
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1


def test_a_name_of_several_lines_has_room_above_its_panel(result, make_result):
    item = result.checks[0]
    check = replace(item.check, name="a_name_that_takes_several_lines_of_its_panel")
    figure = draw(make_result(CheckResult(check, item.outcome, ())))
    (ax,) = panels(figure)
    assert not any(text.get_window_extent().overlaps(ax.get_window_extent()) for text in ax.texts)


def test_a_slope_on_a_linear_axis(result, make_result):
    item = result.checks[0]
    assert item.outcome.fit is not None
    check = replace(item.check, axis="reward_bound", grid=(4.0, 6.0, 8.0, 10.0))
    series = Series(np.array(check.grid), item.outcome.series.values)
    fit = replace(item.outcome.fit, log_axis=False)
    figure = draw(
        make_result(CheckResult(check, replace(item.outcome, series=series, fit=fit), ()))
    )
    assert (panels(figure)[0].get_xscale(), panels(figure)[0].get_yscale()) == ("linear", "log")


@pytest.mark.parametrize("value", [0.5, 1.0, 2.0, 1e-9, 1e12])
def test_a_single_swept_value_stands_in_the_middle(make_result, result, value):
    """Left alone, a log axis around one value is one rounding error wide."""
    item = next(one for one in result.checks if one.check.kind == "ratio")
    values = item.outcome.series.values[:1]
    item = CheckResult(
        replace(item.check, axis="epsilon", grid=(value,)),
        replace(item.outcome, series=Series(np.array([value]), values)),
        (),
    )
    ax = panels(draw(make_result(item)))[0]
    middle = ax.transAxes.inverted().transform(ax.transData.transform((value, 1.0)))[0]
    assert ax.get_xscale() == "log"
    assert middle == pytest.approx(0.5)
    assert ax.get_xticks().tolist() == [value]


@pytest.mark.parametrize(("worst", "scale"), [(20.0, "linear"), (1e6, "log"), (1e-6, "log")])
def test_a_bound_far_from_its_limit_is_on_a_log_axis(result, make_result, worst, scale):
    """All cases alike, so only the limit of 1 tells how wide the axis is."""
    item = next(one for one in result.checks if one.check.kind == "inequality")
    item = replace(item, controls=())
    series = Series(item.outcome.series.grid, np.full_like(item.outcome.series.values, worst))
    figure = draw(make_result(replace(item, outcome=replace(item.outcome, series=series))))
    assert panels(figure)[0].get_yscale() == scale


def test_a_zero_beside_a_huge_control_is_an_arrow_at_the_edge(result, make_result):
    """On a linear axis a control of 10⁴ would lay the measurement on its limit."""
    item = next(one for one in result.checks if one.check.name == "bound")
    series = Series(item.outcome.series.grid, np.array([[[0.0]], [[0.5]]]))
    control = Outcome("wrong", "contradicted", {}, replace(series, values=2e4 + series.values))
    shown = replace(item, outcome=replace(item.outcome, series=series), controls=(control,))
    panel = draw(make_result(shown)).axes[0]
    assert panel.get_yscale() == "log"
    (arrow,) = (line for line in panel.lines if line.get_marker() == "v" and len(line.get_xdata()))
    assert arrow.get_xdata().tolist() == [series.grid[0]]


@pytest.mark.some(4)
@pytest.mark.parametrize("fill", [np.nan, np.inf, -1.0, 0.0])
@pytest.mark.parametrize("order", range(4))
def test_values_without_logarithm_or_number_do_not_stop_the_figure(
    make_result, result, fill, order, tmp_path
):
    item = result.checks[order]
    values = np.full_like(item.outcome.series.values, fill)
    outcome = Outcome(
        "m", "inconclusive", {"reason": "none"}, Series(np.array(item.check.grid), values)
    )
    figure = draw(make_result(CheckResult(item.check, outcome, (outcome,))))
    (tmp_path / "figure.png").write_bytes(figure_bytes(figure, "png"))
    if not np.isfinite(fill):
        assert "no finite measurement" in texts(panels(figure)[0])


def test_an_unknown_kind_a_single_point_and_no_check_at_all(make_result, result):
    check = DeclaredCheck("plain", "unheard_of", (0.0,), "number", "m")
    outcome = Outcome("m", "supported", {}, Series(np.zeros(1), np.ones((1, 1, 1))))
    assert (
        panels(draw(make_result(CheckResult(check, outcome, ()))))[0].get_xlabel() == "unheard_of"
    )
    assert panels(draw(replace(result, checks=()))) == []


def test_an_off_scale_control_does_not_hide_the_tolerance(result, make_result, make_series):
    item = result.checks[1]
    wild = make_series(item.check.grid, lambda x: 100 * x)
    control = Outcome("wild", "contradicted", {"value": 400.0}, wild)
    ax = panels(draw(make_result(replace(item, controls=(control,)))))[0]
    low, high = ax.get_ylim()
    assert low > 0.8
    assert high < 1.2
    assert any(line.get_marker() == "^" for line in ax.lines)


@pytest.mark.parametrize("start", [0.0, -5.0])
def test_a_control_of_hundreds_of_decades_does_not_hide_the_level_of_a_bound(
    result, make_result, start
):
    """On a log axis, and on the linear one that negative cases ask for."""
    item = next(one for one in result.checks if one.check.name == "bound")
    grid = item.outcome.series.grid
    near = Series(grid, np.array([[[0.5, start]], [[0.5, 0.7]]]))
    wild = Series(grid, np.array([[[1.2, 1.2]], [[1e200, 2.0]]]))
    control = Outcome("wrong", "contradicted", {}, wild)
    shown = replace(item, outcome=replace(item.outcome, series=near), controls=(control,))
    (ax,) = panels(draw(make_result(shown)))
    low, high = ax.get_ylim()
    assert low < 0.5
    assert 1.0 < high < 100
    above = [line for line in ax.lines if line.get_marker() == "^"]
    assert grid[1] in {x for line in above for x in line.get_xdata()}


def test_no_line_is_drawn_towards_a_point_beyond_the_panel(result, make_result, make_series):
    """A stroke from the panel's middle to an arrow looks like a measurement."""
    item = result.checks[1]
    grid = item.check.grid
    control = Outcome("wild", "contradicted", {}, make_series(grid, lambda x: x / grid[0], 0.0))
    ax = panels(draw(make_result(replace(item, controls=(control,)))))[0]
    dotted = next(line for line in ax.lines if line.get_linestyle() == ":")
    assert np.isfinite(np.asarray(dotted.get_ydata(), float)).tolist() == [True, False, False]


def test_labels_beside_one_say_by_how_much(result, make_result):
    """Not 0, 1 and 2 below a corner's "×10⁻⁶+1"."""
    item = result.checks[1]
    exact = Series(item.outcome.series.grid, np.ones_like(item.outcome.series.values))
    numbers = {**item.outcome.numbers, "tolerance": 1e-6}
    outcome = replace(item.outcome, series=exact, numbers=numbers)
    control = replace(item.outcome, method="wrong", series=replace(exact, values=2 * exact.values))
    figure = draw(make_result(replace(item, outcome=outcome, controls=(control,))))
    (ax,) = panels(figure)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert {"1", "1+1e-6", "1−1e-6"} <= set(labels)
    assert ax.yaxis.get_offset_text().get_text() == ""


def test_drawing_leaves_matplotlib_as_it_was(result, monkeypatch):
    before = dict(rcParams)
    draw(result)
    assert dict(rcParams) == before
    assert pyplot.get_fignums() == []


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_hash_seeds(shared_result, tmp_path):
    import pickle

    (tmp_path / "result").write_bytes(pickle.dumps(shared_result))
    program = (
        "import pickle, sys; from pathlib import Path; from repro.report.figure import figures\n"
        "(content,) = figures(pickle.loads(Path(sys.argv[1]).read_bytes()), ['svg'])\n"
        "Path(sys.argv[2]).write_bytes(content)"
    )
    found = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.svg"
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / "result", path],
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(repro.__path__[0]).parent,
        )
        found.append(path.read_bytes())
    assert found[0] == found[1]


def test_every_panel_has_a_box_with_its_captions_and_none_overlap(figure, shared_result):
    boxes = panel_boxes(figure)
    assert len(boxes) == len(shared_result.checks) + 1  # the legend is the last
    wide, high = figure.bbox.size
    for (left, top, width, height), ax in zip(boxes, panels(figure), strict=False):
        frame = ax.get_window_extent()
        assert 0 <= left <= frame.x0
        assert frame.x1 <= left + width <= wide
        for text in ax.texts:
            extent = text.get_window_extent()
            assert top <= high - extent.y1
            assert high - extent.y0 <= top + height <= high
    for order, (left, top, width, height) in enumerate(boxes):
        for other_left, other_top, other_width, other_height in boxes[order + 1 :]:
            beside = left + width <= other_left + 8 or other_left + other_width <= left + 8
            assert beside or top + height <= other_top + 8 or other_top + other_height <= top + 8


def test_columns():
    assert [panel_columns(n) for n in (0, 1, 3, 14, 40)] == [1, 1, 2, 3, 4]


def test_a_users_matplotlibrc_changes_no_figure(result, tmp_path):
    import matplotlib

    for name, settings in (("plain", {}), ("odd", {"text.usetex": True, "font.size": 40})):
        with matplotlib.rc_context(settings):
            (tmp_path / f"{name}.svg").write_bytes(figure_bytes(draw(result), "svg"))
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "odd.svg").read_bytes()


def far_control(item, factor: float):
    """The slope's own control, moved away by a factor."""
    (control, *_) = item.controls
    moved = Series(control.series.grid, factor * control.series.values)
    return replace(item, controls=(replace(control, series=moved),))


@pytest.mark.parametrize(("factor", "mark"), [(1e9, "^"), (1e-16, "v")])
def test_a_control_many_decades_away_does_not_flatten_the_slope(result, make_result, factor, mark):
    near = panels(draw(make_result(far_control(result.checks[0], 1.0))))[0]
    figure = draw(make_result(far_control(result.checks[0], factor)))
    far = panels(figure)[0]
    assert np.ptp(np.log10(far.get_ylim())) < 1.5 * np.ptp(np.log10(near.get_ylim()))
    assert any(line.get_marker() == mark and np.size(line.get_xdata()) for line in far.lines)
    (legend,) = figure.legends
    assert "beyond the panel, or zero" in [text.get_text() for text in legend.get_texts()]


def test_the_legend_names_arrows_only_where_there_are_some(figure, result, make_result):
    shown = draw(make_result(replace(result.checks[0], controls=())))
    (legend,) = shown.legends
    assert "beyond the panel, or zero" not in [text.get_text() for text in legend.get_texts()]


def test_a_narrow_log_axis_names_one_two_and_five(result, make_result):
    item = replace(result.checks[0], controls=())
    series = item.outcome.series
    few = Series(series.grid, 1e-3 * series.values / np.nanmax(series.values) + 5e-4)
    shown = replace(item, outcome=replace(item.outcome, series=few, fit=None))
    ax = panels(draw(make_result(shown)))[0]
    named = [tick.get_text() for tick in ax.get_yticklabels()]
    assert {"0.0005", "0.001"} <= set(named)
    assert not any("×" in name or "times" in name for name in named)


def test_a_long_quantity_stays_beside_its_panel(result, make_result):
    check = replace(result.checks[0].check, quantity="regret per round, curious side [reward]")
    figure = draw(make_result(replace(result.checks[0], check=check), *result.checks[1:]))
    ax = panels(figure)[0]
    label, frame = ax.yaxis.label.get_window_extent(), ax.get_window_extent()
    assert label.y0 >= frame.y0 - 2
    assert label.y1 <= frame.y1 + 2


def test_the_heading_names_an_instance_that_is_not_the_plain_one(result):
    text = {"instance": {"kind": "preference_text"}}
    heading = draw(replace(result, config=text)).get_suptitle()
    assert "instance preference_text" in " ".join(heading.split())


@pytest.mark.parametrize("evidence", ["exact", "searched", "proved", "computed"])
def test_only_what_was_measured_is_called_so(shared_result, evidence):
    (check, controls), *_ = record_of(shared_result).verdict.with_controls()
    words = caption_lines(check.model_copy(update={"evidence": evidence}), controls)
    assert [one for one in words if one.startswith(evidence)]
    assert not [one for one in words if one.startswith("measured")]


def test_frames_are_of_one_size_and_stand_in_line(figure):
    frames = np.array([ax.get_window_extent().extents for ax in panels(figure)])
    sizes = frames[:, 2:] - frames[:, :2]
    np.testing.assert_allclose(sizes, sizes[:1].repeat(len(sizes), 0))
    columns = panel_columns(len(frames))
    for first in range(columns):
        np.testing.assert_allclose(np.ptp(frames[first::columns, 0]), 0, atol=1e-6)


def test_what_belongs_to_one_panel_keeps_away_from_the_next(figure):
    """Tick labels and names of axes, too."""
    found = [ax.get_tightbbox() for ax in panels(figure)]
    for order, box in enumerate(found):
        assert not any(box.overlaps(other) for other in found[order + 1 :])
    (legend,) = figure.legends
    heading = figure._suptitle.get_window_extent()
    for box in found:
        assert box.y1 <= heading.y0
        assert box.y0 >= legend.get_window_extent().y1


def test_seaborns_look_is_read_without_the_whole_package_and_leaves_no_half_of_it(monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "seaborn"]:
        monkeypatch.delitem(sys.modules, module)
    looks = _looks.__wrapped__()
    assert not [name for name in sys.modules if name.partition(".")[0] == "seaborn"]
    import seaborn

    assert seaborn.lineplot
    context = seaborn.plotting_context("paper", font_scale=1.05)
    assert looks == seaborn.axes_style("ticks") | context
