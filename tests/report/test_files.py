"""The files of one run: strict, complete, the same bytes for the same result."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from repro.report.files import measurements_frame, verdict_json, write_files
from repro.report.html.runs import read_run

SAME_BYTES = ("verdict.json", "measurements.parquet", "figure.png", "figure.svg", "config.yaml")


def strict(text: str):
    """Parse JSON as any other language would: NaN and Infinity are errors."""

    def refuse(word: str):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def with_numbers(item, **numbers):
    """A check result with some measured numbers changed."""
    return replace(item, outcome=replace(item.outcome, numbers={**item.outcome.numbers, **numbers}))


@pytest.fixture(scope="module", name="written")
def _written(tmp_path_factory, request):
    """Two separate writes of one result."""
    result = request.getfixturevalue("shared_result")
    folders = [tmp_path_factory.mktemp(name) for name in "ab"]
    return [write_files(result, folder / "new" / "run", 1.5, 2, "cpu") for folder in folders]


def test_verdict_has_the_fields_of_the_contract(result):
    found = verdict_json(result)
    assert list(found) == [
        "theorem",
        "statements",
        "verdict",
        "expected",
        "complete",
        "rows",
        "checks",
        "controls",
        "assumptions",
        "seed",
        "replicates",
        "budget",
        "config_hash",
        "files",
        "seal",
    ]
    first = found["checks"][0]
    assert first["name"] == "n_pairs"
    assert (first["kind"], first["axis"], first["claimed"]) == ("slope", "n_pairs", -1.0)
    assert first["ci95"] == pytest.approx([-1.0062, -0.9978])
    assert (first["method"], first["expected"], first["failed_replicates"]) == (
        "pessimistic",
        "supported",
        1,
    )


def test_every_check_says_how_it_was_measured(result):
    found = verdict_json(result)["checks"]
    for entry, item in zip(found, result.checks, strict=True):
        series = item.outcome.series
        assert entry["grid"] == list(item.check.grid)
        assert entry["replicates"] * len(series.grid) == series.values.size
        assert {"evidence", "needs", "settings"} <= set(entry)
        assert None not in entry["settings"].values()


def test_verdict_lists_controls_with_their_check(result):
    controls = verdict_json(result)["controls"]
    assert [(one["name"], one["check"], one["verdict"]) for one in controls] == [
        ("naive_likelihood", "n_pairs", "contradicted"),
        ("narrow", "event", "inconclusive"),
    ]
    assert controls[0]["slope"] == pytest.approx(0.003)


def test_what_json_lacks_becomes_null_or_a_word(result, make_result, tmp_path):
    odd = {"slope": np.float64("nan"), "ci95": (-math.inf, np.float64(2)), "cases": np.int64(3)}
    run = make_result(with_numbers(result.checks[0], **odd))
    write_files(run, tmp_path, 0.0, 1, "cpu")
    check = strict((tmp_path / "verdict.json").read_text())["checks"][0]
    assert (check["slope"], check["ci95"], check["cases"]) == (None, ["-inf", 2.0], 3)


def test_measurements_hold_a_row_per_check_method_value_and_block(result):
    frame = measurements_frame(result)
    blocks, points = 4, {"n_pairs": 4 * 2, "constant": 3, "bound": 2, "event": 2 * 2}
    assert frame.groupby("check", sort=False).size().to_dict() == {
        name: blocks * count for name, count in points.items()
    }
    assert frame.iloc[0]["method"] == "pessimistic"
    assert set(frame["replicate_block"]) == set(range(blocks))


def test_moments_are_over_finite_replicates(result):
    frame = measurements_frame(result)
    row = frame[(frame.method == "pessimistic") & (frame.failed == 1)].iloc[0]
    values = result.checks[0].outcome.series.values[1, 2]
    assert (row["value"], row["replicate_block"], row["count"]) == (1e4, 2, 4)
    assert row["mean"] == pytest.approx(np.nanmean(values))
    assert row["variance"] == pytest.approx(np.nanvar(values, ddof=1))


def test_a_block_without_values_has_no_moments(result, make_result):
    item = result.checks[1]
    item.outcome.series.values[0, 0, :] = np.nan
    item.outcome.series.values[0, 1, 1:] = np.inf
    frame = measurements_frame(make_result(item))
    assert frame.loc[0, ["count", "failed"]].tolist() == [0, 5]
    assert frame.loc[0, ["mean", "variance"]].isna().all()
    assert frame.loc[1, "mean"] == item.outcome.series.values[0, 1, 0]
    assert math.isnan(frame.loc[1, "variance"])


def test_a_variance_beyond_the_largest_float_is_infinite_and_says_nothing(result, make_result):
    """A warning would be an error here; what is wrong on purpose can be as wide as 1e297."""
    item = result.checks[1]
    item.outcome.series.values[0, 0, :] = [1e297, 2e297, 3e297, 4e297, 5e297]
    frame = measurements_frame(make_result(item))
    assert frame.loc[0, "mean"] == pytest.approx(3e297)
    assert frame.loc[0, "variance"] == math.inf


def test_measurements_have_the_same_types_without_rows(make_result, result):
    empty = measurements_frame(replace(result, checks=()))
    assert empty.dtypes.to_dict() == measurements_frame(result).dtypes.to_dict()
    assert empty.empty


@pytest.mark.parametrize("name", SAME_BYTES)
def test_two_writes_of_one_result_are_the_same_bytes(written, name):
    first, second = ({path.name: path for path in paths}[name] for paths in written)
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 0


def test_the_verdict_is_written_last_and_nothing_temporary_is_left(written):
    names = [path.name for path in written[0]]
    assert names[-1] == "verdict.json"
    assert sorted(path.name for path in written[0][0].parent.iterdir()) == sorted(names)
    assert written[0][-1].read_text().endswith("}\n")


def test_parquet_reads_back_as_the_frame(written, shared_result):
    paths = {path.name: path for path in written[0]}
    frame = pd.read_parquet(paths["measurements.parquet"])
    pd.testing.assert_frame_equal(frame, measurements_frame(shared_result))


def test_config_keeps_its_order_and_infinity(written):
    paths = {path.name: path for path in written[0]}
    text = paths["config.yaml"].read_text()
    assert yaml.safe_load(text)["theorem"] == {
        "name": "offline_gap",
        "epsilon": math.inf,
        "grid": [1, 2],
    }
    assert text.startswith("theorem:\n  name:")


def test_timings_are_in_run_json_only(written):
    paths = {path.name: path for path in written[0]}
    run = strict(paths["run.json"].read_text())
    assert (run["seconds"], run["workers"], run["device"]) == (1.5, 2, "cpu")
    assert set(run["versions"]) == {"python", "torch", "numpy", "repro"}
    assert "seconds" not in paths["verdict.json"].read_text()


def test_a_write_that_fails_leaves_the_earlier_run(result, tmp_path, monkeypatch):
    write_files(result, tmp_path, 1.0, 1, "cpu")

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr("repro.report.files.parquet_bytes", broken)
    with pytest.raises(OSError, match="disk full"):
        write_files(result, tmp_path, 1.0, 1, "cpu")
    assert read_run(tmp_path / "verdict.json").changes == ()
    assert not list(tmp_path.glob(".*"))
