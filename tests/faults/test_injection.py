"""A fault at each call of a command that changes the disk: all or nothing, and then the same bytes.

Each of seven errors once, an interrupted call, a disk that is full from there on, and kill -9, at
``MOST`` points of each command, spread over all of its calls.
"""

import itertools
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.faults import commands
from tests.faults.injection import KILLED, KINDS, Writers, compiled

pytestmark = pytest.mark.slow

MACHINE, REFUSED = 74, 2
FAULTS = "faults injected"
MOST = 10
NOTES = "notes.txt"
"""Of the user's own, in every folder that a command writes to."""


def warm(module, tmp_path_factory):
    """A forking process whose writers a module has."""
    folder = tmp_path_factory.mktemp("injection")
    return Writers(compiled(folder), Path(__file__).with_name(module), folder / "log")


@pytest.fixture(scope="module")
def writers(tmp_path_factory):
    """The commands."""
    found = warm("commands.py", tmp_path_factory)
    yield found
    found.close()


def points(calls):
    """``MOST`` pairs (kind, k), spread evenly over every kind and every k."""
    every = [(kind, k) for k, kind in itertools.product(range(1, calls + 1), KINDS)]
    return [every[int((i + 0.5) * len(every) / MOST)] for i in range(MOST)]


class Place:
    """A folder in which a command runs again and again, from the same beginning.

    Its path is the same each time: it stands in the sweep's file.
    """

    def __init__(self, folder, start, writers, name):
        self.folder, self.start, self.writers, self.name = folder, start, writers, name
        self.good = set()

    def run(self, kind="ENOSPC", at=0, again=False):
        if not again:
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.copytree(self.start, self.folder)
        return self.writers.write(self.name, self.folder, kind, at)

    def files(self):
        """Content of what can be mistaken for a result; of no cache, draft or temporary file."""
        return {
            path: found.read_bytes()
            for found in sorted(self.folder.rglob("*"))
            if found.is_file() and not self._passing(path := found.relative_to(self.folder))
        }

    def _passing(self, path):
        return path.parts[0] == "tmp" or any(part.startswith(".") for part in path.parts)

    def state(self):
        """All that the next run finds, but for times and numbers of processes."""
        found = ((path.relative_to(self.folder), path) for path in self.folder.rglob("*"))
        return frozenset(
            (re.sub(r"-\d+(\.\w+)?$", "", str(name)), path.is_file() and path.read_bytes())
            for name, path in found
            if name.name not in commands.TIMED
        )

    def drafts(self):
        return [path for path in self.folder.rglob("*") if ".draft-" in path.name]

    def blocks(self):
        """Finished blocks, and what tells whether they were written again."""
        found = self.folder.rglob(".cache/blocks/*/[!.]*.npy")
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


FOR_DVC = [("outputs", kind) for kind in ("metrics", "figures", "curves")]


def sets(paths):
    """Files that belong together: those of a run, a run's metrics, figure and curves."""
    runs = {path.parent for path in paths if path.name == "verdict.json"}
    found = {}
    for path in paths:
        key = path.parent if path.parent in runs else path
        if path.parts[:2] in FOR_DVC:
            key = f"metrics of {path.stem}"
        found.setdefault(key, []).append(path)
    return found


def torn(before, after, wanted):
    """Sets of which a part is old and a part new, and files that are neither."""
    for together in sets(before.keys() | after.keys() | wanted.keys()).values():
        states = set()
        for path in together:
            old, new = (after.get(path) == found.get(path) for found in (before, wanted))
            if path.name in commands.TIMED:
                new = path in after and not old
            if not old or not new:
                states.add("old" if old else "new" if new else f"neither: {path}")
        if len(states) > 1 or any(state.startswith("neither") for state in states):
            yield together, states


def faults(place, kind, k, before, wanted, status):
    """What is wrong after a fault, in words."""
    ended = place.run(kind, k)
    after, blocks = place.files(), place.blocks()
    if "Traceback" in ended.said or ended.status not in (status, MACHINE, REFUSED, KILLED):
        yield f"status {ended.status}: {ended.said}"
    if ended.status in (MACHINE, REFUSED) and ended.said.count("error: ") != 1:
        yield f"status {ended.status}, and says {ended.said!r}"
    if kind != "kill" or ended.status != KILLED:
        yield from (f"torn: {found}" for found in torn(before, after, wanted))
    else:
        yield from _readable(before, after, wanted)
    if ended.status == status and strip(after) != strip(wanted):
        yield f"ended well without {strip(wanted).items() ^ strip(after).items()}"
    if (state := (kind == "kill", place.state())) in place.good:
        return  # a run from here has ended well
    again = place.run(again=True)
    done = commands.COMMANDS[place.name].once and strip(after) == strip(wanted)
    if again.status != (REFUSED if done else status):
        yield f"then status {again.status}: {again.said}"
    if strip(place.files()) != strip(wanted):
        yield f"then other bytes: {[str(path) for path in differing(place.files(), wanted)]}"
    if left := place.drafts():
        yield f"drafts are left: {left}"
    if not blocks.items() <= place.blocks().items():
        yield "finished blocks were written again"
    place.good.add(state)


def _readable(before, after, wanted):
    """Killed: every file is whole, and a verdict that is there has its files, old or new."""
    for together, states in torn(before, after, wanted):
        there = [path for path in together if path in after]
        if any(path.name == "verdict.json" for path in there):
            yield f"a verdict without its files: {states}"
        if halves := {f"neither: {path}" for path in there} & states:
            yield f"torn by a kill: {halves}"


def strip(found):
    """Without files that hold times."""
    return {path: content for path, content in found.items() if path.name not in commands.TIMED}


def differing(one, other):
    one, other = strip(one), strip(other)
    return [path for path in one.keys() | other.keys() if one.get(path) != other.get(path)]


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_commands(name, writers, tmp_path, record_property):
    start = tmp_path / "start"
    assert writers.write(f"before {name}", start).status == 0
    (start / "outputs").mkdir(exist_ok=True)
    (start / "outputs" / NOTES).write_text("mine")
    place = Place(tmp_path / "here", start, writers, name)
    whole = place.run()
    wanted, calls = place.files(), whole.calls
    assert whole.status in (0, 1), whole.said
    shutil.copytree(start, tmp_path / "seen")
    before = Place(tmp_path / "seen", start, writers, name).files()
    assert wanted.keys() > before.keys() or wanted != before
    tried = points(calls)
    wrong = [
        (kind, k, fault)
        for kind, k in tried
        for fault in faults(place, kind, k, before, wanted, whole.status)
    ]
    print(name, calls, len(tried), len(wrong))
    assert not wrong, "\n".join(map(str, wrong))
    record_property(FAULTS, (name, len(tried)))


def test_the_shim_fails_where_it_is_told(writers, tmp_path):
    assert writers.write("before repro", tmp_path / "start").status == 0
    place = Place(tmp_path / "here", tmp_path / "start", writers, "repro")
    calls = place.run().calls
    assert calls > 60
    assert place.run("kill", 5).status == KILLED
    full = place.run("full", calls // 2)
    assert (full.status, "No space left on device" in full.said) == (MACHINE, True)
    assert not list(place.folder.rglob("verdict.json"))


@pytest.fixture(scope="module")
def tracker(tmp_path_factory):
    """What writes to MLflow's store."""
    found = warm("writers.py", tmp_path_factory)
    yield found
    found.close()


@pytest.fixture(scope="module")
def store(tracker, tmp_path_factory):
    """A store with one run in it."""
    folder = tmp_path_factory.mktemp("store")
    run = folder / "template" / "run"
    run.mkdir(parents=True)
    for name in ("verdict.json", "config.yaml", "figure.png"):
        (run / name).write_text("{}")
    (run / "run.json").write_text('{"seconds": 1}')
    assert tracker.write("track", folder / "template").status == 0
    return folder / "template"


def recorded(folder):
    """Statuses of the runs in a store that is sound."""
    with sqlite3.connect(folder / "mlflow.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT run_uuid, status FROM runs ORDER BY run_uuid").fetchall()
    connection.close()
    return dict(rows)


def test_tracking(tracker, store, tmp_path, record_property):
    shutil.copytree(store, tmp_path / "counted")
    whole = tracker.write("track", tmp_path / "counted")
    before, each = recorded(store), len(recorded(tmp_path / "counted")) - len(recorded(store))
    tried = points(whole.calls)
    for number, (kind, k) in enumerate(tried):
        folder = tmp_path / f"{kind}_{k}"
        shutil.copytree(store, folder)
        ended = tracker.write("track", folder, kind, k)
        assert "Traceback" not in ended.said, ended.said
        assert ended.status in (0, 3, KILLED), (kind, k, ended)
        assert ended.said.count("\n") == (ended.status == 3), (kind, k, ended)
        assert (folder / "run" / "verdict.json").read_text() == "{}"
        after = recorded(folder)
        assert before.items() <= after.items(), (kind, k)
        if ended.status == 0:
            new = after.keys() - before.keys()
            assert [after[one] for one in new] == ["FINISHED"] * each
        if number % 4 == 0:  # it takes seconds
            assert tracker.write("track", folder).status == 0, (kind, k)
            assert len(recorded(folder)) >= len(after) + each
        shutil.rmtree(folder)
    record_property(FAULTS, ("tracking", len(tried)))
