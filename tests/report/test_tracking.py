"""MLflow: what is logged can be read back and compared."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import replace

import numpy as np
import pytest
from mlflow import MlflowClient

from repro.core.results import Series
from repro.report.tracking import log_result
from repro.report.tracking_content import check_name, check_tags, params_of, run_name, run_points
from repro.report.tracking_store import VIEWS, quiet_mlflow


@pytest.fixture(scope="module", name="store")
def _store(tmp_path_factory, shared_result, tracking_of):
    """A store with two runs of one experiment that differ in seed."""
    root = tmp_path_factory.mktemp("out put")
    folder = root / "run"
    folder.mkdir()
    (folder / "verdict.json").write_text("{}\n")
    (folder / "figure.png").write_bytes(b"png")
    settings = tracking_of(root)
    other = replace(shared_result, seed=7)
    ids = [logged(one, folder, settings) for one in (shared_result, other)]
    with quiet_mlflow():
        client = MlflowClient(settings["uri"])
    return client, ids, root


def logged(*arguments) -> str:
    """The id of a run that must have been logged."""
    run_id = log_result(*arguments)
    assert run_id is not None
    return run_id


def children_of(client, run_id):
    """Nested runs by the check's name."""
    experiment = client.get_experiment_by_name("repro").experiment_id
    found = client.search_runs([experiment], f"tags.`mlflow.parentRunId` = '{run_id}'")
    return {run.data.tags["check"]: run for run in found}


def test_a_run_is_named_tagged_and_finished(store, shared_result):
    client, (first, _), _ = store
    run = client.get_run(first)
    assert run.info.run_name == f"{shared_result.config_hash[:4]} s0 smoke offline_gap"
    assert run.info.status == "FINISHED"
    expected = {
        "papers": "p1",
        "statements": "p1.thm_4_2,p1.lem_b_1",
        "verdict": "inconclusive",
        "expected": "supported",
        "as_expected": "false",
        "budget": "smoke",
        "theorem": "offline_gap",
        "config_hash": "abc123",
        "level": "run",
        "epsilon": "default",
    }
    assert expected.items() <= run.data.tags.items()


@pytest.mark.parametrize("expected", ["supported", "contradicted"])
@pytest.mark.parametrize("control", ["supported", "contradicted"])
def test_a_check_is_as_expected_by_its_own_verdict_and_caught_by_its_controls(
    result, expected, control
):
    first = result.checks[0]
    item = replace(
        first,
        check=replace(first.check, expected=expected),
        outcome=replace(first.outcome, verdict="supported"),
        controls=tuple(replace(one, verdict=control) for one in first.controls),
    )
    tags = check_tags(result, item)
    assert tags["as_expected"] == str(expected == "supported").lower()
    assert tags["caught"] == str(control == "contradicted").lower()


def test_the_ids_are_kept_in_run_json_beside_what_was_there(result, tmp_path, tracking_of):
    (tmp_path / "run.json").write_text('{"seconds": 1.5}')
    run_id = logged(result, tmp_path, tracking_of(tmp_path))
    facts = json.loads((tmp_path / "run.json").read_text())
    checks, seconds = facts["mlflow"].pop("checks"), facts["mlflow"].pop("seconds")
    assert 0 < seconds < 600
    assert facts == {"seconds": 1.5, "mlflow": {"experiment_id": "1", "run_id": run_id}}
    assert list(checks) == [item.check.name for item in result.checks]
    assert len({run_id, *checks.values()}) == 1 + len(checks)


def test_params_are_the_flattened_config(store):
    client, (first, _), _ = store
    assert client.get_run(first).data.params == {
        "theorem.name": "offline_gap",
        "theorem.epsilon": "inf",
        "theorem.grid": "[1, 2]",
        "seed": "0",
        "budget.name": "smoke",
    }


@pytest.mark.parametrize(
    ("metric", "steps"),
    [
        ("n_pairs.log10", [300, 400, 500, 600]),
        ("constant", [2, 4, 8]),
        ("event", [100, 1000]),
    ],
)
def test_two_runs_share_the_curves_that_the_ui_overlays(store, metric, steps):
    client, ids, _ = store
    for run_id in ids:
        history = sorted(client.get_metric_history(run_id, metric), key=lambda one: one.step)
        assert [one.step for one in history] == steps


def test_curves_hold_the_means_and_numbers_their_interval(store, shared_result):
    client, (first, _), _ = store
    child = children_of(client, first)["n_pairs"].info.run_id
    history = sorted(client.get_metric_history(child, "curve"), key=lambda one: one.step)
    means = shared_result.checks[0].outcome.series.means
    assert [one.value for one in history] == pytest.approx(means.tolist())
    metrics = client.get_run(first).data.metrics
    assert metrics["n_pairs.measured"] == pytest.approx(-1.002)
    assert metrics["n_pairs.ci_low"] == pytest.approx(-1.0062)
    assert metrics["n_pairs.ci_high"] == pytest.approx(-0.9978)
    assert metrics["n_pairs.failed"] == 1
    assert metrics["bound.measured"] == pytest.approx(0.53)


def test_every_check_is_a_nested_run_with_its_own_verdict(store, shared_result):
    client, (first, _), _ = store
    children = children_of(client, first)
    assert set(children) == {item.check.name for item in shared_result.checks}
    child = children["n_pairs"]
    assert child.info.run_name == "ε=1 n_pairs"
    assert child.info.status == "FINISHED"
    assert child.data.tags["verdict"] == "supported"
    assert child.data.tags["theorem"] == "offline_gap"
    assert child.data.tags["level"] == "check"
    assert child.data.tags["method"] == "pessimistic"
    assert child.data.params["settings.epsilon"] == "1.0"
    columns = {"verdict": 1.0, "claimed": -1.0, "measured": -1.002, "tolerance": 0.05}
    assert {name: child.data.metrics[name] for name in columns} == pytest.approx(columns)
    assert children["bound"].data.metrics["claimed"] == 1.0


def test_the_saved_views_show_columns_that_are_there(store):
    client, (first, _), _ = store
    tags = client.get_experiment_by_name("repro").tags
    run, check = client.get_run(first), children_of(client, first)["n_pairs"]
    for name, rows in {"runs": [run, check], "checks": [check], "surprises": [check]}.items():
        view = json.loads(tags[f"mlflow.sharedViewState.{name}"])
        there = {f"tags.`{key}`" for row in rows for key in row.data.tags} | {"metrics.`slack`"}
        there |= {f"metrics.`{key}`" for row in rows for key in row.data.metrics}
        assert set(view["selectedColumns"]) <= there
        order = view["columnOrder"]
        assert order == ["attributes.`Run Name`", *view["selectedColumns"]]
        assert set(view["columnWidths"]) == set(order)  # the UI sets no other column's width


def test_checks_that_came_out_other_than_pinned_are_listed_first():
    view = json.loads(VIEWS["checks"].state())
    assert (view["orderByKey"], view["orderByAsc"]) == ("tags.`as_expected`", True)


def test_a_run_unfolds_into_its_checks_only_where_nothing_is_searched():
    """MLflow's table nests what its search has found; a search for runs finds no checks."""
    assert {name: view.search.partition(" AND")[0] for name, view in VIEWS.items()} == {
        "runs": "", "checks": "tags.level = 'check'", "surprises": "tags.level = 'check'",
    }  # fmt: skip


def test_artifacts_lie_beside_the_database(store):
    client, (first, _), root = store
    assert sorted(one.path for one in client.list_artifacts(first)) == [
        "figure.png",
        "verdict.json",
    ]
    assert (root / "mlartifacts" / first / "artifacts" / "verdict.json").read_text() == "{}\n"


def test_nothing_is_said_and_nothing_is_left_in_the_working_folder(
    result, tmp_path, monkeypatch, capfd, tracking_of
):
    work = tmp_path / "work"
    (work / "mlruns" / "0").mkdir(parents=True)
    monkeypatch.chdir(work)
    level = logging.root.manager.disable
    assert log_result(result, tmp_path, tracking_of(tmp_path)) is not None
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in work.rglob("*")] == ["mlruns", "0"]
    assert logging.root.manager.disable == level


def test_many_params_and_points_are_split_into_batches(
    result, tmp_path, make_series, make_result, tracking_of
):
    item = result.checks[1]
    grid = tuple(i + 0.5 for i in range(1100))
    series = make_series(grid, lambda x: x)
    item = replace(
        item,
        check=replace(item.check, name="β weird/name", grid=grid),
        outcome=replace(item.outcome, series=series),
    )
    config = {"long": "x" * 9000, "odd κey!": 1} | {f"key{i}": i for i in range(150)}
    run_id = logged(make_result(item, config=config), tmp_path, tracking_of(tmp_path))
    client = MlflowClient(tracking_of(tmp_path)["uri"])
    run = client.get_run(run_id)
    assert len(run.data.params) == 152
    assert run.data.params["long"] == "x" * 500
    history = client.get_metric_history(run_id, "_ weird_name")
    assert sorted(one.step for one in history) == list(range(1100))


def test_points_without_a_number_are_left_out(result, tmp_path, make_result, tracking_of):
    item = result.checks[0]
    item.outcome.series.values[0] = float("nan")
    item = replace(item, outcome=replace(item.outcome, numbers={"slope": None, "ci95": [None, 1]}))
    run_id = logged(make_result(item), tmp_path, tracking_of(tmp_path))
    client = MlflowClient(tracking_of(tmp_path)["uri"])
    assert len(client.get_metric_history(run_id, "n_pairs.log10")) == 3
    assert "n_pairs.measured" not in client.get_run(run_id).data.metrics


def test_the_name_of_a_run_shows_what_was_set(result):
    config = {"epsilon": 0.5, "horizon": None, "n_pairs": 1000}
    names = [
        run_name(replace(result, config=config, budget="laptop", config_hash=found))
        for found in ("3fa2" + 8 * "0", "77b0" + 8 * "0")
    ]
    assert names[0] == "3fa2 ε=0.5 n=1000 s0 laptop offline_gap"
    assert len({name[:20] for name in names}) == 2


def test_the_names_of_a_check_at_two_budgets_differ_in_their_first_characters(result):
    item = result.checks[0]
    checks = [replace(item.check, settings={"epsilon": value}) for value in (0.5, 1.0)]
    names = [check_name(replace(item, check=check)) for check in checks]
    assert names == ["ε=0.5 n_pairs", "ε=1 n_pairs"]


def test_curves_at_two_budgets_of_privacy_differ_at_one_number_of_labels(result):
    """A smaller epsilon gets more labels: the ends of both curves agree."""
    item = result.checks[0]
    grid, means = np.array([1e3, 1e4, 1e5, 1e6]), np.array([1e-1, 1e-2, 1e-3, 1e-4])

    def level(scale):
        series = Series(scale * grid, means[:, None, None])
        check = replace(item.check, grid=tuple(scale * grid), settings={"labels_scaled_by": scale})
        shown = replace(item, check=check, outcome=replace(item.outcome, series=series))
        points = run_points(replace(result, checks=(shown,)))
        return {name: value for name, value, _ in points if "_at_" in name}

    one, four = level(1.0), level(4.0)
    assert set(one) == set(four) == {"n_pairs.log10_at_1e4"}
    assert four["n_pairs.log10_at_1e4"] - one["n_pairs.log10_at_1e4"] == pytest.approx(
        math.log10(4.0)
    )


def test_params_keep_dots_and_lose_what_mlflow_refuses():
    assert params_of({"a": {"b/c": 1}, "d": [0.5]}) == {"a.b_c": "1", "d": "[0.5]"}


def test_a_power_law_is_a_straight_line_in_the_ui(result):
    """log10 against 100·log10 of the sweep, for slope checks only."""
    points = [(name, value, step) for name, value, step in run_points(result)]
    slopes = [item for item in result.checks if item.outcome.fit is not None]
    for item in slopes:
        name = f"{item.check.name}.log10"
        found = [(value, step) for label, value, step in points if label == name]
        means = item.outcome.series.means
        assert [value for value, _ in found] == pytest.approx(
            [math.log10(mean) for mean in means if mean > 0]
        )
        assert [step for _, step in found] == sorted({step for _, step in found})
    assert {n for n, _, _ in points if n.endswith(".log10")} == {
        f"{item.check.name}.log10" for item in slopes
    }
