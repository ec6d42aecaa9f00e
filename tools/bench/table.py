"""The table of docs/performance.md, by one command:

    python -m tools.bench.table [--runs FOLDER]      e.g. outputs/suite after dvc repro

Ratios and exponents are of CPU seconds of one thread, the best of three, so that other work on the
machine disturbs them little; efficiencies and start-up are of wall time and need an idle machine.
GPU rows are there where a device is; Ray rows where Ray is installed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from repro.families.offline_kl.algorithms_ppkl import BonusConstants, draw_problem
from repro.families.online_kl.algorithms_finite import random_finite_class
from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.algorithms_pokl import Game
from repro.families.online_kl.run_setting import RunSetting, make_batch
from repro.families.online_kl.simulation import simulate
from repro.instances.linear import random_linear_world
from repro.preferences.label_counts import draw_label_counts
from repro.study.parallel import ready_to_measure
from tools.bench import finished_runs, whole_machine

CONSTANTS = BonusConstants(failure_prob=0.05, net_radius=1e-15, scale=0.1)
BATCH, ROWS = 2000, 10**5


def cost(function, rounds: int = 3) -> float:
    """CPU seconds of one thread: the best of some rounds after one warm-up."""
    function()
    found = []
    for _ in range(rounds):
        started = time.process_time()
        function()
        found.append(time.process_time() - started)
    return min(found)


def world(states: int = 6, features: int = 4):
    """A random linear world of four responses."""
    return random_linear_world(states, 4, features, 0.5, 1.0, 0.6, seed=1)


def drawn(instance, n_pairs: float, replicates: int, epsilon: float = 1.0):
    """Labels of that many datasets, as counts."""
    rng = np.random.default_rng(0)
    args = (instance.cell_prob, instance.reward_diff, int(n_pairs), epsilon, replicates)
    return draw_label_counts(rng, *args)


def fitted(instance, n_pairs: float, replicates: int = BATCH):
    """Sampling and fit of that many datasets."""
    rng = np.random.default_rng(0)
    return draw_problem(instance, int(n_pairs), 1.0, CONSTANTS, rng, replicates).fit(1.0)


def online(horizon: float, class_size: int | None = None):
    """Algorithm 2 of P1, 100 runs at once."""
    instance, rng = random_linear_world(4, 4, 3, 0.5, 1.0, 0.6, seed=1), np.random.default_rng(0)
    finite = random_finite_class(instance, class_size, 3) if class_size else None
    batch = make_batch([RunSetting(1.0, 0.5, 8.0)], 100)
    game = Game(instance, finite or LinearClass(instance), batch)
    return simulate(game, int(horizon), 1.25, rng)


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


def throughput():
    """(who, CPU seconds a dataset): clean labels, so that all fit the same model."""
    import statsmodels.api as sm
    from sklearn.linear_model import LogisticRegression

    instance = world()
    counts = drawn(instance, ROWS, 1, np.inf)
    x, pairs, wins = (t.numpy() for t in (instance.feature_diff, counts.pairs[0], counts.wins[0]))
    cell = np.repeat(np.arange(len(x)), pairs.astype(int))
    first = [np.arange(int(m)) < int(k) for m, k in zip(pairs, wins, strict=True)]
    rows, labels = x[cell], np.concatenate(first).astype(float)
    table = np.stack([wins, pairs - wins], axis=1)
    twice, sides = np.concatenate([x, x]), np.repeat([1, 0], len(x))
    weights = np.concatenate([wins, pairs - wins])
    plain = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-9, max_iter=1000)

    def ours():
        rng = np.random.default_rng(0)
        draw_problem(instance, ROWS, np.inf, CONSTANTS, rng, BATCH).fit(np.inf)

    yield "sampling and fit here, batched", cost(ours) / BATCH
    yield "sampling alone", cost(lambda: drawn(instance, ROWS, BATCH, np.inf)) / BATCH
    yield "scipy BFGS, rows", cost(lambda: scipy_fit(rows, np.ones(len(rows)), labels), 1)
    yield "scipy BFGS, counts", cost(lambda: scipy_fit(x, pairs, wins))
    yield "statsmodels Logit, rows", cost(lambda: sm.Logit(labels, rows).fit(disp=0), 1)
    family = sm.families.Binomial()
    yield "statsmodels GLM, counts", cost(lambda: sm.GLM(table, x, family=family).fit())
    yield "scikit-learn, rows", cost(lambda: plain.fit(rows, labels), 1)
    yield "scikit-learn, weighted counts", cost(lambda: plain.fit(twice, sides, weights))


def scipy_fit(features, pairs, wins):
    """Maximum likelihood of clean labels by BFGS with its gradient."""
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    def loss(theta):
        at = features @ theta
        value = -(wins * log_expit(at) + (pairs - wins) * log_expit(-at)).sum()
        return value / pairs.sum(), -((wins - pairs * expit(at)) @ features) / pairs.sum()

    start = np.zeros(features.shape[1])
    return minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x


def print_rows(title: str, rows) -> None:
    """A Markdown table; nothing where it has no rows."""
    listed = [" | ".join(str(cell) for cell in row) for row in rows]
    if listed:
        columns = title.count("|") + 1
        print(f"\n| {title} |\n|{'---|' * columns}")
        print("\n".join(f"| {row} |" for row in listed))


def main(folder: Path) -> None:
    """Print everything as Markdown."""
    ready_to_measure()
    print(whole_machine.description())
    costs = dict(throughput())
    ours, floor = costs["sampling and fit here, batched"], costs["sampling alone"]
    rows = [(name, f"{1e6 * one:.3g}", f"{one / ours:.3g}") for name, one in costs.items()]
    print_rows(f"a dataset of {ROWS:,} clean labels | CPU µs | times ours", rows)
    print(f"\nDrawing random numbers is {100 * floor / ours:.0f} % of sampling and fit.")
    listed = (
        (name, span, f"{slope:.2f}", ", ".join(f"{1e3 * one:.3g}" for one in each))
        for name, span, slope, each in exponents()
    )
    print_rows("CPU time against | range | exponent | ms", listed)
    shares = ((name, f"{100 * share:.0f} %") for name, share in whole_machine.efficiencies())
    print_rows("spread over | efficiency", shares)
    print_rows("start-up of | wall s | CPU s", whole_machine.start_up())
    print_rows("on a device | replicates/s on it | on one core | ratio", whole_machine.devices())
    finished_runs.print_tables(folder, print_rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print the tables of docs/performance.md")
    parser.add_argument("--runs", type=Path, default=Path("outputs"), help="finished runs")
    main(parser.parse_args().runs)
