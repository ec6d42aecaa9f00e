"""How the class of rewards shapes regret before its limit: ball, box, finite classes.

    python -m tools.class_transients_online [REPLICATES]

prints the two tables of docs/explanations/reward_classes.md about Algorithm 2 at ε = 1 on the world
of ``log_regret``: t·regret of the exploitation policy alone over its limit for a class with a
neighbourhood of the truth, and regret up to T with each class's own Γ_T over the ball's.
"""

from __future__ import annotations

import sys

import numpy as np

from repro.families.online_kl.algorithms_pokl import Game
from repro.families.online_kl.run_setting import RunSetting, make_batch
from repro.families.online_kl.simulation import RegretCurve, simulate
from repro.pokl.bonus import confidence_weight
from repro.pokl.chosen import ChosenRewards
from repro.pokl.rate import regret_rate
from repro.policies.reward_class import RewardClass
from tools.class_transients import CLASSES as ALL_CLASSES
from tools.class_transients import EPSILON, world

CLASSES = {name: one for name, one in ALL_CLASSES.items() if name != "finite, 10000"}
SIZES = (100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
RATIO = 10**0.5
"""Of the times at which policies change."""
SCALE, NET_RADIUS, FAILURE_PROB = 0.1, 1e-6, 0.05
"""The constants of conf/theorem/log_regret.yaml."""


def curve(chosen: RewardClass, horizon: int, replicates: int, bonus: bool) -> RegretCurve:
    """Runs of Algorithm 2 with the class's own Γ_T, or without a bonus."""
    truth = world()
    rewards = ChosenRewards(truth, chosen)
    weight = confidence_weight(
        chosen.reward_bound(truth), EPSILON, rewards.log_size(NET_RADIUS), horizon,
        FAILURE_PROB, SCALE,
    )  # fmt: skip
    setting = RunSetting(EPSILON, truth.kl_weight, weight if bonus else 0.0)
    game = Game(truth, rewards, make_batch([setting], replicates))
    return simulate(game, horizon, RATIO, np.random.default_rng(horizon))


def estimation(chosen: RewardClass, replicates: int) -> list[np.ndarray]:
    """(R,) t·regret after t labels over its limit, without a bonus, at every size."""
    truth = world()
    limit = regret_rate(truth, EPSILON, truth.kl_weight, 0.0).total
    last = (curve(chosen, size, replicates, bonus=False).regret[-1, 0] for size in SIZES)
    return [size * regret / limit for size, regret in zip(SIZES, last, strict=True)]


def regrets(chosen: RewardClass, replicates: int) -> list[np.ndarray]:
    """(R,) regret up to every size, each with its Γ_T."""
    return [curve(chosen, size, replicates, bonus=True).cumulative[-1, 0] for size in SIZES]


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
