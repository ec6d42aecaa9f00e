"""The Gibbs policy of a reward, the maximiser of the KL-regularised objective."""

from __future__ import annotations

import torch
from torch import Tensor


def gibbs_policy(reference: Tensor, reward: Tensor, kl_weight: float | Tensor) -> Tensor:
    """π(a|s) ∝ π_ref(a|s)·exp(r(s, a)/kl_weight) (P1, eq. 5).

    Args:
        reference: (S, A) positive, rows summing to 1.
        reward: (..., S, A).
        kl_weight: > 0, a number or a tensor that broadcasts with the reward; to infinity it
            returns the reference, to 0 the argmax.
    """
    return torch.softmax(torch.log(reference) + reward / kl_weight, dim=-1)
