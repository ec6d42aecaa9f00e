"""Runs in processes of their own that can be killed at any moment."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.processes import as_from_a_shell

FEW = ("budget=smoke", "budget.replicates=60", "budget.blocks=10")
QUIET = ("tracking=none", "compute.workers=1")


class Zygote:
    """Starts runs, kills them and tells how they ended."""

    def __init__(self, log):
        self.log = log
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            preexec_fn=as_from_a_shell,
        )

    def _ask(self, order):
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def start(self, *words):
        """Start a run; its process id, which is its process group too."""
        return self._ask([str(self.log), *words])

    def wait(self, run):
        """Exit status of a run; negative for a signal."""
        return self._ask(run)

    def run(self, *words):
        """A whole run: (exit status, seconds)."""
        started = time.perf_counter()
        return self.wait(self.start(*words)), time.perf_counter() - started

    def killed(self, after, *words, sign=signal.SIGKILL):
        """A run whose process group gets a signal after some seconds: its exit status."""
        run = self.start(*words)
        time.sleep(after)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run, sign)
        return self.wait(run)

    def close(self):
        """End the zygote."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="session")
def zygote(tmp_path_factory):
    """A warm process to fork runs from."""
    found = Zygote(tmp_path_factory.mktemp("zygote") / "log")
    yield found
    found.close()


def results(folder):
    """Bytes of the files that must not vary, by place below the folder."""
    names = ("verdict.json", "measurements.parquet")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for name in names
        for path in sorted(folder.rglob(name))
    }


def entries(folder):
    """Finished blocks and what tells whether they were written again."""
    found = sorted((folder / ".cache" / "blocks").glob("*/*.npy"))
    found = [path for path in found if not path.name.startswith(".")]
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


def drafts(folder):
    """Half-written files."""
    return [path for path in folder.rglob(".*") if ".draft-" in path.name]


@pytest.fixture
def look():
    """The functions ``results``, ``entries`` and ``drafts`` of a folder."""
    return results, entries, drafts


@pytest.fixture(scope="session")
def quick():
    """Overrides of runs that take a second."""
    return (*FEW, *QUIET)
