"""Held-out accuracy of private rewards against ε, on pairs to fit and pairs to judge.

    python -m tools.private_reward_figure FIT.jsonl JUDGE.jsonl FOLDER

Writes private_reward.svg and .csv to FOLDER.  B, d, δ and repeats are fixed below, before any run.
The label-private baseline reads each label through randomized response at ε and minimises the
debiased loss on the same features, in the same ball; texts are public there, so it promises less.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.special import expit

import repro
from repro.labels.preferences.pair_rows import rows
from repro.release.reward.features import text_map, text_rows
from repro.release.reward.minimiser import LEAST_RIDGE, without_noise

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
BOUND, FEATURES, DELTA, REPEATS = 5.0, 16, 1e-6, 20
ADJACENCIES = {"replace": "one pair replaced", "add_remove": "one pair added or removed"}


def label_private(pairs: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Minimiser of the debiased logistic loss on labels through randomized response."""
    flip = expit(-epsilon)
    seen = pairs * np.where(rng.random(len(pairs)) < flip, -1.0, 1.0)[:, None]

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = seen @ theta
        value = ((1 - flip) * np.logaddexp(0, -z) - flip * np.logaddexp(0, z)).sum() / (
            1 - 2 * flip
        )
        slope = (-(1 - flip) * expit(-z) - flip * expit(z)) / (1 - 2 * flip)
        return value + LEAST_RIDGE / 2 * theta @ theta, slope @ seen + LEAST_RIDGE * theta

    found = minimize(loss, np.zeros(pairs.shape[1]), jac=True, method="L-BFGS-B").x
    return found * min(1.0, BOUND / np.linalg.norm(found))


def ranked_rightly(margins: np.ndarray) -> float:
    """Share of positive margins; a tie counts one half, as in ``repro accuracy``."""
    return float(((1 + np.sign(margins)) / 2).mean())


def main(fit: str, judge: str, folder: str) -> None:
    """Measure, draw, write."""
    held = [record for _, record in rows(judge, "JUDGE", ("prompt", "chosen", "rejected"))[1]]
    prompts = [one["prompt"] for one in held]
    both = [
        text_map(prompts, [one[key] for one in held], FEATURES) for key in ("chosen", "rejected")
    ]
    apart = both[0] - both[1]
    pairs = text_rows(fit, FEATURES).differences.astype(float)

    def accuracy(theta: np.ndarray) -> float:
        return ranked_rightly(apart @ theta)

    longer = ranked_rightly(np.array([len(one["chosen"]) - len(one["rejected"]) for one in held]))
    free = accuracy(without_noise(pairs, BOUND))
    found: list[tuple[str, float, float, float]] = []
    rng = np.random.default_rng(0)
    for epsilon in EPSILONS:
        for adjacency, name in ADJACENCIES.items():
            reached = []
            for _ in range(REPEATS):
                with tempfile.TemporaryDirectory() as ledger:
                    made = repro.private_reward(
                        fit, epsilon, DELTA, BOUND, adjacency=adjacency, num_features=FEATURES,
                        size=2000, ledger=f"{ledger}/ledger",
                    )  # fmt: skip
                reached.append(accuracy(made.theta))
            found.append((name, epsilon, float(np.mean(reached)), float(np.std(reached))))
        reached = [accuracy(label_private(pairs, epsilon, rng)) for _ in range(REPEATS)]
        label = "labels only (randomized response)"
        found.append((label, epsilon, float(np.mean(reached)), float(np.std(reached))))
    found += [
        ("not private", float("inf"), free, 0.0),
        ("the longer reply", float("inf"), longer, 0.0),
    ]
    place = Path(folder)
    with (place / "private_reward.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("what", "epsilon", "held_out_accuracy", "deviation_of_one_release"))
        table.writerows((name, *(f"{one:.4g}" for one in rest)) for name, *rest in found)
    _draw(found, free, longer, place / "private_reward.svg")


def _draw(found: list, free: float, longer: float, path: Path) -> None:
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    names = [*ADJACENCIES.values(), "labels only (randomized response)"]
    for number, (name, colour, mark) in enumerate(
        zip(names, ("#0072B2", "#009E73", "#D55E00"), "os^", strict=True)
    ):
        some = [one for one in found if one[0] == name]
        x = np.array([one[1] for one in some]) * 1.04 ** (number - 1)
        axes.errorbar(
            x, [one[2] for one in some], [one[3] for one in some],
            color=colour, marker=mark, capsize=3, label=name,
        )  # fmt: skip
    axes.axhline(free, color="black", linestyle="-", linewidth=1, label="not private (ε = ∞)")
    axes.axhline(longer, color="black", linestyle="--", linewidth=1, label="the longer reply")
    axes.axhline(0.5, color="grey", linestyle=":", linewidth=1, label="a coin")
    axes.set_xscale("log", base=2)
    axes.set_xticks(EPSILONS, [f"{one:g}" for one in EPSILONS])
    axes.set_xlabel("ε (δ = 1e-6; for labels only δ = 0)")
    axes.set_ylabel("held-out accuracy")
    axes.legend(fontsize=8, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(f"usage: {(__doc__ or '').splitlines()[2].strip()}")
    main(*sys.argv[1:])
