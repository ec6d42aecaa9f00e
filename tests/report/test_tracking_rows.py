"""Runs written by SQL are those that MLflow's client writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from mlflow import MlflowClient

from repro.report.tracking import log_result
from repro.report.tracking_store import quiet_mlflow

TABLES = ("experiments", "experiment_tags", "runs", "tags", "params", "metrics", "latest_metrics")
TIMES = {"timestamp", "start_time", "end_time", "creation_time", "last_update_time"}


def rows_of(path):
    """Rows of a store in order, without its folder, its times and the ids of its runs."""
    with closing(sqlite3.connect(path)) as connection:
        names = dict(connection.execute("SELECT run_uuid, name FROM runs"))
        for table in TABLES:
            rows = connection.execute(f"SELECT * FROM {table}")
            columns = [column for column, *_ in rows.description]
            for row in rows:
                named = dict(zip(columns, row, strict=True))
                yield table, {key: plain(key, value, names, path) for key, value in named.items()}


def plain(key, value, names, path):
    """One cell."""
    if key in TIMES:
        return type(value)
    if not isinstance(value, str):
        return value
    for run_id, name in names.items():
        value = value.replace(run_id, name)
    return value.replace(path.parent.as_uri(), "store")


@pytest.fixture(name="by_client")
def _by_client(monkeypatch):
    """Let MLflow's client write."""
    return lambda: monkeypatch.setattr(
        "repro.report.tracking_store._has_shipped_tables", lambda _: False
    )


def test_rows_are_those_of_mlflows_client(shared_result, tmp_path, tracking_of, by_client):
    folders = [tmp_path / "sql", tmp_path / "client"]
    for folder in folders:
        folder.mkdir()
        (folder / "verdict.json").write_text("{}")
        assert log_result(shared_result, folder, tracking_of(folder), "command") is not None
        by_client()
    by_sql, usual = (list(rows_of(folder / "mlflow.db")) for folder in folders)
    assert len(usual) > 50
    assert by_sql == usual
    for folder in folders:
        (files,) = (folder / "mlartifacts").iterdir()
        assert (files / "artifacts" / "verdict.json").read_text() == "{}"


@pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "elsewhere"])
def test_an_experiment_that_is_not_ours_is_left_to_mlflow(
    result, tmp_path, tracking_of, capfd, deleted
):
    tracking = tracking_of(tmp_path)
    (tmp_path / "verdict.json").write_text("{}")
    with quiet_mlflow():
        client = MlflowClient(tracking["uri"])
        elsewhere = tmp_path / "elsewhere"
        location = (tmp_path / "mlartifacts" if deleted else elsewhere).as_uri()
        experiment_id = client.create_experiment("repro", location)
        if deleted:
            client.delete_experiment(experiment_id)
    run_id = log_result(result, tmp_path, tracking)
    said = capfd.readouterr().err
    if deleted:
        assert run_id is None
        assert "must be in the 'active' state" in said
    else:
        assert said == ""
        assert (elsewhere / str(run_id) / "artifacts" / "verdict.json").exists()
