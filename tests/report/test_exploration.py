"""The view of how exploration concentrates: its numbers, its figure, its command."""

from __future__ import annotations

import numpy as np
import pytest

from repro.commands.exploration import draw_exploration, main, record
from repro.study.parallel import single_thread

single_thread()


@pytest.fixture(scope="module")
def found():
    return record(4.0, 10**5, seed=0, replicates=30)


def test_the_bonus_moves_draws_to_the_rare_best_response(found):
    np.testing.assert_allclose(found.explore.sum(axis=-1), 1)
    best = found.explore[:, :, -1]
    assert best[0] == pytest.approx([1e-3, 1e-3])
    assert best[-1, 0] > 0.8
    assert found.optimal[-1] > 0.9
    assert found.cumulative[-1, 1].mean() > 2 * found.cumulative[-1, 0].mean()
    assert (np.diff(found.cumulative, axis=0) >= 0).all()


def test_a_panel_a_decade_and_curves_with_bands(found):
    figure = draw_exploration(found, "a title")
    top, *small = figure.axes
    assert len(small) == 5
    assert [ax.get_title() for ax in small] == [f"after 1e+0{k}" for k in range(1, 6)]
    assert top.get_xscale() == "log"
    labels = [line.get_label() for line in top.lines]
    assert labels == ["with the bonus", "without the bonus", "predicted slope"]
    assert len(top.collections) == 2


def test_the_predicted_slope_is_the_closed_form(found):
    line = draw_exploration(found, "a title").axes[0].lines[2]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    slope = (y[-1] - y[-2]) / np.log(x[-1] / x[-2])
    assert slope == pytest.approx(found.rate)


def test_the_command_writes_a_figure_or_names_what_is_wrong(tmp_path, capsys):
    out = tmp_path / "view.png"
    assert main([str(out), "--horizon", "100", "--epsilon", "inf"]) == 0
    assert out.stat().st_size > 5000
    wrong = (
        (["--epsilon", "0"], "--epsilon"),
        (["--horizon", "1"], "--horizon"),
        (["--seed", "-1"], "--seed"),
    )
    for arguments, key in wrong:
        assert main([str(out), *arguments]) == 2
        assert key in capsys.readouterr().err
    assert main([str(tmp_path / "view.txt")]) == 2
    assert main([str(tmp_path / "absent" / "view.png")]) == 2
