"""The separation picture reads a run's measurements and nothing else."""

from __future__ import annotations

import pandas
import pytest

from repro.report.separation_figure import CURVES, draw_separation, main, mean_ratios


def measurements() -> pandas.DataFrame:
    rows = [
        {"check": check, "method": method, "value": cost, "replicate_block": block,
         "mean": (cost if method != "random_flips" else 1.0) + 0.01 * block}
        for check in CURVES
        for method in ("strong", "random_flips")
        for cost in (2.0, 10.0)
        for block in (0, 1)
    ]  # fmt: skip
    return pandas.DataFrame(rows)


def test_means_over_blocks():
    assert mean_ratios(measurements(), "ratio", None).tolist() == pytest.approx([2.005, 10.005])
    assert mean_ratios(measurements(), "ratio", "random_flips").tolist() == pytest.approx(
        [1.005] * 2
    )


def test_all_six_curves_and_the_line_are_drawn():
    labels = [line.get_label() for line in draw_separation(measurements()).axes[0].get_lines()]
    assert {label for label, *_ in CURVES.values()} <= set(labels)
    assert "c(ε)" in labels


def test_command(tmp_path, capsys):
    measurements().to_parquet(tmp_path / "measurements.parquet")
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "separation.png").is_file()
    assert (tmp_path / "separation.svg").is_file()
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "the folder of a ctl_ltc_separation run" in capsys.readouterr().err


def test_another_run_is_refused(tmp_path, capsys):
    frame = measurements()
    frame[frame["check"] == "ratio"].to_parquet(tmp_path / "measurements.parquet")
    assert main([str(tmp_path)]) == 2
    assert "has no check ratio_huber" in capsys.readouterr().err
