"""Pessimistic RLHF under attack where a pair is rare: the floor of P4's Theorem 6.1 as a number.

One state, two responses, a pair of mass m and a margin t.  The strong adversary spends everything
on the pair, so the debiased win rate is σ(t) − ζα/m.  In m = ζα·y nothing else depends on ζα:
floors are √(ζα) times a constant of B′, the √α and √c(ε) of the regime without coverage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.special import expit, logit

from repro.families.robust.attack_targets import LogisticTarget
from repro.families.robust.cases import RobustCase
from repro.preferences.label_counts import LabelCounts

MASSES = np.geomspace(0.05, 1000.0, 60)
"""y = m/(ζα) of the ladder."""
MARGINS = np.linspace(0.0625, 1.0, 16)
"""t/B′ of the ladder."""


@dataclass(frozen=True, eq=False)
class MarginLadder:
    """Pairs of every mass and margin of a ladder.

    Attributes:
        reward_bound: B′, the largest margin.
        moved: ζα that the ladder of masses is built around.
    """

    reward_bound: float
    moved: float

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) masses and margins."""
        return _ladder(self.reward_bound, self.moved)


@dataclass(frozen=True, eq=False, kw_only=True)
class LadderCase(RobustCase[MarginLadder]):
    """Algorithm 2 with η = 1 on a ladder, of infinitely many labels.

    Attributes:
        believed: α that Γ is set for.
    """

    believed: float


def attacked_floor(case: LadderCase, rng: Any = None, replicates: int = 1) -> float:
    """Largest SubOpt/√κ = √m·t on the ladder; NaN where the worst mass is an end.

    Γ is calibrated: the least that covers θ_true on every rung when a share ``believed`` of labels
    is corrupted by the case's own stages.  A margin is lost where the attacked estimate stays
    below Γ/√m, the reach of the set.
    """
    mass, margin = case.world.cells
    width = _width(mass, margin, _attacked(replace(case, corruption=case.believed)))
    return _floor(mass, margin, _attacked(case), width)


@lru_cache(maxsize=64)
def floor_constant(reward_bound: float) -> float:
    """The floor over √(ζα), from the attacked win rate σ(t) − 1/y on the same ladder.

    It is the largest on the ladder, a few per cent below the supremum over all masses and margins:
    6.560 for 6.792 at B′ = 2.
    """
    mass, margin = _ladder(reward_bound, 1.0)
    win = np.clip(expit(margin) - 1 / mass, *expit([-reward_bound, reward_bound]))
    attacked = logit(win)
    return _floor(mass, margin, attacked, _width(mass, margin, attacked))


def _ladder(reward_bound: float, moved: float) -> tuple[np.ndarray, np.ndarray]:
    mass, margin = np.meshgrid(moved * MASSES, MARGINS * reward_bound, indexing="ij")
    return mass.ravel(), margin.ravel()


def _width(mass: np.ndarray, margin: np.ndarray, attacked: np.ndarray) -> float:
    """Largest ‖θ̂ − θ_true‖ in Σ of the ladder."""
    return float((np.sqrt(mass) * np.abs(attacked - margin)).max())


def _floor(mass: np.ndarray, margin: np.ndarray, attacked: np.ndarray, width: float) -> float:
    lost = attacked <= width / np.sqrt(mass)
    by_mass = np.where(lost, np.sqrt(mass) * margin, 0.0).reshape(len(MASSES), -1).max(axis=1)
    worst = int(by_mass.argmax())
    return float(by_mass[worst]) if 0 < worst < len(MASSES) - 1 else math.nan


def _attacked(case: LadderCase) -> np.ndarray:
    """(P,) margins as estimated under the attack that lowers them."""
    mass, margin = (torch.from_numpy(x)[:, None] for x in case.world.cells)
    bound = case.world.reward_bound
    one, zero = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    target = LogisticTarget(one, mass, zero, bound, -one[None], 2 * bound)
    counts = LabelCounts(mass, mass * case.labels(torch.sigmoid(margin)))
    seen = case.passage(target).apply(None, counts, case.read)
    return case.estimate(target.estimate(case.read(seen)), margin)[:, 0].numpy()
