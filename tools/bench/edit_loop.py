"""How long a changed line keeps one waiting: an experiment at smoke, no block of it in the cache.

    python -m tools.bench.edit_loop [--runs 5] [NAME ...]     by default the whole suite

Prints the median of each experiment's runs, as a terminal shows them, MLflow's store being there
already; what the first run in an empty folder takes is said apart.
"""

from __future__ import annotations

import argparse
import os
import pty
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from repro.base.files import yaml_mapping
from repro.base.places import conf_dir
from tools.bench import all_children

EXPERIMENTS = ("kl_contraction", "dpo_reduction", "square_chipo", "offline_gap", "log_regret")
"""From the shortest to some of the longest."""

END = b"files: "
"""What the line after the verdict begins with."""


@dataclass(frozen=True)
class Wait:
    """Seconds from the start of the command.

    Attributes:
        first: to the first character on the terminal.
        verdict: to the verdict, the figure and all other files being written.
        whole: to the end of the process.
        cpu: CPU seconds of all its processes, workers included.
    """

    first: float
    verdict: float
    whole: float
    cpu: float


def waits(names: Sequence[str], runs: int) -> Iterator[tuple[str, Wait]]:
    """(experiment, its medians), the longest last; and first of all what an empty folder costs.

    The runs of one experiment are apart in time, so that a disturbance does not meet them all.
    Once each has run, Ctrl-C gives the medians of the runs that are finished.
    """
    found: dict[str, list[Wait]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        yield f"{names[0]}, in an empty folder", one_run(names[0], Path(folder))
        try:
            for number in range(1, runs + 1):
                for name, seen in found.items():
                    print(f"run {number} of {runs}: {name}", file=sys.stderr)
                    seen.append(one_run(name, Path(folder)))
        except KeyboardInterrupt:
            fewest = min(map(len, found.values()))
            if not fewest:
                raise
            print(f"stopped: {fewest} to {fewest + 1} runs of each experiment", file=sys.stderr)
    medians = {name: _median(seen) for name, seen in found.items()}
    yield from sorted(medians.items(), key=lambda pair: pair[1].verdict)


def edited_runs() -> Iterator[tuple[str, ...]]:
    """Rows of the table of docs/performance.md: one run of each of ``EXPERIMENTS``."""
    for name, wait in waits(EXPERIMENTS, 1):
        yield name, *(f"{seconds:.1f}" for seconds in astuple(wait))


def one_run(name: str, folder: Path, checkout: Path | None = None) -> Wait:
    """Run an experiment on a terminal of its own, finished blocks forgotten.

    Args:
        name: of the experiment.
        folder: for its files.
        checkout: whose code runs; None for what is imported here.

    Raises:
        RuntimeError: it did not end with 0.
    """
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    words = [f"theorem={name}", "budget=smoke", f"output_dir={folder}"]
    before, started = used(), time.perf_counter()
    master, slave = pty.openpty()
    command = [sys.executable, all_children.__file__, "-m", "repro", *words]
    compiled = {"PYTHONDONTWRITEBYTECODE": ""}  # or each run would compile the whole project
    environment = os.environ | compiled | ({"PYTHONPATH": str(checkout)} if checkout else {})
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=checkout, env=environment
    ) as run:
        os.close(slave)
        shown, first, verdict = b"", 0.0, 0.0
        with suppress(OSError):  # Linux ends a terminal that nobody writes to by an error
            while part := os.read(master, 1 << 16):
                now, shown = time.perf_counter() - started, shown + part
                first, verdict = first or now, verdict or (now if END in shown else 0.0)
    os.close(master)
    whole = time.perf_counter() - started
    if run.returncode:
        raise RuntimeError(f"{name} ended with {run.returncode}: {shown.decode()[-500:]}")
    return Wait(first, verdict, whole, used() - before)


def used() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(seen: Sequence[Wait]) -> Wait:
    columns = zip(*map(astuple, seen), strict=True)
    return Wait(*map(statistics.median, columns))


def main(names: Sequence[str], runs: int) -> None:
    """Print a Markdown table, and the median over the experiments."""
    print(
        "| experiment, smoke | first sign, s | verdict, s | end, s | CPU s |\n|---|---|---|---|---|"
    )
    rows = list(waits(names, runs))
    middle = _median([wait for _, wait in rows[1:]])
    for name, wait in [*rows, (f"median of {len(names)} experiments", middle)]:
        print(f"| {name} | " + " | ".join(f"{one:.2f}" for one in astuple(wait)) + " |")


if __name__ == "__main__":
    listed = yaml_mapping("suite", conf_dir() / "suite.yaml")["theorems"]
    parser = argparse.ArgumentParser(description="How long a changed line keeps one waiting")
    parser.add_argument("--runs", type=int, default=5, help="of each experiment")
    parser.add_argument("names", nargs="*", default=list(listed), help="experiments")
    given = parser.parse_args()
    if given.runs < 1:
        parser.error(f"argument --runs: {given.runs}; allowed: 1 or more")
    if unknown := [name for name in given.names if name not in listed]:
        parser.error(f"argument names: {unknown[0]}; allowed: an experiment of conf/suite.yaml")
    main(given.names, given.runs)
