"""How long a changed line keeps one waiting: one experiment anew, no block of it in the cache."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

EXPERIMENTS = ("kl_contraction", "dpo_reduction", "square_chipo", "offline_gap", "log_regret")
"""From the shortest to some of the longest."""


def edited_runs() -> Iterator[tuple[str, str, str, str]]:
    """(experiment, seconds to its first line, to its figure, CPU seconds of all processes)."""
    for name in EXPERIMENTS:
        with tempfile.TemporaryDirectory() as folder:
            first, whole, used = _one_run(name, folder)
        yield name, f"{first:.1f}", f"{whole:.1f}", f"{used:.1f}"


def _one_run(name: str, folder: str) -> tuple[float, float, float]:
    words = [f"theorem={name}", "budget=smoke", "tracking=none", f"output_dir={folder}"]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "repro", *words]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=subprocess.PIPE) as run:
        assert run.stderr
        run.stderr.readline()
        first = time.perf_counter() - started
        run.stderr.read()
    if run.returncode:
        raise RuntimeError(f"{name} ended with {run.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return first, time.perf_counter() - started, used
