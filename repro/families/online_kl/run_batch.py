"""Simulated runs of Algorithm 2 (POKL-RLHF, P1), one batch entry per run.

Replicates and settings share the leading axis of every tensor, so one call simulates both.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, eq=False)
class RunBatch:
    """Settings as (L,) float64 tensors, L = settings × replicates.

    Attributes:
        replicates: runs of each setting; they lie side by side.
        label_scale: E[z] = label_scale·h − label_offset·s + label_shift, h the mean of a clean
            label and s the sign of its reward difference; under randomized response alone it is
            2α−1 …
        label_offset: … and 0 …
        label_shift: … and 0.
        believed_signal: 2α−1 that least squares assumes.
        kl_weight: weight of KL in the objective.
        played_kl_weight: the weight policies are computed with.
        bonus_weight: Γ_T.
        bonus_cap: largest bonus.
        ridge: λ.
    """

    replicates: int
    label_scale: Tensor
    label_offset: Tensor
    label_shift: Tensor
    believed_signal: Tensor
    kl_weight: Tensor
    played_kl_weight: Tensor
    bonus_weight: Tensor
    bonus_cap: Tensor
    ridge: Tensor

    def __len__(self) -> int:
        return len(self.label_scale)
