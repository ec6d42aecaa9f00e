"""Reaching the MLflow store: no telemetry, no chatter, safe first use by many processes."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING
from urllib.parse import unquote
from uuid import uuid4

if TYPE_CHECKING:
    from mlflow import MlflowClient

TAG = "mlflow.sharedViewState."
NAME = "attributes.`Run Name`"
WIDTHS = {NAME: 290, "tags.`theorem`": 220, "tags.`verdict`": 130}
NUMBER = 95
"""Pixels of a column; the UI's own 190 of a name show twenty characters."""


@dataclass(frozen=True)
class View:
    """A search and the columns that show what it finds.

    Attributes:
        search: in MLflow's language of filters; empty for all runs, each with its checks below.
        columns: kind and name of each.
        order: what rows are ordered by; by any but the date the UI lists checks without the runs
            that they are nested in.
        ascending: the smallest first.
    """

    search: str
    columns: tuple[tuple[str, str], ...]
    order: str = "attributes.start_time"
    ascending: bool = False

    def state(self) -> str:
        """As the UI keeps it."""
        columns = [f"{kind}.`{name}`" for kind, name in self.columns]
        order = [NAME, *columns]
        state = {
            "searchFilter": self.search,
            "orderByKey": self.order,
            "orderByAsc": self.ascending,
            "selectedColumns": columns,
            "columnOrder": order,  # which the UI gives no width that stands not in it
            "columnWidths": {column: WIDTHS.get(column, NUMBER) for column in order},
        }
        return json.dumps(state)


_HOW = tuple(("tags", name) for name in ("as_expected", "epsilon", "budget"))
_RUN = (
    *(("tags", name) for name in ("theorem", "verdict")),
    *(("metrics", name) for name in ("supported", "contradicted", "claimed", "measured")),
    *_HOW,
)
_CHECK = (
    *(("tags", name) for name in ("theorem", "verdict")),
    *(("metrics", name) for name in ("claimed", "measured", "tolerance", "slack")),
    *_HOW,
)
_REGRESSIONS_FIRST = {"order": "tags.`as_expected`", "ascending": True}

VIEWS = {
    "runs": View("", _RUN),  # with a search the UI has no checks to unfold a run into
    "checks": View("tags.level = 'check'", _CHECK, **_REGRESSIONS_FIRST),
    "surprises": View("tags.level = 'check' AND tags.as_expected = 'false'", _CHECK),
}
"""By the name that the link ends in."""


def view_tags() -> dict[str, str]:
    """Tags of an experiment that hold all views."""
    return {TAG + name: view.state() for name, view in VIEWS.items()}


LOCK_SECONDS = 600.0
"""How long to wait for other processes that write to the store; one takes seconds."""

BUSY_SECONDS = 60.0
"""How long to wait for what locks the database without our lock, such as its comparison UI."""

SILENT_SECONDS = 0.5
"""After so long it is said that the store is busy; a signal waits no longer either."""

TABLES = Path(__file__).with_name("mlflow_tables.sql")
"""What makes the tables of one version of MLflow, written by tools/mlflow_tables.py."""

ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "4",
}
"""Set before mlflow is imported, where the user has not set them: a dead server costs seconds."""


@contextmanager
def open_store(uri: str, experiment: str) -> Iterator[tuple[MlflowClient, str]]:
    """A client of the store at ``uri`` and the id of the experiment, created if need be.

    A local store is this process's alone until the end: SQLite gives up on a busy database within
    seconds, and mlflow then loses the run.

    Args:
        uri: ``sqlite:////absolute/path.db`` or the address of a tracking server.
        experiment: name of the MLflow experiment.

    Raises:
        Exception: whatever sqlite3, filelock or mlflow raise on a store that cannot be used.
    """
    if "://" not in uri:
        raise ValueError("an address such as sqlite:////folder/mlflow.db or http://… is needed")
    import mlflow  # noqa: F401 - seconds, better spent before the lock is held

    path = sqlite_path(uri)
    if path is None:
        yield _client_and_experiment(uri, experiment, None)
        return
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=path.parent).close()  # fails at once where FileLock would wait
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        lock.acquire(timeout=SILENT_SECONDS)
    except Timeout:
        _say_busy(path, LOCK_SECONDS)
        lock.acquire(timeout=LOCK_SECONDS)
    try:
        _probe(path)
        if path.stat().st_size == 0:
            _make_tables(path)
        artifacts = (path.parent / "mlartifacts").as_uri()
        yield _client_and_experiment(uri, experiment, artifacts)
    finally:
        lock.release()


def sqlite_path(uri: str) -> Path | None:
    """The database file of an SQLite address, made absolute; None for other addresses.

    >>> sqlite_path("sqlite:////data/outputs/mlflow.db")
    PosixPath('/data/outputs/mlflow.db')
    >>> sqlite_path("http://127.0.0.1:5000") is None
    True
    """
    head, _, path = uri.partition(":///")
    if head.split("+")[0] != "sqlite":
        return None
    return Path(unquote(path.partition("?")[0])).absolute()


def _probe(path: Path) -> None:
    """Fail at once on a file that is no database or cannot be written; mlflow retries minutes.

    A busy one is asked again and again: SQLite's own waiting hears no signal.
    """
    until, said = time.monotonic() + BUSY_SECONDS, False
    while True:
        try:
            with closing(sqlite3.connect(path, timeout=SILENT_SECONDS)) as connection:
                connection.execute("PRAGMA schema_version").fetchone()
                connection.execute("BEGIN IMMEDIATE")
                connection.rollback()
                return
        except sqlite3.OperationalError as problem:
            busy = problem.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > until:
                raise
            if not said:
                _say_busy(path, BUSY_SECONDS)
            said = True


def _say_busy(path: Path, seconds: float) -> None:
    line = f"tracking: {path} is locked by another program; waiting up to {seconds:.0f} s"
    print(line, file=sys.stderr, flush=True)


def _make_tables(path: Path) -> None:
    """Write MLflow's tables at once: those shipped, or its own where it is of another version."""
    import mlflow

    with closing(sqlite3.connect(path)) as written:
        statements = TABLES.read_text(encoding="utf-8")
        if statements.startswith(f"-- MLflow {mlflow.__version__}\n"):
            written.executescript(statements)
            return
        with tables_of_mlflow() as memory:
            memory.backup(written)


@contextmanager
def tables_of_mlflow() -> Iterator[sqlite3.Connection]:
    """The tables that MLflow makes, in memory.

    On disk it makes them in hundreds of steps, and each waits until the disk has it: up to ten
    seconds.  A process that is killed meanwhile leaves an empty file, which is no harm.
    """
    from mlflow import MlflowClient

    name = f"file:{uuid4().hex}?mode=memory&cache=shared"
    with closing(sqlite3.connect(name, uri=True)) as memory:
        uri = f"sqlite:///{name}&uri=true"
        MlflowClient(tracking_uri=uri, registry_uri=uri)
        yield memory


def _client_and_experiment(uri: str, name: str, artifacts: str | None) -> tuple[MlflowClient, str]:
    """Find or create the experiment; the caller holds the lock of a local store."""
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri, registry_uri=uri)
    experiment = client.get_experiment_by_name(name)
    if experiment is None:
        experiment = client.get_experiment(
            client.create_experiment(name, artifact_location=artifacts)
        )
    for key, view in view_tags().items():
        if experiment.tags.get(key) != view:
            client.set_experiment_tag(experiment.experiment_id, key, view)
    return client, experiment.experiment_id


@contextmanager
def quiet_mlflow() -> Iterator[None]:
    """Keep mlflow's telemetry, log lines and warnings away, and the caller's logging as it was."""
    for key, value in ENVIRONMENT.items():
        os.environ.setdefault(key, value)
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
