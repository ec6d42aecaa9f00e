"""How the class of rewards shapes the gap before its limit: ball, box, finite classes.

    python -m tools.class_transients [REPLICATES]

prints the table of docs/explanations/reward_classes.md: n·gap of the private MLE at ε = 1 over its
limit for a class with a neighbourhood of the truth, tr(Cov_π*·I⁻¹)/(2·kl_weight), on the linear
world of ``offline_gap``.  All classes see the same datasets.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from repro.p1.pessimism.datasets import BuiltLabels
from repro.p1.pessimism.gap_constants import gap_constant
from repro.p1.pessimism.learners import private_mle
from repro.worlds.instances.linear import LinearWorld, random_linear_world
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass, RewardClass

EPSILON = 1.0
SIZES = (100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
CLASSES: dict[str, RewardClass] = {
    "ball": BALL,
    "box": Box(),
    "box, half-width .6": Box(0.6),
    "finite, 10": FiniteClass(10),
    "finite, 100": FiniteClass(100),
    "finite, 1000": FiniteClass(1000),
    "finite, 10000": FiniteClass(10_000),
}


def world() -> LinearWorld:
    """The linear world of conf/theorem/offline_gap.yaml."""
    return random_linear_world(6, 4, 4, kl_weight=0.5, radius=1.0, theta_share=0.6, seed=1)


def scaled_gaps(n_pairs: int, replicates: int) -> dict[str, np.ndarray]:
    """(R,) n·gap over the limit by class, on the same datasets."""
    truth = world()
    rng = np.random.default_rng(n_pairs)
    source = BuiltLabels(truth=truth, n_pairs=n_pairs, epsilon=EPSILON)
    data = source.draw(rng, replicates)
    unit = gap_constant(truth, EPSILON) / n_pairs
    return {
        name: private_mle(replace(data, source=replace(source, reward_class=one))).numpy() / unit
        for name, one in CLASSES.items()
    }


def table(replicates: int) -> str:
    """Means and standard errors, one line a class."""
    found = [scaled_gaps(n, replicates) for n in SIZES]
    head = "| class | " + " | ".join(f"n = {n:.0e}".replace("e+0", "e") for n in SIZES) + " |"
    lines = [head, "|---" * (len(SIZES) + 1) + "|"]
    for name in CLASSES:
        cells = (f"{one[name].mean():.3f} ± {_error(one[name]):.3f}" for one in found)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
