"""A run's rows in a local MLflow database, written by SQL.

Importing MLflow with its database library takes two seconds of CPU, more than many a run measures.
The rows are those that MLflow's client writes, which a test compares.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import uuid4

from repro.report.tracking_content import Point


def experiment_of(
    connection: sqlite3.Connection, name: str, artifacts: Path, tags: Mapping[str, str]
) -> str | None:
    """The id of an experiment, made if need be.

    None where one of that name was deleted, or keeps its files elsewhere.

    Args:
        connection: to a database with MLflow's tables.
        name: of the experiment.
        artifacts: folder of its files.
        tags: that it is to have.
    """
    row = connection.execute(
        "SELECT experiment_id, artifact_location, lifecycle_stage FROM experiments "
        "WHERE name = ? AND workspace = 'default'",
        (name,),
    ).fetchone()
    if row and row[1:] != (artifacts.as_uri(), "active"):
        return None
    if not connection.execute("SELECT 1 FROM experiments").fetchone():
        # MLflow's pages look for it
        default = {"name": "Default", "artifact_location": str(Path.cwd() / "mlruns" / "0")}
        _new_experiment(connection, {"experiment_id": 0, **default})
    if row is None:
        made = {"name": name, "artifact_location": artifacts.as_uri()}
        row = (_new_experiment(connection, made),)
    for key, value in tags.items():
        connection.execute("REPLACE INTO experiment_tags VALUES (?, ?, ?)", (key, value, row[0]))
    return str(row[0])


def _new_experiment(connection: sqlite3.Connection, columns: Mapping[str, object]) -> int | None:
    now = int(time.time() * 1000)
    times = {"creation_time": now, "last_update_time": now}
    return _add(connection, "experiments", {**columns, "lifecycle_stage": "active", **times})


def _add(connection: sqlite3.Connection, table: str, columns: Mapping[str, object]) -> int | None:
    """Add a row, unless there is the same one; its number."""
    places = ", ".join("?" * len(columns))
    statement = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({places})"
    return connection.execute(statement, tuple(columns.values())).lastrowid


class Rows:
    """Writes runs of one experiment; times are milliseconds since 1970."""

    def __init__(self, connection: sqlite3.Connection, experiment_id: str, artifacts: Path) -> None:
        self._connection, self._experiment_id = connection, int(experiment_id)
        self._artifacts = artifacts

    def begin(self, name: str, tags: Mapping[str, str], start: int) -> str:
        """A new run's id."""
        run_id = uuid4().hex
        columns = {
            "run_uuid": run_id,
            "name": name,
            "source_type": "UNKNOWN",
            "source_name": "",
            "entry_point_name": "",
            "user_id": "unknown",
            "status": "RUNNING",
            "start_time": start,
            "source_version": "",
            "lifecycle_stage": "active",
            "artifact_uri": f"{self._artifacts.as_uri()}/{run_id}/artifacts",
            "experiment_id": self._experiment_id,
        }
        _add(self._connection, "runs", columns)
        for key, value in {**tags, "mlflow.runName": name}.items():
            self._add("tags", run_id, key, value)
        return run_id

    def fill(
        self, run_id: str, params: Mapping[str, str], points: Iterable[Point], now: int
    ) -> None:
        """Parameters and metrics; of each metric once more the last point by its step."""
        for key, value in params.items():
            self._add("params", run_id, key, value)
        latest: dict[str, tuple[int, float]] = {}
        for key, value, step in points:
            self._add("metrics", run_id, key, value, timestamp=now, step=step, is_nan=0)
            latest[key] = max(latest.get(key, (step, value)), (step, value))
        for key, (step, value) in latest.items():
            self._add("latest_metrics", run_id, key, value, timestamp=now, step=step, is_nan=0)

    def _add(self, table: str, run_id: str, key: str, value: object, **more: int) -> None:
        _add(self._connection, table, {"key": key, "value": value, "run_uuid": run_id, **more})

    def attach(self, run_id: str, path: Path) -> None:
        """Copy a file to those of a run."""
        folder = self._artifacts / run_id / "artifacts"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, folder)

    def end(self, run_id: str, status: str, now: int) -> None:
        """Whether it is FINISHED or FAILED."""
        statement = "UPDATE runs SET status = ?, end_time = ? WHERE run_uuid = ?"
        self._connection.execute(statement, (status, now, run_id))
