"""Policy optimisation without a policy gradient: reweight K responses of the reference.

π(a|s) ∝ π_ref(a|s)·exp(r(s, a)/kl_weight) (P1, eq. 5) on responses drawn from π_ref is a softmax
of the rewards alone; exact as K → ∞, and self-normalised, hence biased by O(1/K), before.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from repro.base.errors import BadInput


def gibbs_weights(reward: Tensor, kl_weight: float) -> Tensor:
    """Weights of K responses drawn from the reference, duplicates kept.

    Args:
        reward: (..., K) of each response, pessimism already taken off.
        kl_weight: P1's 1/β, above 0; large returns 1/K each, small the best response.

    Returns:
        (..., K) in [0, 1], summing to 1.

    Raises:
        BadInput: kl_weight is not a positive number, or there are no responses.
    """
    if not (math.isfinite(kl_weight) and kl_weight > 0):
        raise BadInput("kl_weight", kl_weight, "allowed: a finite number above 0")
    if reward.ndim == 0 or reward.shape[-1] == 0:
        raise BadInput("reward", tuple(reward.shape), "allowed: (..., K) with K > 0")
    return torch.softmax(reward / kl_weight, dim=-1)


def effective_samples(weights: Tensor) -> Tensor:
    """(...,) 1/Σw², between 1 and K: how many responses the weights (..., K) rest on.

    Near 1 the reweighted policy is the best of K, not the Gibbs policy.
    """
    return 1 / weights.square().sum(-1)
