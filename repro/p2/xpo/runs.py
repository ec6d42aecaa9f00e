"""What an online learner of P2 plays, T private labels on needles, and the update that reads them.

One state, A responses, r = Δ on the first and 0 elsewhere; what is measured is a supremum over Δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from repro.base.notation import label_signal
from repro.base.schema import GridRatio, Number, Pairs, Positive, Share, Whole
from repro.base.torch_later import torch
from repro.core.check import SweptCheck
from repro.labels.corruption.label_mean import NOBODY, WorseResponse
from repro.labels.corruption.orders import Order
from repro.p2.xpo.needles import NeedleClass
from repro.p2.xpo.simulator import Objective, Pool, pooled
from repro.worlds.instances.labelled import PrivateLabels

OPTIMAL_ODDS = 2.0
"""Log odds of the best response under π*_β; kl_weight is the reward gap over the tilt to them."""
OPTIMISM_SHARE = 2.0
"""γ = share·β·c(ε)/√T: near the best of a sweep (check gamma_sweep of private_xpo)."""


# What the learner does ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Update:
    """An objective and what is wrong with it.

    Attributes:
        objective: what an update minimises.
        blind: the loss ignores privacy: ε = ∞ in the likelihood, c = 1 in the square loss.
        flipped: labels enter with the wrong sign.
        other_order: the adversary acts on the other side of the randomizer.
        optimism: multiples of the world's γ; the best in hindsight counts.
        times: multiple of T and n that it is given.
        pool: what it makes of offline and online labels.
    """

    objective: Objective
    blind: bool = False
    flipped: bool = False
    other_order: bool = False
    optimism: tuple[float, ...] = (1.0,)
    times: int = 1
    pool: Pool = pooled


# What it plays -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RewardLadder:
    """Reward gaps from low to high in equal ratios.

    Attributes:
        low, high: the smallest and the largest, low < high ≤ 1.
        rungs: how many.
    """

    low: Positive
    high: Annotated[Number, Field(gt=0, le=1)]
    rungs: Annotated[Whole, Field(ge=3, le=100)]

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise ValueError("low below high")

    def values(self) -> np.ndarray:
        """(M,) the reward gaps."""
        return np.geomspace(self.low, self.high, self.rungs)


@dataclass(frozen=True, kw_only=True)
class EveryReward:
    """T rounds at every reward gap of a ladder, of which the worst counts.

    Attributes:
        horizon: T.
        ladder: of reward gaps.
    """

    horizon: Pairs
    ladder: RewardLadder

    @property
    def rounds(self) -> int:
        return self.horizon

    @property
    def rewards(self) -> np.ndarray:
        return self.ladder.values()


@dataclass(frozen=True, kw_only=True)
class NeedleRuns(PrivateLabels):
    """T private labels of needle policies; kl_weight is in proportion to the reward gap.

    Worlds are equal where all fields are, so that a worst rung is looked for once.  The stage
    ``estimate`` is (what an update minimises, true gaps) → what it minimises.

    Attributes:
        num_actions: A.
        best_share: π_ref of the best response, where it is not 1/A.
        grid_ratio: of the times at which policies change.
        adversary: who corrupts labels.
        order: whether before (CTL) or after (LTC) they are randomized.
        optimism: multiple of γ: 1 as tuned, 0 no optimism, −1 pessimism.
    """

    num_actions: Annotated[Whole, Field(ge=2, le=10**4)] = 2
    best_share: Share | None = None
    grid_ratio: GridRatio
    adversary: WorseResponse = NOBODY
    idle_adversary: ClassVar[Any] = NOBODY
    order: Order = Order.CTL
    optimism: float = 1.0

    @property
    def rounds(self) -> int:
        """T."""
        raise NotImplementedError

    @property
    def rewards(self) -> np.ndarray:
        """(M,) reward gaps Δ, of which the worst counts."""
        raise NotImplementedError

    @property
    def offline(self) -> int:
        """Labels of pairs of π_ref that are there before the first round."""
        return 0

    def policies(self, device: str = "cpu") -> NeedleClass:
        """Policies with log odds of the best response from −4, or 4 below π_ref, to 4.

        In steps of ½ from −4 on, of 2 below: there policies hardly differ.
        """
        share = 1 / self.num_actions if self.best_share is None else self.best_share
        away = math.log(1 / share - 1)
        far = torch.arange(math.floor(-4 - away), -4, 2, dtype=torch.float64) if away > 4 else None
        near = torch.linspace(-4, 4, 17, dtype=torch.float64)
        log_odds = near if far is None else torch.cat([far, near])
        return NeedleClass(self.num_actions, log_odds.to(device) + away, OPTIMAL_ODDS + away, share)

    def weight(self, reward: float, times: int) -> float:
        """γ/β where the reward gap is ``reward`` and T is so many times as large."""
        return OPTIMISM_SHARE / (label_signal(self.epsilon) * math.sqrt(times * self.rounds))

    def more_labels(self, other: PrivateLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


@dataclass(frozen=True, kw_only=True)
class Needles(EveryReward, NeedleRuns):
    """T rounds of needle policies at every reward gap of a ladder."""


# What the theorems assume ------------------------------------------------------------------------


def value_bound(world: NeedleRuns, reward: float) -> float:
    """V_max of the class: the largest |β·log π/π_ref| where R_max is |``reward``|."""
    policies = world.policies()
    ratio = (policies.table() / policies.reference).log().abs().max()
    return abs(reward / policies.optimal_tilt) * float(ratio)


def realizable(world: NeedleRuns) -> bool:
    """Assumption 4.5: π*_β is in the class."""
    policies = world.policies()
    return bool((policies.tilts == policies.optimal_tilt).any())


def assumed(swept: SweptCheck):
    """Assumptions 4.5 and 4.6: π*_β is in the class, implicit rewards stay below V_max."""
    world = swept.sweep.worlds[0]
    high = float(world.rewards.max())
    value = value_bound(world, high)
    words = f"implicit rewards ≤ {value:.3g}, rewards ≤ {high:.3g}"
    yield "realizable, bounded", realizable(world) and value <= 3 * high, words
