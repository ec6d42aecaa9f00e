"""How the class of rewards shapes regret before its limit: ball, box, finite classes.

    python -m tools.class_transients_online [REPLICATES]

prints the two tables of docs/explanations/reward_classes.md about Algorithm 2 at ε = 1 on the world
of ``log_regret``: t·regret of the exploitation policy alone over its limit for a class with a
neighbourhood of the truth, and regret up to T with each class's own Γ_T over the ball's.
"""

from __future__ import annotations

import sys

import numpy as np

from repro.p1.pokl.algorithms import without_exploration
from repro.p1.pokl.chosen import ChosenClass
from repro.p1.pokl.curves import RegretCurve, simulate, total_limit
from repro.p1.pokl.run import OnlineRun
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.policies.reward_class import BALL, RewardClass
from theorems.log_regret import InClass
from tools.class_transients import CLASSES as ALL_CLASSES
from tools.class_transients import EPSILON

CLASSES = {name: one for name, one in ALL_CLASSES.items() if name != "finite, 10000"}
SIZES = (100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
INSTANCE = LinearChoice(
    kind="linear", num_states=6, num_actions=4, num_features=4, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip
"""That of conf/instance/linear.yaml."""


def run(chosen: RewardClass, horizon: int) -> OnlineRun:
    """The class's own Γ_T, with the constants of conf/theorem/log_regret.yaml."""
    # fitted as a chosen class, the ball too: all classes by the same code
    return InClass(
        instance=INSTANCE, epsilon=EPSILON, horizon=horizon, failure_prob=0.05, net_radius=1e-6,
        scale=0.1, ridge=1.0, grid_ratio=10**0.5, reward_class=chosen, rewards=ChosenClass(chosen),
    )  # fmt: skip


def curve(world: OnlineRun, replicates: int) -> RegretCurve:
    """Runs of Algorithm 2."""
    return simulate([world], replicates, np.random.default_rng(world.horizon))[0]


def estimation(chosen: RewardClass, replicates: int) -> list[np.ndarray]:
    """(R,) t·regret after t labels over its limit, without a bonus, at every size."""
    alone = [without_exploration(run(chosen, size)) for size in SIZES]
    limit = total_limit(without_exploration(run(BALL, 1)))
    return [one.horizon * curve(one, replicates).regret[-1] / limit for one in alone]


def regrets(chosen: RewardClass, replicates: int) -> list[np.ndarray]:
    """(R,) regret up to every size, each with its Γ_T."""
    return [curve(run(chosen, size), replicates).cumulative[-1] for size in SIZES]


def table(values: dict[str, list[tuple[float, float]]], letter: str) -> str:
    """Means and standard errors, one line a class."""
    sizes = " | ".join(f"{letter} = {size:.0e}".replace("e+0", "e") for size in SIZES)
    lines = [f"| class | {sizes} |", "|---" * (len(SIZES) + 1) + "|"]
    for name, row in values.items():
        cells = " | ".join(f"{mean:.3f} ± {error:.3f}" for mean, error in row)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def _mean(values: np.ndarray, unit: float = 1.0) -> tuple[float, float]:
    return float(values.mean()) / unit, float(values.std(ddof=1)) / unit / len(values) ** 0.5


def tables(replicates: int) -> tuple[str, str]:
    """Both tables."""
    alone = {name: [_mean(v) for v in estimation(c, replicates)] for name, c in CLASSES.items()}
    found = {name: regrets(chosen, replicates) for name, chosen in CLASSES.items()}
    units = [float(one.mean()) for one in found["ball"]]
    shares = {
        name: [_mean(v, unit) for v, unit in zip(row, units, strict=True)]
        for name, row in found.items()
    }
    return table(alone, "t"), table(shares, "T")


if __name__ == "__main__":
    print(*tables(int(sys.argv[1]) if len(sys.argv) > 1 else 400), sep="\n\n")
