"""A fault at the k-th write, flush or rename of every writer: nothing finished is lost or altered.

The normal run tries some points of each writer, spread over all.  The whole sweep, the ledger's
included, ends with the number of faults that each writer met:
``python -m pytest tests/faults/test_injection.py tests/release/test_faults.py --injections 1000``.
"""

import itertools
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.faults.injection import KILLED, KINDS, Writers, compiled

SHARES = {"run": 0.3, "track": 0.4, "report": 0.1}
"""Of the injections that are asked for; the report has three writers, the ledger its own tests."""

MACHINE = 74


@pytest.fixture(scope="module")
def writers(tmp_path_factory):
    """The forking process."""
    folder = tmp_path_factory.mktemp("injection")
    found = Writers(compiled(folder), Path(__file__).with_name("writers.py"), folder / "log")
    yield found
    found.close()


@pytest.fixture
def wanted_points(request):
    """How many injections each writer gets."""
    number = request.config.getoption("injections", default=40)
    return {name: round(share * number) for name, share in SHARES.items()}


def points(calls, most):
    """(kind, k), as many as wanted, spread evenly over every kind and every k."""
    every = [(kind, k) for k, kind in itertools.product(range(1, calls + 1), KINDS)]
    step = max(1, len(every) / most)
    chosen = {int(i * step) for i in range(min(most, len(every)))}
    return [every[i] for i in sorted(chosen)]


def clean(ended):
    """No traceback, and a status that is earned."""
    assert "Traceback" not in ended.said, ended.said
    assert ended.status != 99


def drafts(folder):
    return [path for path in folder.rglob(".*") if ".draft-" in path.name]


def test_the_shim_counts_and_fails_where_it_is_told(writers, tmp_path):
    counted = writers.write("run", tmp_path / "a")
    assert counted.calls > 60
    assert writers.write("run", tmp_path / "b", "kill", 5).status == KILLED
    full = writers.write("run", tmp_path / "c", "ENOSPC", counted.calls)
    assert (full.status, "No space left on device" in full.said) == (MACHINE, True)
    assert not list((tmp_path / "c").rglob("verdict.json"))


def test_runs(writers, wanted_points, look, tmp_path, record_property):
    results, entries, drafts = look
    undisturbed = tmp_path / "undisturbed"
    whole = writers.write("run", undisturbed)
    wanted, status = results(undisturbed), whole.status
    tried = points(whole.calls, wanted_points["run"])
    for kind, k in tried:
        folder = tmp_path / f"{kind}_{k}"
        ended = writers.write("run", folder, kind, k)
        clean(ended)
        assert ended.status in (status, MACHINE, KILLED), (kind, k, ended)
        before = entries(folder)
        if ended.status == status:
            assert results(folder) == wanted
        assert writers.write("run", folder).status == status, (kind, k)
        assert before.items() <= entries(folder).items(), (kind, k)
        assert results(folder) == wanted, (kind, k)
        assert drafts(folder) == [], (kind, k)
        shutil.rmtree(folder)
    record_property("faults injected", ("run", len(tried)))


@pytest.fixture(scope="module")
def store(writers, tmp_path_factory):
    """A store with one run in it."""
    folder = tmp_path_factory.mktemp("store")
    run = folder / "template" / "run"
    run.mkdir(parents=True)
    for name in ("verdict.json", "config.yaml", "figure.png"):
        (run / name).write_text("{}")
    (run / "run.json").write_text('{"seconds": 1}')
    assert writers.write("track", folder / "template").status == 0
    return folder / "template"


def recorded(folder):
    """Statuses of the runs in a store that is sound."""
    with sqlite3.connect(folder / "mlflow.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT run_uuid, status FROM runs ORDER BY run_uuid").fetchall()
    connection.close()
    return dict(rows)


def test_tracking(writers, wanted_points, store, tmp_path, record_property):
    shutil.copytree(store, tmp_path / "counted")
    whole = writers.write("track", tmp_path / "counted")
    before, each = recorded(store), len(recorded(tmp_path / "counted")) - len(recorded(store))
    tried = points(whole.calls, wanted_points["track"])
    for number, (kind, k) in enumerate(tried):
        folder = tmp_path / f"{kind}_{k}"
        shutil.copytree(store, folder)
        ended = writers.write("track", folder, kind, k)
        clean(ended)
        assert ended.status in (0, 3, KILLED), (kind, k, ended)
        assert ended.said.count("\n") == (ended.status == 3), (kind, k, ended)
        assert (folder / "run" / "verdict.json").read_text() == "{}"
        after = recorded(folder)
        assert before.items() <= after.items(), (kind, k)
        if ended.status == 0:
            new = after.keys() - before.keys()
            assert [after[one] for one in new] == ["FINISHED"] * each
        if number % 4 == 0:  # it takes seconds
            assert writers.write("track", folder).status == 0, (kind, k)
            assert len(recorded(folder)) >= len(after) + each
        shutil.rmtree(folder)
    record_property("faults injected", ("tracking", len(tried)))


@pytest.fixture(scope="module")
def runs(writers, tmp_path_factory):
    """A folder with a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert writers.write("run", folder / "runs").status in (0, 1)
    shutil.rmtree(folder / "runs" / ".cache")
    return folder


def written(folder):
    """What a report has written."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "runs" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.parametrize("writer", ["page", "findings", "latex"])
def test_report(writer, writers, wanted_points, runs, tmp_path, record_property):
    shutil.copytree(runs, tmp_path / "undisturbed")
    whole = writers.write(writer, tmp_path / "undisturbed")
    wanted, tried = written(tmp_path / "undisturbed"), points(whole.calls, wanted_points["report"])
    assert wanted
    for kind, k in tried:
        folder = tmp_path / f"{kind}_{k}"
        shutil.copytree(runs, folder)
        ended = writers.write(writer, folder, kind, k)
        clean(ended)
        assert ended.status in (whole.status, MACHINE, KILLED), (kind, k, ended)
        left = {name: found for name, found in written(folder).items() if ".draft-" not in name}
        assert left.items() <= wanted.items(), (kind, k)
        assert writers.write(writer, folder).status == whole.status
        assert written(folder) == wanted, (kind, k)
        assert drafts(folder) == []
        shutil.rmtree(folder)
    record_property("faults injected", ("report", len(tried)))
