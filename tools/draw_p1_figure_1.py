"""P1's Figure 1 and Table 1 on the tiny model: ``python -m tools.draw_p1_figure_1 [seeds=20]``.

P1 (arXiv 2510.13512) draws the policy loss and the value loss of PPO over its iterations for
ε = .1, .5 and 2.  The policy of ``llm_ppkl`` is reweighted and not stepped, so its curves go over
labels instead: the win rate, and, for what a value loss measures, the squared error of the private
reward against the one fitted to all clean labels, on held-out pairs.  Lines are means over seeds,
bands their 95 % intervals.  Prints Table 1 with the length baseline beside each row.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats
from torch import Tensor

from repro.base.files import write_whole
from repro.base.notation import privacy_cost
from repro.core.stream import stream
from repro.llm.experiments.contrasts import Contrast
from repro.llm.experiments.pessimism import feature_bonus
from repro.llm.experiments.pessimistic_study import feature_map
from repro.llm.experiments.release_study import Seed
from repro.llm.experiments.reward_head import RewardModel, fitted_head
from repro.llm.experiments.study import Study
from repro.llm.training.losses import mixture_loss
from repro.report.figure import figure_bytes
from theorems.llm_ppkl import PpklTuning
from tools.p4_tables import world_of
from tools.seeds import seeds_asked, status_of

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "p1_figure_1.svg"
EPSILONS = {0.1: "#d55e00", 0.5: "#0072b2", 2.0: "#009e73"}
"""Colours of Okabe and Ito; each curve is labelled as well."""
SHARES = (8, 4, 2, 1)
"""One in how many pairs is seen."""
PRINTED = {"SFT": 0.538, "DPO": 0.704, 0.1: 0.530, 0.5: 0.554, 2.0: 0.607}
ROW = "| {} | {:.3f} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} ± {:.3f} |"


def reward(study: Study, epsilon: float, labels: Tensor, n_pairs: int) -> RewardModel:
    """The head fitted to the first n labels, by a learner that believes in ε."""
    features, training = feature_map(study), study.procedure.reward
    some = features.first[:n_pairs], features.second[:n_pairs], labels[:n_pairs]
    head = fitted_head(*some, partial(mixture_loss, epsilon=epsilon), training)
    return RewardModel(features, head, training.clip)


def one_seed(world: PpklTuning, rng: np.random.Generator) -> tuple[list[list], np.ndarray]:
    """What a seed reaches, the same coins for every ε.

    Returns:
        curves (ε, sizes, 3) of win rate, win rate at equal length and error of the reward; and
        (2, 2) of both win rates of DPO on clean labels and of the longest response.
    """
    study, features = world.study, feature_map(world.study)
    seed = Seed.of(len(study.splits.train), rng)
    released = {epsilon: replace(world, epsilon=epsilon).release(seed) for epsilon in EPSILONS}
    without_privacy = world.without_privacy().release(seed)
    clean, total = study.splits.train.labels, len(study.splits.train)
    held = [features(tokens) for tokens in (study.held_out.first, study.held_out.second)]

    def gap(model: RewardModel) -> Tensor:
        return model.of_features(held[0]) - model.of_features(held[1])

    def point(epsilon: float, n: int) -> tuple[float, float, float]:
        release, own = released[epsilon], study.procedure
        model = reward(study, epsilon, release.labels, n)
        width = own.reward.coefficient * privacy_cost(epsilon)
        bonus = feature_bonus(features.first[:n], features.second[:n], own.reward.ridge, width)
        weights = release.weights(model, bonus)
        error = float((gap(model) - best).square().mean())
        return release.win_rate(weights), release.controlled(weights), error

    best = gap(reward(study, float("inf"), clean, total))
    curves = [[point(epsilon, total // share) for share in SHARES] for epsilon in EPSILONS]
    longest = without_privacy.longest_weights()
    beside = [
        without_privacy.reached("dpo")[:2],
        (without_privacy.win_rate(longest), without_privacy.controlled(longest)),
    ]
    return curves, np.array(beside)


def draw(curves: np.ndarray, sizes: Sequence[int]) -> Figure:
    """Win rate and error of the reward over labels, of curves (seeds, ε, sizes, 3)."""
    figure = Figure(figsize=(9.6, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2)
    words = ("win rate against SFT", "squared error of the reward")
    for panel, column, said in zip(panels, (0, 2), words, strict=True):
        for k, (epsilon, colour) in enumerate(EPSILONS.items()):
            values = curves[:, k, :, column]
            mean, half = values.mean(0), stats.sem(values) * stats.t.isf(0.025, len(values) - 1)
            panel.plot(sizes, mean, color=colour, marker="o", ms=3, label=f"ε = {epsilon:g}")
            panel.fill_between(sizes, mean - half, mean + half, color=colour, alpha=0.2, lw=0)
        panel.set(xscale="log", xlabel="labels n", ylabel=said)
        panel.set_xticks(sizes, [str(n) for n in sizes])
        panel.minorticks_off()
        panel.legend(frameon=False, fontsize=9)
    panels[0].axhline(0.5, color="grey", lw=0.8, ls=":")
    panels[1].set_yscale("log")
    return figure


def table(curves: np.ndarray, beside: np.ndarray) -> list[str]:
    """Table 1: printed, measured ± sd over seeds, at equal length, and the longest response.

    Below it Welch's p between any two ε, and the seeds an arm that such a difference needs.
    """
    longest = beside[:, 1, 0]
    reached = {"DPO": beside[:, 0]} | {e: curves[:, k, -1, :2] for k, e in enumerate(EPSILONS)}
    columns = "printed", "measured", "at equal length", "longest response"
    lines = [f"| | {' | '.join(columns)} |", "|---|---|---|---|---|"]
    lines.append(f"| SFT | {PRINTED['SFT']} | .5 by definition | .5 | |")
    for name, values in reached.items():
        label = name if isinstance(name, str) else f"PPKL, ε = {name:g}"
        (mean, level), (spread, _) = values.mean(0), values.std(0, ddof=1)
        rest = longest.mean(), longest.std(ddof=1)
        lines.append(ROW.format(label, PRINTED[name], mean, spread, level, *rest))
    rates = curves[:, :, -1, 0]
    for (a, x), (b, y) in combinations(zip(EPSILONS, rates.T, strict=True), 2):
        one = Contrast(f"ε = {b:g} over {a:g}", y.mean(), y.std(ddof=1), x.mean(), x.std(ddof=1))
        lines.append(f"{one.name}: p = {one.p_value(len(x)):.2g}, {one.seeds_needed()} seeds")
    return lines


def main(words: Sequence[str]) -> None:
    seeds = seeds_asked(words, 20)
    with world_of("llm_ppkl") as world:
        found = [one_seed(world, stream(0, "p1_figure_1", k)) for k in range(seeds)]
    curves, beside = (np.array(part) for part in zip(*found, strict=True))
    write_whole(
        DRAWING,
        figure_bytes(draw(curves, [world.data.n_pairs // share for share in SHARES]), "svg"),
    )
    print("\n".join(table(curves, beside)))


if __name__ == "__main__":
    sys.exit(status_of(main))
