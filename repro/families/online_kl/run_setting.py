"""Settings of Algorithm 2 (POKL-RLHF, P1), and many runs of each as one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from repro.base.notation import label_signal
from repro.corruption.label_mean import NOBODY, Adversary, LabelMean, released_mean
from repro.corruption.orders import Order
from repro.pokl.linear import LinearClass
from repro.families.online_kl.algorithms_pokl import RewardClass
from repro.families.online_kl.run_batch import RunBatch
from repro.instances.linear import LinearWorld
from repro.preferences.label_law import Channel, randomized_response

RewardsOn = Callable[[LinearWorld], RewardClass]
"""A kind of reward class, which a world makes one of."""


@dataclass(frozen=True)
class RunSetting:
    """One setting of Algorithm 2.

    Attributes:
        epsilon: privacy budget of the labels, in (0, inf].
        kl_weight: weight of KL (P1's 1/β).
        bonus_weight: Γ_T of eq. (13), constant along a run; 0 switches exploration off.
        bonus_cap: the bonus is at most this (1 as printed).
        ridge: λ of Definition 3.5.
        believed_epsilon: the budget that least squares assumes; epsilon unless given.
        played_kl_weight: the weight that policies are computed with; kl_weight unless given.
        rewards: the class that is fitted.
        channel: who randomizes labels.
        adversary: who corrupts them.
        order: whether before (CTL) or after (LTC) they are randomized.
    """

    epsilon: float
    kl_weight: float
    bonus_weight: float
    bonus_cap: float = 1.0
    ridge: float = 1.0
    believed_epsilon: float | None = None
    played_kl_weight: float | None = None
    rewards: RewardsOn = LinearClass
    channel: Channel = randomized_response
    adversary: Adversary = NOBODY
    order: Order = Order.CTL

    @property
    def label_mean(self) -> LabelMean:
        """How the mean of a label that the learner sees follows from the clean one."""
        return released_mean(self.epsilon, self.channel, self.adversary, self.order)


def make_batch(settings: Sequence[RunSetting], replicates: int, device: str = "cpu") -> RunBatch:
    """Every setting ``replicates`` times, setting by setting.

    Args:
        settings: M ≥ 1 settings of one reward class.
        replicates: R ≥ 1.
        device: torch device.
    """

    def column(values: Sequence[float]) -> Tensor:
        one_each = torch.tensor(values, dtype=torch.float64, device=device)
        return one_each.repeat_interleave(replicates)

    believed = [s.epsilon if s.believed_epsilon is None else s.believed_epsilon for s in settings]
    means = [s.label_mean for s in settings]
    return RunBatch(
        replicates=replicates,
        label_scale=column([mean.scale for mean in means]),
        label_offset=column([mean.offset for mean in means]),
        label_shift=column([mean.shift for mean in means]),
        believed_signal=column([label_signal(epsilon) for epsilon in believed]),
        kl_weight=column([s.kl_weight for s in settings]),
        played_kl_weight=column([s.played_kl_weight or s.kl_weight for s in settings]),
        bonus_weight=column([s.bonus_weight for s in settings]),
        bonus_cap=column([s.bonus_cap for s in settings]),
        ridge=column([s.ridge for s in settings]),
    )
