"""A fault at every single call on the disk: budget and release go together, whatever happens."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from repro.release.ledger import NAME, Ledger

HERE = Path(__file__).parent
MODES = {
    name: number
    for number, name in enumerate(
        ("kill before", "kill after", "kill torn", "no space", "io error", "interrupted",
         "no space ever"), 1
    )
}  # fmt: skip
LINES = 12
RERUN = 4
"""After every fourth fault the release is made again."""

KILLED, ENDED = -9, (0, 74)
COUNT, NEVER = 0, -1


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Runs ``privatize`` with a fault; None where there is no compiler for the shim."""
    if not (sys.platform == "linux" and shutil.which("cc")):
        pytest.skip("faults are injected by a preloaded library: Linux and a C compiler")
    shim = tmp_path_factory.mktemp("shim") / "shim.so"
    source = HERE / "faults" / "shim.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    process = subprocess.Popen(
        [sys.executable, str(HERE / "faults" / "server.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parents[1],
        env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(HERE.parents[1])},
    )  # fmt: skip
    yield lambda *words: _ask(process, words)
    process.communicate()
    assert process.returncode == 0


def _ask(process, words):
    process.stdin.write(json.dumps([*map(_plain, words)]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def _plain(word):
    return word if isinstance(word, int) else str(word)


def write_input(path, records):
    names = ("prompt", "chosen", "rejected")
    lines = (json.dumps(dict(zip(names, one, strict=True))) for one in records[:LINES])
    path.write_text("\n".join(lines))


class Place:
    """A folder with an input, a ledger, and what may become of a release."""

    def __init__(self, folder, server, start):
        shutil.copytree(start, folder)
        self.folder, self.server = folder, server
        self.target, self.log = folder / "out" / "out.jsonl", folder / "log"

    def release(self, k=NEVER, mode=COUNT):
        words = (self.folder / "in.jsonl", self.target, "epsilon=1", f"ledger={self.folder}/state")
        return self.server(self.log, k, mode, *words)

    def entries(self):
        """Opened as the next release would, without a fault."""
        return [one for one in Ledger(self.folder / "state").entries() if one.output == "out.jsonl"]

    def faults(self, status):
        """What is wrong after a fault, in words."""
        said, spent = self.log.read_text(), len(self.entries())
        left = {path.name for path in self.target.parent.iterdir()}
        kept = {path.name for path in (self.folder / "state").glob("*")}
        if left not in (set(), {"out.jsonl", "out.manifest.json"}):
            yield f"left {left}"
        if spent != len(left) // 2:
            yield f"spent {spent} with {left}"
        if left and len(self.target.read_bytes().splitlines()) != LINES:
            yield "a release that is not whole"
        if not kept <= {NAME, f"{NAME}-journal"}:  # empty, or of a transaction that has ended
            yield f"in the ledger's folder: {kept}"
        if status not in (KILLED, *ENDED) or "Traceback" in said or said.count("error: ") > 1:
            yield f"status {status}: {said}"
        if status == 0 and not left:
            yield "told of a release that is not there"
        if status == 74 and left and "the release is complete" not in said:
            yield f"did not tell of the release: {said}"


def start_fresh(folder, server, records):
    """No ledger yet."""


def start_known(folder, server, records):
    """A ledger that knows another release."""
    write_input(folder / "other.jsonl", records[LINES:])
    words = (folder / "other.jsonl", folder / "other.out", "epsilon=1", f"ledger={folder}/state")
    assert server(folder / "log", NEVER, COUNT, *words)[0] == 0


def start_interrupted(folder, server, records):
    """A ledger that holds a release killed right after its output was linked to a draft."""
    start_known(folder, server, records)
    write_input(folder / "third.jsonl", records[2 * LINES :])
    words = (folder / "third.jsonl", folder / "third.out", "epsilon=1", f"ledger={folder}/state")
    drafts = ()
    k = 0
    while len(drafts) < 2:
        assert server(folder / "log", k, MODES["kill after"], *words)[0] == KILLED
        drafts, k = list(folder.glob(".*.partial")), k + 1


@pytest.fixture(scope="module")
def memory():
    """A folder in memory where there is one: thousands of files are written and removed."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        yield Path(folder)


@pytest.fixture(scope="module", params=[start_fresh, start_known, start_interrupted])
def start(request, server, records, memory):
    folder = memory / request.param.__name__
    (folder / "out").mkdir(parents=True)
    write_input(folder / "in.jsonl", records)
    request.param(folder, server, records)
    return folder


@pytest.mark.parametrize("mode", MODES)
def test_a_fault_at_every_call(mode, server, start, memory, record_property):
    place = Place(memory / "sound", server, start)
    status, calls = place.release()
    shutil.rmtree(place.folder)
    assert status == 0
    assert calls > 40
    wrong = {}
    for k in range(calls):
        place = Place(memory / str(k), server, start)
        status, _ = place.release(k, MODES[mode])
        found = list(place.faults(status))
        if not found and k % RERUN == 0:
            again, _ = place.release()
            released = bool(place.entries()) and place.target.exists()
            found = [] if released and again in (0, 2) else [f"afterwards {again}"]
        if found:
            wrong[k] = found
        shutil.rmtree(place.folder)
    assert wrong == {}
    record_property("faults injected", ("ledger", calls))
