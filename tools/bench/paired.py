"""CPU of whole runs at smoke here and in another checkout, alternately, beside one another.

    python -m tools.bench.paired OTHER [--runs 1] [NAME ...]     by default the whole suite

A line for each experiment as it is finished; then the median ratio, and what has become slower.
OTHER is a folder that can be written to: Python keeps what it compiles there.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from repro.base.files import yaml_mapping
from repro.base.places import conf_dir
from tools.bench.edit_loop import one_run, used

HERE = Path.cwd()


def pairs(names: Sequence[str], other: Path, runs: int) -> Iterator[tuple[str, float, float]]:
    """(experiment, median CPU seconds there, here); each run has an empty folder.

    One run in each checkout comes before, so that libraries are compiled and read from the disk.
    """
    for checkout in (other, HERE):
        _fresh_run("kl_contraction", checkout)
    for name in names:
        seconds = [(_fresh_run(name, other), _fresh_run(name, HERE)) for _ in range(runs)]
        there, here = map(statistics.median, zip(*seconds, strict=True))
        yield name, there, here


def _fresh_run(name: str, checkout: Path) -> float:
    with TemporaryDirectory() as folder:
        return one_run(name, Path(folder), checkout).cpu


def _unit() -> float:
    """CPU seconds of importing torch, now: what a busy or slower machine is told by."""
    before = used()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return used() - before


def main(names: Sequence[str], other: Path, runs: int) -> None:
    """Print a Markdown table, then the median and what is slower."""
    head = "| experiment, smoke | CPU s there | CPU s here | here over there | here, in u |"
    print(f"{head}\n|---|---|---|---|---|", flush=True)
    ratios = {}
    for name, there, here in pairs(names, other, runs):
        ratios[name] = here / there
        cells = f"{there:.1f} | {here:.1f} | {ratios[name]:.2f} | {here / _unit():.1f}"
        print(f"| {name} | {cells} |", flush=True)
    slower = ", ".join(name for name, ratio in ratios.items() if ratio > 1) or "none"
    print(f"\nmedian of {len(ratios)} ratios: {statistics.median(ratios.values()):.2f}; "
          f"slower here: {slower}")  # fmt: skip


if __name__ == "__main__":
    listed = yaml_mapping("suite", conf_dir() / "suite.yaml")["theorems"]
    parser = argparse.ArgumentParser(description="CPU of runs here and in another checkout")
    parser.add_argument("other", type=Path, help="another checkout")
    parser.add_argument("--runs", type=int, default=1, help="of each experiment in each checkout")
    parser.add_argument("names", nargs="*", default=list(listed), help="experiments")
    words = parser.parse_args()
    if words.runs < 1:
        parser.error(f"argument --runs: {words.runs}; allowed: 1 or more")
    if not (words.other / "repro").is_dir():
        parser.error(f"argument other: {words.other}; allowed: a checkout of this project")
    main(words.names, words.other.absolute(), words.runs)
