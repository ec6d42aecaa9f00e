"""P1's Figure 1 by RLOO on the tiny model: ``python -m tools.draw_p1_losses [seeds=20]``.

P1 (arXiv 2510.13512) draws the policy loss and the value loss of PPO over its iterations for
ε = .1, .5 and 2.  ``llm_ppkl`` trains by RLOO, whose baseline is no network: its squared error
stands for the value loss.  Beside both the reward that is maximised: the private one, Γ taken off,
so that its level says nothing between two ε.  Lines are means over seeds, bands their 95 %
intervals; of the squared error, which spans orders of magnitude, both on the log scale.  Prints
the win rates of the policies, and, paired by seed, by how much the baseline's error falls from
ε = .1 to 2, where the paper has .072 and .062.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

from repro.base.files import write_whole
from repro.core.stream import stream
from repro.llm.experiments.release_study import Seed
from repro.report.figure import figure_bytes
from theorems.llm_ppkl import PpklTuning, rloo
from tools.draw_p1_figure_1 import EPSILONS
from tools.p4_tables import world_of
from tools.seeds import seeds_asked, status_of

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "p1_losses.svg"
PANELS = ("mean reward", "policy loss", "squared error of the baseline")
LAST = 4
"""One in how many iterations is at the end."""


def one_seed(world: PpklTuning, rng: np.random.Generator) -> tuple[list[np.ndarray], list[float]]:
    """Curves (ε; 3, I) of a seed, and (ε,) win rates at equal length; the same coins for all ε."""
    seed = Seed.of(len(world.study.splits.train), rng)
    reached = [rloo(replace(world, epsilon=epsilon).release(seed)) for epsilon in EPSILONS]
    return [np.array(one[2:]) for one in reached], [one.at_equal_length for one in reached]


def draw(curves: np.ndarray) -> Figure:
    """Of curves (seeds, ε, 3, I)."""
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    for j, (panel, said) in enumerate(zip(figure.subplots(1, 3), PANELS, strict=True)):
        for k, (epsilon, colour) in enumerate(EPSILONS.items()):
            values = np.log(curves[:, k, j]) if said == PANELS[-1] else curves[:, k, j]
            mean, half = values.mean(0), stats.sem(values) * stats.t.isf(0.025, len(values) - 1)
            low, line, high = mean - half, mean, mean + half
            if said == PANELS[-1]:
                low, line, high = np.exp([low, line, high])
                panel.set_yscale("log")
            steps = np.arange(1, len(mean) + 1)
            panel.plot(steps, line, color=colour, label=f"ε = {epsilon:g}")
            panel.fill_between(steps, low, high, color=colour, alpha=0.2, lw=0)
        panel.set(xlabel="iteration of RLOO", ylabel=said)
        panel.legend(frameon=False, fontsize=9)
    return figure


def lines(curves: np.ndarray, rates: np.ndarray) -> list[str]:
    """Win rates (seeds, ε) as mean ± sd, and the fall of the baseline's error at the end."""
    found = [
        f"PPKL by RLOO, ε = {epsilon:g}: {one.mean():.3f} ± {one.std(ddof=1):.3f}"
        for epsilon, one in zip(EPSILONS, rates.T, strict=True)
    ]
    end = curves[:, :, 2, -(curves.shape[3] // LAST) :].mean(-1)
    fall = end[:, 0] - end[:, -1]
    half = stats.sem(fall) * stats.t.isf(0.025, len(fall) - 1)
    errors = ", ".join(f"{mean:.3g}" for mean in end.mean(0))
    found.append(f"error of the baseline in the last iterations, by ε: {errors}")
    return [*found, f"it falls from ε = .1 to 2 by {fall.mean():.3g} ± {half:.2g}"]


def main(words: Sequence[str]) -> None:
    seeds = seeds_asked(words, 20)
    with world_of("llm_ppkl") as world:
        found = [one_seed(world, stream(0, "p1_losses", k)) for k in range(seeds)]
    curves, rates = (np.array(part) for part in zip(*found, strict=True))
    write_whole(DRAWING, figure_bytes(draw(curves), "svg"))
    print("\n".join(lines(curves, rates)))


if __name__ == "__main__":
    sys.exit(status_of(main))
