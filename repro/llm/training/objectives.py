"""What a policy is trained for: an implicit reward difference, and a loss on it.

KL-regularisation alone gives kl_weight·Δ log(π/π_ref) (DPO, rDPO); with χ² beside it the link is
φ(u) = u + log u, so the linear term u = π/π_ref joins (P2, Algorithm 1, line 2).  PrivχPO takes the
mixture likelihood of private labels, SquareχPO the square of 2σ(Δ) − 1 − c(ε)·z.

Differences are of log u of a whole response, in nats, any shape: ``first_log_ratio`` of the one
that label +1 prefers, ``second_log_ratio`` of the other.  ``kl_weight`` is β of P2 and P4,
``reward_bound`` R_max; one that is not a finite number above 0 raises ``BadInput``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.llm.training.losses import debiased_loss, log_loss, mixture_loss, square_loss

Difference = Callable[[Tensor, Tensor], Tensor]
"""log π/π_ref of the first and of the second responses → reward difference."""
Loss = Callable[[Tensor, Tensor], Tensor]
"""(reward difference, label) → loss, pair by pair."""


@dataclass(frozen=True)
class Objective:
    """An implicit reward difference and a loss on it."""

    difference: Difference
    loss: Loss


def objective(
    name: str, epsilon: float, kl_weight: float, reward_bound: float = math.nan
) -> Objective:
    """One of the objectives that are compared.

    Args:
        name: ``private``, ``square``, ``rdpo`` or ``dpo``.
        epsilon: ε of the labels, in (0, inf]; at inf all take labels as clean.
        kl_weight: β of P2 and P4.
        reward_bound: R_max, which χPO needs.
    """
    dpo = partial(dpo_reward_difference, kl_weight=kl_weight)
    if name == "dpo":
        return Objective(dpo, log_loss)
    if name == "rdpo":
        return Objective(dpo, partial(debiased_loss, epsilon=epsilon))
    loss = {"private": mixture_loss, "square": square_loss}[name]
    chipo = partial(chipo_reward_difference, kl_weight=kl_weight, reward_bound=reward_bound)
    return Objective(chipo, partial(loss, epsilon=epsilon))


LOG_RATIO_LIMIT = 80.0
"""log u beyond which the linear term is held: exp(80) is finite in float32 and in bfloat16."""


def dpo_reward_difference(
    first_log_ratio: Tensor, second_log_ratio: Tensor, kl_weight: float
) -> Tensor:
    """kl_weight·(log u₁ − log u₂), u = π/π_ref of a whole response (P4, eq. 16)."""
    return _positive("kl_weight", kl_weight) * (first_log_ratio - second_log_ratio)


def chipo_reward_difference(
    first_log_ratio: Tensor, second_log_ratio: Tensor, kl_weight: float, reward_bound: float
) -> Tensor:
    """clip(kl_weight·(φ(u₁) − φ(u₂))) to ±2·reward_bound (P2, Algorithms 1 and 3).

    Where the clip binds the gradient is 0, as in the paper.  Beyond log u = 80 the linear term
    grows no further; its sign stays right, where exp(log u₁) − exp(log u₂) gives inf − inf.
    Half precision cannot hold exp(80): pass float32, bfloat16 or wider.
    """
    limit = 2 * _positive("reward_bound", reward_bound)
    linear = _ratio_difference(first_log_ratio, second_log_ratio)
    difference = linear + (first_log_ratio - second_log_ratio)
    return (_positive("kl_weight", kl_weight) * difference).clamp(-limit, limit)


def _ratio_difference(first_log_ratio: Tensor, second_log_ratio: Tensor) -> Tensor:
    """u₁ − u₂ in units of the larger, then scaled by it: the sign survives any size."""
    largest = torch.maximum(first_log_ratio, second_log_ratio).detach()
    scaled = (first_log_ratio - largest).exp() - (second_log_ratio - largest).exp()
    return largest.clamp(max=LOG_RATIO_LIMIT).exp() * scaled


def _positive(key: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise BadInput(key, value, "allowed: a finite number above 0")
    return value
