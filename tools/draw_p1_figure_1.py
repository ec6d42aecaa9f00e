"""P1's Figure 1 and Table 1 on the tiny model: ``python -m tools.draw_p1_figure_1 [seeds=20]``.

P1 draws the policy and value loss of PPO over iterations for ε = .1, .5 and 2.  The policy of
llm_ppkl is reweighted, not stepped, so its curves go over labels instead: the win rate, and what a
value loss is for, the squared error of the private reward (against the one fitted to all clean
labels, on held-out pairs).  Lines are means over seeds, bands their 95 % intervals.  Prints Table 1
with the length baseline beside each row.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

from repro.base.notation import privacy_cost
from repro.cli.composition import compose_values
from repro.llm.cases import ReleaseCase
from repro.llm.losses import mixture_loss
from repro.llm.pessimism import feature_bonus
from repro.llm.pessimistic_study import PessimisticSeed, feature_map
from repro.llm.release_study import Trained
from repro.llm.reward_model import RewardModel, fitted_head
from repro.report.figure import save
from repro.study.plan import built
from repro.study.settings import session_of
from repro.study.stream import stream

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "p1_figure_1.svg"
EPSILONS = {0.1: "#d55e00", 0.5: "#0072b2", 2.0: "#009e73"}
"""Colours of Okabe and Ito; each curve is labelled as well."""
SIZES = (96, 192, 384, 768)
PRINTED = {"SFT": 0.538, "DPO": 0.704, 0.1: 0.530, 0.5: 0.554, 2.0: 0.607}


def study():
    """The study of llm_ppkl, on this machine's CPU."""
    with tempfile.TemporaryDirectory() as folder:
        values = compose_values("llm_ppkl", {}, ["budget=smoke", "tracking=none"])
        experiment = built(session_of({**values, "output_dir": folder}).plan).experiment
    return replace(experiment.study, folder=None)  # type: ignore[attr-defined]


def reward(one, epsilon: float, labels, n_pairs: int) -> RewardModel:
    """The head fitted to the first n labels."""
    features, training = feature_map(one), one.procedure.reward
    loss = partial(mixture_loss, epsilon=epsilon)
    some = features.first[:n_pairs], features.second[:n_pairs], labels[:n_pairs]
    return RewardModel(features, fitted_head(*some, loss, training), training.clip)


def curves(one, seeds: int) -> dict[float, np.ndarray]:
    """By ε (seeds, sizes, 3): win rate, win rate at equal length, and error of the reward."""
    truth, features = one.splits.train.labels, feature_map(one)
    clean = reward(one, float("inf"), truth, len(truth))
    held = [features(tokens) for tokens in (one.held_out.first, one.held_out.second)]

    def gap(model):
        return model.of_features(held[0]) - model.of_features(held[1])

    found: dict[float, list] = {epsilon: [] for epsilon in EPSILONS}
    for k in range(seeds):
        rng = stream(0, "p1_figure_1", k)
        case = ReleaseCase(methods=(), study=one)
        coins, seed = case.coins(rng), PessimisticSeed.of(one, rng)
        for epsilon, rows in found.items():
            labels = case.released(coins, epsilon)
            rows.append([])
            for n in SIZES:
                model, own = reward(one, epsilon, labels, n), one.procedure.reward
                width = own.coefficient * privacy_cost(epsilon)
                bonus = feature_bonus(features.first[:n], features.second[:n], own.ridge, width)
                weights = seed.weights(model, bonus)
                error = float((gap(model) - gap(clean)).square().mean())
                rows[-1].append((seed.win_rate(weights), seed.controlled(weights), error))
    return {epsilon: np.array(rows) for epsilon, rows in found.items()}


def draw(found: dict[float, np.ndarray]) -> Figure:
    """Left the win rate, right the error of the reward, over the labels."""
    figure = Figure(figsize=(9.6, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2)
    for panel, column, words in zip(
        panels, (0, 2), ("win rate against SFT", "squared error of the reward"), strict=True
    ):
        for epsilon, colour in EPSILONS.items():
            values = found[epsilon][:, :, column]
            mean, half = values.mean(0), stats.sem(values) * stats.t.isf(0.025, len(values) - 1)
            panel.plot(SIZES, mean, color=colour, marker="o", ms=3, label=f"ε = {epsilon:g}")
            panel.fill_between(SIZES, mean - half, mean + half, color=colour, alpha=0.2, lw=0)
        panel.set(xscale="log", xlabel="labels n", ylabel=words)
        panel.set_xticks(SIZES, [str(n) for n in SIZES])
        panel.minorticks_off()
        panel.legend(frameon=False, fontsize=9)
    panels[0].axhline(0.5, color="grey", lw=0.8, ls=":")
    panels[1].set_yscale("log")
    return figure


def table(one, found: dict[float, np.ndarray], seeds: int) -> list[str]:
    """Table 1: printed, ours, ours at equal length; and the longest response beside them."""
    rngs = [stream(0, "p1_figure_1", k) for k in range(seeds)]
    case = ReleaseCase(methods=(), study=one)
    each = [(case.released(case.coins(g), float("inf")), PessimisticSeed.of(one, g)) for g in rngs]
    dpo = [Trained("dpo").reached(seed, float("inf"), clean)[:2] for clean, seed in each]
    longest = [seed.win_rate(seed.longest_weights()) for _, seed in each]
    rows = {"SFT": [(0.5, 0.5)], "DPO": dpo}
    rows |= {epsilon: values[:, -1, :2] for epsilon, values in found.items()}
    lines = [
        "| | printed | ours | ours at equal length | longest response |",
        "|---|---|---|---|---|",
    ]
    for name, values in rows.items():
        a, b = np.mean(values, axis=0)
        label = name if isinstance(name, str) else f"PPKL, ε = {name:g}"
        lines.append(f"| {label} | {PRINTED[name]} | {a:.3f} | {b:.3f} | {np.mean(longest):.3f} |")
    return lines


def main(words: list[str]) -> None:
    seeds = int(dict(word.split("=") for word in words).get("seeds", 20))
    one = study()
    found = curves(one, seeds)
    save(draw(found), DRAWING)
    print("\n".join(table(one, found, seeds)))


if __name__ == "__main__":
    main(sys.argv[1:])
