"""Log a finished run to MLflow, all at the end; a broken tracker never costs a result."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from repro.base.errors import one_line
from repro.core.results import CheckResult, Result
from repro.report import tracking_content as content
from repro.report.files import remember
from repro.report.secret_address import has_secret, shown
from repro.report.tracking_store import open_store, quiet_mlflow

if TYPE_CHECKING:
    from mlflow import MlflowClient

ARTIFACTS = ("verdict.json", "figure.png", "figure.svg", "config.yaml", "measurements.parquet")
"""Files of the run that go with it, those that exist."""

LONGEST = 600
"""Characters of a tracker's message that are shown: MLflow names its remedy at the end of 400."""

MAX_PARAMS, MAX_METRICS = 100, 900
"""In one batch: MLflow takes 100 parameters, and 1000 entries in all."""


def log_result(
    result: Result, folder: Path, tracking: Mapping[str, object], command: str | None = None
) -> str | None:
    """Log a run with a nested run for each check; returns the run id, or None.

    Two runs selected in MLflow's comparison view overlay their measured curves, each check's
    under its own name.  The ids, and how long it took, are added to ``run.json``.  A tracker that
    cannot be used is a line on stderr, never an exception.

    Args:
        result: the finished run.
        folder: where its files are.
        tracking: ``{"uri": …, "experiment": …}`` of MLflow.
        command: what makes the same run again, shown as its source.
    """
    started = time.perf_counter()
    try:
        with quiet_mlflow():
            uri, experiment = str(tracking["uri"]), str(tracking.get("experiment", "repro"))
            with open_store(uri, experiment) as (client, experiment_id):
                log = _Log(client, experiment_id, result, command)
                run_id = log.write(Path(folder))
            ids = {"experiment_id": experiment_id, "run_id": run_id, "checks": log.checks}
            remember(Path(folder), ids | {"seconds": round(time.perf_counter() - started, 3)})
            return run_id
    except Exception as problem:  # noqa: BLE001 - mlflow's, SQLAlchemy's, requests' and OSError
        _warn(str(tracking.get("uri")), _first_cause(problem), folder)
        return None


def _first_cause(problem: Exception) -> BaseException:
    """What went wrong beneath the layers: "Connection refused" rather than "retries exceeded"."""
    inner: BaseException = problem
    while (below := inner.__cause__ or inner.__context__) is not None:
        inner = below
    return inner if isinstance(inner, (OSError, ImportError, sqlite3.Error)) else problem


def _warn(uri: str, problem: BaseException, folder: Path) -> None:
    """One line on stderr; a message may quote a password, so with one only its kind is told."""
    detail = getattr(problem, "strerror", None) if has_secret(uri) else str(problem)
    reason = f"{type(problem).__name__}{': ' if detail else ''}{detail or ''}"
    line = f"{shown(uri)} cannot be used: {shorten(one_line(reason), LONGEST, placeholder=' …')}"
    print(f"tracking: {line}; results are kept in {folder}", file=sys.stderr, flush=True)


class _Log:
    """Writes one result: a parent run, then a child for each check."""

    def __init__(
        self, client: MlflowClient, experiment_id: str, result: Result, command: str | None
    ) -> None:
        self._client, self._experiment_id, self._result = client, experiment_id, result
        self._source = command or f"python -m repro theorem={result.theorem}"
        self._end = int(time.time() * 1000)
        self._start = self._end - int(result.seconds * 1000)
        self.checks: dict[str, str] = {}

    def write(self, folder: Path) -> str:
        """Log everything; a run that cannot be completed is marked as failed."""
        result = self._result
        tags = {"mlflow.note.content": result.title, "mlflow.source.name": self._source}
        run_id = self._create(content.run_name(result), content.run_tags(result) | tags)
        try:
            self._fill(run_id, content.params_of(result.config), content.run_points(result))
            for name in ARTIFACTS:
                if (folder / name).exists():
                    self._client.log_artifact(run_id, str(folder / name))
            for item in result.checks:
                self._write_check(run_id, item)
        except BaseException:
            with contextlib.suppress(Exception):
                self._client.set_terminated(run_id, "FAILED", self._end)
            raise
        self._client.set_terminated(run_id, "FINISHED", self._end)
        return run_id

    def _write_check(self, parent: str, item: CheckResult) -> None:
        """One nested run."""
        tags = content.check_tags(self._result, item) | {"mlflow.parentRunId": parent}
        run_id = self._create(content.check_name(item), tags)
        self.checks[item.check.name] = run_id
        self._fill(run_id, content.check_params(item), content.check_points(item))
        self._client.set_terminated(run_id, "FINISHED", self._end)

    def _create(self, name: str, tags: Mapping[str, str]) -> str:
        run = self._client.create_run(
            self._experiment_id, start_time=self._start, tags=dict(tags), run_name=name
        )
        return run.info.run_id

    def _fill(
        self, run_id: str, params: Mapping[str, str], points: Iterable[content.Point]
    ) -> None:
        """Params and metrics in as few calls as MLflow allows."""
        from mlflow.entities import Metric, Param

        given = [Param(key, value) for key, value in params.items()]
        metrics = [Metric(key, value, self._end, step) for key, value, step in points]
        batches = max(-(-len(given) // MAX_PARAMS), -(-len(metrics) // MAX_METRICS))
        for at in range(batches):
            some = metrics[at * MAX_METRICS : (at + 1) * MAX_METRICS]
            few = given[at * MAX_PARAMS : (at + 1) * MAX_PARAMS]
            self._client.log_batch(run_id, metrics=some, params=few)
