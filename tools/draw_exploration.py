"""How exploration concentrates: regret curves with bands, and both policies at a few times.

    python -m tools.draw_exploration OUT.png [epsilon=1] [horizon=1e7] [seed=0]

The command draws Algorithm 2 (P1, Section 5) with and without its bonus.  In the instance the best
response is rarely drawn.  The upper panel has the mean regret with a 90 % band over runs, on a log
axis of T, and the predicted slope.  The lower panel shows how often π² draws each response after
1e1, 1e2, … labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from repro.base.errors import BadInput
from repro.base.files import atomic_write
from repro.base.words import scalar, split_words
from repro.commands.process.command import run_command
from repro.labels.preferences.block_draws import NumpyDraws, geometric_times
from repro.p1.pokl.algorithms import without_exploration
from repro.p1.pokl.curves import total_limit
from repro.p1.pokl.instances import HiddenArmChoice
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.report.figure import own_defaults
from repro.report.style import CLAIMED, CONTROL, DASHES, MEASURED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS, RATIO, BONUS_WEIGHT = 100, 1.5, 7.0
RARE = HiddenArmChoice(
    kind="hidden_arm", num_actions=5, best_prob=1e-3, advantage=0.8, radius=1.0, kl_weight=1 / 12
)
"""The instance: π_ref hardly ever draws the best response."""
TITLES = ("with the bonus", "without the bonus")
LOOKS = ((MEASURED, "-"), (CONTROL, ":"))
DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""What a kind of file would say of when it was made: left out, for equal runs have equal bytes."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """What the figure shows; M settings, with and without bonus.

    Attributes:
        times: (K+1,) labels seen.
        cumulative: (K+1, M, R) regret up to each time.
        explore: (K+1, M, A) mean over runs of π² in the first state.
        optimal: (A,) π* there.
        rate: predicted regret per unit of log T, with the bonus.
    """

    times: np.ndarray
    cumulative: np.ndarray
    explore: np.ndarray
    optimal: np.ndarray
    rate: float


def record(epsilon: float, horizon: int, seed: int, replicates: int = RUNS) -> Exploration:
    """Simulate Algorithm 2 with and without its bonus.

    Args:
        epsilon: privacy budget in (0, inf].
        horizon: T.
        seed: of the simulation.
        replicates: R.
    """
    world = OnlineRun(
        instance=RARE, epsilon=epsilon, horizon=horizon, gamma=BONUS_WEIGHT, failure_prob=0.05,
        net_radius=1e-6, ridge=1.0, grid_ratio=RATIO,
    )  # fmt: skip
    times = geometric_times(horizon, RATIO)
    runs = Runs([world, without_exploration(world)], replicates)
    rounds = list(runs.rounds(times, NumpyDraws(np.random.default_rng(seed))))
    regret = torch.stack([r.regret.reshape(2, replicates) for r in rounds]).numpy()
    played = regret[:-1] * np.diff(times)[:, None, None]
    explore = torch.stack([r.explore[:, 0].reshape(2, replicates, -1).mean(1) for r in rounds])
    return Exploration(
        np.array(times),
        np.concatenate([0 * played[:1], played.cumsum(axis=0)]),
        explore.numpy(),
        world.linear.optimal_policy[0].numpy(),
        total_limit(world),
    )


def draw_exploration(found: Exploration, title: str) -> Figure:
    """The regret curves, and small multiples of π² at powers of ten."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    decades = [10**k for k in range(1, int(np.log10(found.times[-1])) + 1)]
    figure = Figure(figsize=(max(8, 1.9 * len(decades)), 7), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 1, height_ratios=[1.3, 1])
    top, bottom = (figure.add_subfigure(grid[row]) for row in (0, 1))
    _regret_panel(top.subplots(), found)
    axes = bottom.subplots(1, len(decades), sharey=True, squeeze=False)[0]
    for ax, time in zip(axes, decades, strict=True):
        _policy_panel(ax, found, time)
    axes[0].set_ylabel("π² in the first state")
    bottom.supxlabel("response (the last is the best, and rare under π_ref); ticks: π*")
    figure.suptitle(title)
    return figure


def _regret_panel(ax, found: Exploration) -> None:
    times = found.times[1:]
    for m, (color, style) in enumerate(LOOKS):
        curve = found.cumulative[1:, m]
        low, high = np.quantile(curve, [0.05, 0.95], axis=1)
        ax.plot(times, curve.mean(axis=1), color=color, ls=style, label=TITLES[m])
        ax.fill_between(times, low, high, color=color, alpha=0.2, lw=0)
    end = found.cumulative[-1, 0].mean()
    predicted = end + found.rate * np.log(times / times[-1])
    shown = predicted > 0
    ax.plot(times[shown], predicted[shown], color=CLAIMED, ls=DASHES, label="predicted slope")
    ax.set(xscale="log", xlabel="rounds T", ylabel="regret [reward], 90 % of runs")
    ax.set_ylim(0, 3 * np.quantile(found.cumulative[-1, 0], 0.95))
    ax.legend(frameon=False)


def _policy_panel(ax, found: Exploration, time: int) -> None:
    at = int(np.searchsorted(found.times, time))
    arms = np.arange(found.explore.shape[2])
    for m, color in enumerate((MEASURED, CONTROL)):
        ax.bar(arms + 0.4 * m - 0.2, found.explore[at, m], 0.4, color=color)
    ax.plot(arms, found.optimal, color=CLAIMED, marker="_", ms=14, mew=2, ls="none")
    ax.set(title=f"after {time:.0e}", ylim=(0, 1.02), xticks=arms)


def main(words: list[str]) -> int:
    """Draw the figure.

    Raises:
        BadInput: a number or a file that cannot be used.
    """
    (name,), texts = split_words(words, ("epsilon", "horizon", "seed"), ("OUT",))
    numbers = {key: scalar(key, text) for key, text in texts.items()}
    with own_defaults():
        figure = _figure(Path(name), **numbers)
        with atomic_write(Path(name)) as draft:
            figure.savefig(draft, metadata=DATE.get(Path(name).suffix))
    return 0


def _figure(out: Path, epsilon: float = 1, horizon: float = 1e7, seed: float = 0) -> Figure:
    if not epsilon >= 1e-6:
        raise BadInput("epsilon", epsilon, "allowed: a number in [1e-6, inf]")
    if not 10 <= horizon <= 1e15:
        raise BadInput("horizon", horizon, "allowed: a number from 10 to 1e15")
    if seed < 0:
        raise BadInput("seed", seed, "allowed: a whole number >= 0")
    if out.suffix not in {".png", ".svg", ".pdf"} or not out.absolute().parent.is_dir():
        raise BadInput("OUT", out, "allowed: a .png, .svg or .pdf file in an existing folder")
    title = f"Algorithm 2 on a rare best response: ε = {epsilon:g}, {RUNS} runs"
    return draw_exploration(record(epsilon, int(horizon), int(seed)), title)


if __name__ == "__main__":
    run_command(main)
