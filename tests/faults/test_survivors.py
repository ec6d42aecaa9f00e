"""No process and no shared memory is left behind, however a run ends."""

import os
import signal
import time
from pathlib import Path

import pytest

from repro.commands.process.signals import KEPT
from tests.faults.processes import begun, survivors, wait_for

SHARED = Path("/dev/shm")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks into /proc"),
]
WAIT = 300
"""Seconds; a process that is stopped has gone in one, where its cores are not wanted by others."""
WORDS = (
    "repro", "theorem=kl_contraction", "budget=smoke", "budget.blocks=10", "tracking=none",
    "budget.replicates=400000", "compute.workers=2",
)  # fmt: skip


def finished(folder):
    """Blocks on disk."""
    return [path for path in folder.rglob("*.npy") if not path.name.startswith(".")]


def of_joblib():
    """What joblib has in shared memory, of processes that are gone or ours."""
    return {path.name for path in SHARED.glob("*") if "loky" in path.name or "joblib" in path.name}


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, -9)],
)
def test_workers_end_with_their_parent(number, status, tmp_path):
    process, mark = begun(WORDS, tmp_path)
    _measuring(process, mark, tmp_path)
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == status, err
    assert "Traceback" not in err, err
    wait_for(lambda: not survivors(mark), WAIT)
    wait_for(lambda: not [name for name in of_joblib() if f"-{process.pid}-" in name], WAIT)
    if number != signal.SIGKILL:
        # where the machine is busy joblib's tracker finds out later than we say so, and warns
        said = [one for one in err.splitlines() if "resource_tracker" not in one]
        last = [one for one in said if not one.startswith("  warnings.warn")][-1]
        counted = f"{len(finished(tmp_path))} of "
        # there, too, the main thread may not hear the signal in time, and nobody counts
        assert last.startswith((f"interrupted: {counted}", f"interrupted: {KEPT}")), err
        assert last.endswith("kept; run the same command to go on")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_that_began_the_next_run_end_too(number, tmp_path):
    process, mark = begun(("repro", "-m", *WORDS[1:], "seed=0,1,2"), tmp_path)
    _measuring(process, mark, tmp_path)
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == (-9 if number == signal.SIGKILL else 143), err
    assert "Traceback" not in err, err
    wait_for(lambda: not survivors(mark), WAIT)
    wait_for(lambda: not [name for name in of_joblib() if f"-{process.pid}-" in name], WAIT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_workers_of_a_long_sweep_end_too(number, tmp_path):
    """A sweep that is stopped in its first job leaves no process and no memory behind."""
    seeds = ",".join(map(str, range(80)))
    process, mark = begun(("repro", "-m", *WORDS[1:], f"seed={seeds}"), tmp_path)
    wait_for(lambda: len(survivors(mark)) >= 3)
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT)
    assert process.returncode == 128 + number
    assert out in ("", "job 1 of 80: seed=0\n")
    assert "Traceback" not in err, err
    wait_for(lambda: not survivors(mark), WAIT)
    wait_for(lambda: not [name for name in of_joblib() if f"-{process.pid}-" in name], WAIT)
    assert "interrupted: " in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("after", [0.0, 0.5])
def test_a_whole_group_is_stopped_while_workers_start(number, after, tmp_path):
    """As by Ctrl-C in a terminal, which reaches workers too: no traceback of theirs."""
    process, mark = begun(WORDS, tmp_path)
    wait_for(lambda: len(survivors(mark)) >= 3, WAIT)
    time.sleep(after)
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == (130 if number == signal.SIGINT else -9), err
    assert "Traceback" not in err, err
    wait_for(lambda: not survivors(mark), WAIT)
    wait_for(lambda: not [name for name in of_joblib() if f"-{process.pid}-" in name], WAIT)


def _measuring(process, mark, folder):
    """Wait until two workers are there, and two blocks on disk."""

    def at_work():
        return len(finished(folder)) >= 2 and len(set(survivors(mark)) - {process.pid}) >= 2

    wait_for(lambda: at_work() or process.poll() is not None, 120)
    assert process.poll() is None, process.communicate()
