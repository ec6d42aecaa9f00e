"""The table of docs/performance.md, by one command:

    python -m tools.bench.table [--runs FOLDER]      e.g. outputs/suite after dvc repro

Ratios and exponents are of CPU seconds of one thread, the best of three, so that other work on the
machine disturbs them little; efficiencies and start-up are of wall time and need an idle machine.
GPU rows are there where a device is, rows of Ray and JAX where they are installed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from repro.p1.pokl.curves import simulate
from repro.p1.pokl.finite import RandomFinite
from repro.p1.pokl.linear import LinearClass
from repro.study.parallel import ready_to_measure
from tools.bench import dispatch, edit_loop, finished_runs, whole_machine
from tools.bench.cpu_time import cost
from tools.bench.markdown import print_rows
from tools.bench.online import small_run
from tools.bench.peers import ROWS, fitted, over_sampling, throughput, world


def online(horizon: float, class_size: int | None = None):
    """Algorithm 2 of P1, 100 runs at once."""
    rewards = RandomFinite(class_size, seed=3) if class_size else LinearClass
    world = small_run(horizon=int(horizon), grid_ratio=1.25, rewards=rewards)
    return simulate([world], 100, np.random.default_rng(0))


def exponents():
    """(what, sizes, exponent of CPU seconds in it)."""
    sweeps = {
        "n": ((1e4, 1e6, 1e8, 1e10, 1e12), lambda n: fitted(world(), n)),
        "replicates": ((500, 2000, 8000), lambda r: fitted(world(), 1e6, int(r))),
        "d": ((4, 8, 16, 32), lambda d: fitted(world(16, int(d)), 1e9)),
        "S": ((8, 32, 128), lambda s: fitted(world(int(s)), 1e9)),
        "N_F": ((4, 8, 16, 32), lambda size: online(1e6, int(size))),
        "T": ((1e3, 1e5, 1e7, 1e9), online),
    }
    for name, (grid, work) in sweeps.items():
        costs = [cost(lambda work=work, at=at: work(at)) for at in grid]
        slope = np.polyfit(np.log(grid), np.log(costs), 1)[0]
        yield name, f"{grid[0]:g} to {grid[-1]:g}", slope, costs


def main(folder: Path) -> None:
    """Print everything as Markdown."""
    ready_to_measure()
    print(whole_machine.description())
    costs = dict(throughput())
    ours, floor = costs["sampling and fit here, batched"], costs["sampling alone"]
    rows = [(name, f"{1e6 * one:.3g}", f"{one / ours:.3g}") for name, one in costs.items()]
    print_rows(f"a dataset of {ROWS:,} clean labels | CPU µs | times that of the first row", rows)
    print(f"\nDrawing random numbers is {100 * floor / ours:.0f} % of sampling and fit.")
    title = "n, ε = 1 | sampling and fit over sampling | sampling over numpy's binomial"
    print_rows(title, over_sampling())
    listed = (
        (name, span, f"{slope:z.2f}", ", ".join(f"{1e3 * one:.3g}" for one in each))
        for name, span, slope, each in exponents()
    )
    print_rows("CPU time against | range | exponent | ms", listed)
    whole_machine.print_cores()
    print_rows("one block of nothing | ms of the driver | blocks/s", dispatch.overheads())
    whole_machine.print_start_up()
    title = "after a changed line, at smoke | first sign, s | verdict, s | end, s | CPU s"
    print_rows(title, edit_loop.edited_runs())
    whole_machine.print_devices()
    finished_runs.print_tables(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print the tables of docs/performance.md")
    parser.add_argument("--runs", type=Path, default=Path("outputs"), help="finished runs")
    main(parser.parse_args().runs)
