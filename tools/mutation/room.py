"""``python -m tools.mutation.room xpo``: the tests of a room, then every mutant of it.

``theorems`` is a room of its own: formulas against verdicts (``tools.mutation.theorems``).
What follows the room goes to ``tools.mutation.run``: ``--size 300 --seed 7`` tries a seeded sample.
One core and some 5 to 10 minutes a room.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOST, RATES = "tests/study/test_lost_work.py::", "tests/study/test_rates.py::"
LEFT_OUT = {
    "study": (
        f"{LOST}test_a_killed_worker_costs_no_block",
        f"{LOST}test_a_worker_that_always_dies_ends_the_run_with_one_line",
        f"{RATES}test_slope_intervals_cover",
        f"{RATES}test_mean_intervals_cover",
        f"{RATES}test_false_support_at_the_margin_is_rare",
    )
}
"""Tests that take too long to be run once a mutant; without them the score can only be lower."""
EVERY = "1000000"


def main(words: list[str]) -> int:
    """Exit status of the room's tests if they fail, else that of its mutants."""
    room, *options = words
    os.environ["OMP_NUM_THREADS"] = "1"
    if room == "theorems":
        from tools.mutation.theorems import main as of_theorems

        return of_theorems(options)
    tests = [f"tests/{room}", f"repro/{room}"]
    tests += [f"--deselect={name}" for name in LEFT_OUT.get(room, ())]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "coverage"
        reach = [
            f"--cov=repro.{room.replace('/', '.')}",
            "--cov-context=test",
            f"--cov-config={os.devnull}",
        ]
        env = os.environ | {"COVERAGE_FILE": str(data)}
        words = ["pytest", *tests, *reach, "--cov-report=", "-p", "no:cacheprovider"]
        done = subprocess.run([sys.executable, "-m", *words], env=env, check=False)
        if done.returncode:
            return done.returncode
        files = sorted(str(path) for path in Path("repro", room).glob("*.py"))
        words = ["--coverage", str(data), "--size", EVERY, *options, *files, "--", *tests]
        again = [sys.executable, "-m", "tools.mutation.run", *words]
        return subprocess.run(again, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
