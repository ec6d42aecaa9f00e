"""Settings of simulated runs of Algorithm 2 (POKL-RLHF, P1), one batch entry per run.

Replicates and settings share the leading axis of every tensor, so one call simulates both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from repro.base.notation import label_signal


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
        corruption: Huber share α of labels from an adversary who prefers the worse response.
        after_privacy: the adversary acts after randomized response (P2's LTC), not before (CTL).
    """

    epsilon: float
    kl_weight: float
    bonus_weight: float
    bonus_cap: float = 1.0
    ridge: float = 1.0
    believed_epsilon: float | None = None
    played_kl_weight: float | None = None
    corruption: float = 0.0
    after_privacy: bool = False

    @property
    def label_mean(self) -> tuple[float, float]:
        """(scale, offset): E[z] = scale·h − offset·sign(h), h the clean label's mean."""
        signal = label_signal(self.epsilon)
        reach = 1.0 if self.after_privacy else signal
        return signal * (1 - self.corruption), reach * self.corruption


@dataclass(frozen=True, eq=False)
class RunBatch:
    """Settings as (L,) float64 tensors, L = settings × replicates.

    Attributes:
        label_scale: E[z] = label_scale·h − label_offset·sign(h), h the clean label's mean; without
            corruption it is 2α−1 …
        label_offset: … and 0.
        believed_signal: 2α−1 that least squares assumes.
        kl_weight: weight of KL in the objective.
        played_kl_weight: the weight policies are computed with.
        bonus_weight: Γ_T.
        bonus_cap: largest bonus.
        ridge: λ.
    """

    label_scale: Tensor
    label_offset: Tensor
    believed_signal: Tensor
    kl_weight: Tensor
    played_kl_weight: Tensor
    bonus_weight: Tensor
    bonus_cap: Tensor
    ridge: Tensor

    def __len__(self) -> int:
        return len(self.label_scale)


def make_batch(settings: Sequence[RunSetting], replicates: int, device: str = "cpu") -> RunBatch:
    """Every setting ``replicates`` times, setting by setting.

    Args:
        settings: M ≥ 1 settings.
        replicates: R ≥ 1.
        device: torch device.
    """

    def column(values: Sequence[float]) -> Tensor:
        one_each = torch.tensor(values, dtype=torch.float64, device=device)
        return one_each.repeat_interleave(replicates)

    believed = [s.epsilon if s.believed_epsilon is None else s.believed_epsilon for s in settings]
    return RunBatch(
        label_scale=column([s.label_mean[0] for s in settings]),
        label_offset=column([s.label_mean[1] for s in settings]),
        believed_signal=column([label_signal(epsilon) for epsilon in believed]),
        kl_weight=column([s.kl_weight for s in settings]),
        played_kl_weight=column([s.played_kl_weight or s.kl_weight for s in settings]),
        bonus_weight=column([s.bonus_weight for s in settings]),
        bonus_cap=column([s.bonus_cap for s in settings]),
        ridge=column([s.ridge for s in settings]),
    )
