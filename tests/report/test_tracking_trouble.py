"""MLflow in trouble: races, dead servers and full disks cost one line, never a result."""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from mlflow import MlflowClient

from repro.report import tracking_store
from repro.report.tracking import log_result


@pytest.mark.slow
def test_six_processes_may_be_first_at_once(result, tmp_path, tracking_of):
    with ProcessPoolExecutor(6, multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(log_result, result, tmp_path, tracking_of(tmp_path)) for _ in range(6)]
        ids = [job.result(timeout=500) for job in jobs]
    assert len(set(ids)) == 6
    assert all(isinstance(run_id, str) for run_id in ids)
    client = MlflowClient(tracking_of(tmp_path)["uri"])
    assert {client.get_run(str(run_id)).info.status for run_id in ids} == {"FINISHED"}


@pytest.mark.slow
def test_a_busy_database_is_waited_for(result, tmp_path, tracking_of, capfd):
    """SQLite itself gives up after five seconds, and mlflow then loses the run."""
    held = tmp_path / "held"
    code = (
        "import sqlite3, sys, time; from pathlib import Path; c = sqlite3.connect(sys.argv[1]); "
        "c.execute('BEGIN EXCLUSIVE'); Path(sys.argv[2]).touch(); time.sleep(8); c.rollback()"
    )
    tracking = tracking_of(tmp_path)
    database = tracking["uri"].removeprefix("sqlite:///")
    other = subprocess.Popen([sys.executable, "-c", code, database, str(held)])
    while not held.exists():
        time.sleep(0.01)
    run_id = log_result(result, tmp_path, tracking)
    other.wait()
    (line,) = capfd.readouterr().err.splitlines()
    assert line == f"tracking: {database} is locked by another program; waiting up to 60 s"
    assert MlflowClient(tracking["uri"]).get_run(str(run_id)).info.status == "FINISHED"


def test_a_busy_database_is_said_once_and_asked_again(tmp_path, monkeypatch, capsys):
    path, say = tmp_path / "a.db", tracking_store._say_busy
    monkeypatch.setattr(tracking_store, "SILENT_SECONDS", 0.01)
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(tracking_store, "BUSY_SECONDS", -1.0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            tracking_store._probe(path)
        assert capsys.readouterr() == ("", "")

        def let_go(*given):
            say(*given)
            other.rollback()

        monkeypatch.setattr(tracking_store, "BUSY_SECONDS", 60.0)
        monkeypatch.setattr(tracking_store, "_say_busy", let_go)
        tracking_store._probe(path)
    line = f"tracking: {path} is locked by another program; waiting up to 60 s\n"
    assert capsys.readouterr() == ("", line)


def test_a_run_waits_for_its_turn_and_not_for_seconds(result, tmp_path, tracking_of, monkeypatch):
    """The lock is held until everything is written: no two processes write at once."""
    from filelock import FileLock, Timeout

    lock, seen = FileLock(tmp_path / "mlflow.db.lock"), []
    create = MlflowClient.create_run

    def watched(*words, **more):
        with pytest.raises(Timeout):
            FileLock(lock.lock_file, is_singleton=False).acquire(timeout=0)
        seen.append(True)
        return create(*words, **more)

    monkeypatch.setattr(MlflowClient, "create_run", watched)
    assert log_result(result, tmp_path, tracking_of(tmp_path)) is not None
    assert len(seen) > 1


def closed_port() -> str:
    """An address where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://user:secret@127.0.0.1:{probe.getsockname()[1]}"


def blocked_sqlite(tmp_path: Path) -> str:
    """A database whose folder is a file."""
    (tmp_path / "file").write_text("")
    return f"sqlite:///{tmp_path}/file/mlflow.db"


def corrupt_sqlite(tmp_path: Path) -> str:
    """A database that is none."""
    (tmp_path / "mlflow.db").write_text("no database\n" * 100)
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.mark.parametrize(
    "uri",
    [lambda _: closed_port(), blocked_sqlite, corrupt_sqlite, lambda _: "mlruns", lambda _: ""],
    ids=["nobody_listens", "no_folder", "no_database", "no_address", "empty"],
)
def test_a_broken_tracker_is_one_line_and_no_error(result, tmp_path, capfd, monkeypatch, uri):
    sleep, slept = time.sleep, []
    monkeypatch.setattr(time, "sleep", lambda seconds: (slept.append(seconds), sleep(seconds)))
    tracking = {"kind": "mlflow", "uri": uri(tmp_path), "experiment": "repro"}
    assert log_result(result, tmp_path / "run", tracking) is None
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("tracking: ")
    assert err.endswith(f"; results are kept in {tmp_path / 'run'}\n")
    assert err.count("\n") == 1
    assert "secret" not in err
    assert sum(slept) < 10


def test_what_mlflow_advises_is_not_cut(result, tmp_path, capfd):
    """MLflow names what mends its store at the end of a long message."""
    uri = (tmp_path / "mlruns").as_uri()
    assert log_result(result, tmp_path, {"kind": "mlflow", "uri": uri}) is None
    assert "`MLFLOW_ALLOW_FILE_STORE=true`" in capfd.readouterr().err


def accepted(server):
    """The next connection that was asked for, if there is one."""
    with contextlib.suppress(BlockingIOError):
        return server.accept()[0].close() or True
    return None


def test_a_server_that_never_answers_is_given_up_as_the_user_set_it(
    result, tmp_path, capfd, monkeypatch
):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        uri = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert log_result(result, tmp_path, {"kind": "mlflow", "uri": uri}) is None
        server.setblocking(False)
        assert len(list(iter(lambda: accepted(server), None))) == 2
    assert "timed out" in capfd.readouterr().err


def test_a_run_that_cannot_be_completed_is_marked_as_failed(
    result, tmp_path, capfd, monkeypatch, tracking_of
):
    def full(*_):
        raise OSError("disk full")

    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "verdict.json").write_text("{}")
    with monkeypatch.context() as patched:
        patched.setattr(MlflowClient, "log_artifact", full)
        assert log_result(result, folder, tracking_of(tmp_path)) is None
    assert "disk full" in capfd.readouterr().err
    client = MlflowClient(tracking_of(tmp_path)["uri"])
    experiment = client.get_experiment_by_name("repro")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    assert [run.info.status for run in runs] == ["FAILED"]
