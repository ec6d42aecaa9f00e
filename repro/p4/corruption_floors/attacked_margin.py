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
import scipy
import torch
from scipy.special import expit, logit

from repro.base.schema import Positive
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.debiased_mle.labels import AttackedLabels, worth_of_flip
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.minimax.modulus import saturation
from repro.worlds.instances.labelled import PrivateLabels

MASSES = np.geomspace(0.05, 1000.0, 60)
"""y = m/(ζα) of the ladder."""
MARGINS = np.linspace(0.0625, 1.0, 16)
"""t/B′ of the ladder."""
FINE_MASSES, FINE_MARGINS = np.geomspace(0.5, 1000.0, 1500), np.linspace(0.005, 1.0, 200)
"""The same where the supremum over all is looked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginLadder(PrivateLabels, AttackedLabels):
    """Infinitely many labels of pairs of every mass and margin of a ladder.

    Attributes:
        reward_bound: B′, the largest margin.
        claimed_order: of corruption and privacy; the masses are in units of its ζα.
        believed: share of labels that Γ is set for, in units of α.
        fine: whether the ladder is fine enough for the supremum, half a percent apart.
    """

    reward_bound: Positive
    claimed_order: Order
    believed: Positive = 1.0
    fine: bool = False

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0

    @property
    def claimed_moved(self) -> float:
        """ζα that the ladder of masses is built around."""
        return self.corruption * worth_of_flip(self.claimed_order, self.epsilon)

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) masses and margins."""
        masses, margins = (FINE_MASSES, FINE_MARGINS) if self.fine else (MASSES, MARGINS)
        return _ladder(self.reward_bound, self.claimed_moved, masses, margins)


def attacked_floor(world: MarginLadder, rng: Any = None, replicates: int = 1) -> float:
    """Largest SubOpt/√κ = √m·t on the ladder, Algorithm 2 with η = 1; NaN where the worst mass is
    an end.

    Γ is calibrated: the least that covers θ_true on every rung when a share ``believed`` of labels
    is corrupted by the world's own stages.  A margin is lost where the attacked estimate stays
    below Γ/√m, the reach of the set.
    """
    mass, margin = world.cells
    width = _width(mass, margin, _attacked(replace(world, spent=world.believed)))
    return _floor(mass, margin, _attacked(world), width)


@lru_cache(maxsize=64)
def floor_constant(reward_bound: float) -> float:
    """The floor over √(ζα), from the attacked win rate σ(t) − 1/y on the same ladder.

    It is the largest on the ladder, a few per cent below ``floor_supremum``: 6.560 for 6.792 at
    B′ = 2.
    """
    mass, margin = _ladder(reward_bound, 1.0)
    win = np.clip(expit(margin) - 1 / mass, *expit([-reward_bound, reward_bound]))
    attacked = logit(win)
    return _floor(mass, margin, attacked, _width(mass, margin, attacked))


@lru_cache(maxsize=64)
def floor_supremum(reward_bound: float) -> float:
    """The same over all masses and margins: sup of t/√u, u = 1/y.

    A margin t is lost from the u on at which logit(σ(t) − u) = √(g·u), as Γ = √(ζα·g).  The largest
    margin is the costliest for B′ from .01 to 20, where all of a fine ladder were tried.

    >>> round(floor_supremum(2.0), 4)
    6.7918
    """
    most = saturation(reward_bound)

    def reached(margin: float) -> float:
        win = float(expit(margin))
        end = win - float(expit(-reward_bound))  # there the estimate is −B′
        left = lambda u: float(logit(win - u)) - math.sqrt(most * u)  # noqa: E731
        root: Any = scipy.optimize.brentq(left, 1e-15, end, xtol=1e-15)
        return margin / math.sqrt(root)

    return max(reached(float(t)) for t in reward_bound * FINE_MARGINS)


def _ladder(
    reward_bound: float, moved: float, masses: np.ndarray = MASSES, margins: np.ndarray = MARGINS
) -> tuple[np.ndarray, np.ndarray]:
    mass, margin = np.meshgrid(moved * masses, margins * reward_bound, indexing="ij")
    return mass.ravel(), margin.ravel()


def _width(mass: np.ndarray, margin: np.ndarray, attacked: np.ndarray) -> float:
    """Largest ‖θ̂ − θ_true‖ in Σ of the ladder."""
    return float((np.sqrt(mass) * np.abs(attacked - margin)).max())


def _floor(mass: np.ndarray, margin: np.ndarray, attacked: np.ndarray, width: float) -> float:
    lost = attacked <= width / np.sqrt(mass)
    masses = len(np.unique(mass))
    by_mass = np.where(lost, np.sqrt(mass) * margin, 0.0).reshape(masses, -1).max(axis=1)
    worst = int(by_mass.argmax())
    return float(by_mass[worst]) if 0 < worst < masses - 1 else math.nan


def _attacked(world: MarginLadder) -> np.ndarray:
    """(P,) margins as estimated under the attack that lowers them."""
    mass, margin = (torch.from_numpy(x)[:, None] for x in world.cells)
    unit = torch.ones(1, 1, dtype=torch.float64)
    target = LogisticTarget.signed(unit, mass, world.reward_bound, -unit[None])
    counts = LabelCounts(mass, mass * world.labels(torch.sigmoid(margin)))
    seen = world.passage(target).apply(None, counts, world.read)
    return world.estimate(target.estimate(world.read(seen)), margin)[:, 0].numpy()
