"""The pessimism bonus Γ_n of Algorithm 1 (P1, eq. 10)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from repro.base.notation import privacy_cost


def squared_bonus(
    concentrability: Tensor,
    reward_bound: float,
    epsilon: float,
    log_covering: float,
    n_pairs: int | Tensor,
    failure_prob: float,
    net_radius: float,
    scale: float,
) -> Tensor:
    """Γ_n² = D²·c·e^B/(2α−1)²·(log(N(τ)/δ)/n + τ) (P1, eq. 10).

    Args:
        concentrability: D²(s, a), any shape.
        reward_bound: B.
        epsilon: privacy budget in (0, inf].
        log_covering: log N(τ).
        n_pairs: n, or a tensor that broadcasts against ``concentrability``.
        failure_prob: δ in (0, 1).
        net_radius: τ.
        scale: the unspecified constant c.
    """
    complexity = (log_covering - math.log(failure_prob)) / n_pairs + net_radius
    factor = scale * math.exp(reward_bound) * privacy_cost(epsilon) ** 2
    return concentrability * (factor * complexity)


def bonus(*args, **kwargs) -> Tensor:
    """Γ_n, the root of ``squared_bonus``."""
    return torch.sqrt(squared_bonus(*args, **kwargs))
