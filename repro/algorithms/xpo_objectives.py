"""What PrivXPO and SquareXPO minimise (P2, Algorithms 2 and 4), as printed and as corrected."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from repro.algorithms.xpo_policies import NeedleClass, PairCounts, XpoLanes

Objective = Callable[[NeedleClass, XpoLanes, PairCounts], Tensor]
"""(L, A, U) what a policy update minimises."""


def optimism(policies: NeedleClass, lanes: XpoLanes, counts: PairCounts) -> Tensor:
    """(L, A, U) γ·Σ log π(τ̃_i) (P2, Algorithms 2 and 4)."""
    total = counts.baseline.sum(dim=1)[:, None, None]
    log_prob = counts.baseline[:, :, None] * policies.tilts - total * policies.log_normaliser
    return lanes.optimism_weight[:, None, None] * log_prob


def log_objective(policies: NeedleClass, lanes: XpoLanes, counts: PairCounts) -> Tensor:
    """γ·Σ log π(τ̃_i) − c(ε)²·Σ log[(2σ(ε)−1)·P + 1 − σ(ε)] (P2, Algorithm 2, step 14)."""
    signal = lanes.believed_signal[:, None]
    shape = signal * torch.tanh(lanes.kl_weight[:, None] * policies.tilts / 2)
    losses = (counts.pairs - counts.wins)[:, :, None]
    log_likelihood = (
        counts.wins[:, :, None] * torch.log1p(shape)[:, None]
        + losses * torch.log1p(-shape)[:, None]
    )
    return optimism(policies, lanes, counts) - log_likelihood / signal[..., None] ** 2


def square_loss(policies: NeedleClass, lanes: XpoLanes, counts: PairCounts) -> Tensor:
    """(L, A, U) Σ [2P − 1 − c(ε)·z]² up to a constant (P2, Algorithm 4, step 14)."""
    mean = torch.tanh(lanes.kl_weight[:, None] * policies.tilts / 2)[:, None]
    label_sum = (2 * counts.wins - counts.pairs)[:, :, None]
    cost = 1 / lanes.believed_signal[:, None, None]
    return counts.pairs[:, :, None] * mean.square() - 2 * cost * mean * label_sum


def square_objective(policies: NeedleClass, lanes: XpoLanes, counts: PairCounts) -> Tensor:
    """γ·Σ log π(τ̃_i) + the square loss: Algorithm 4 with its sign corrected."""
    return optimism(policies, lanes, counts) + square_loss(policies, lanes, counts)


def printed_square_objective(policies: NeedleClass, lanes: XpoLanes, counts: PairCounts) -> Tensor:
    """γ·Σ log π(τ̃_i) − the square loss: Algorithm 4, step 15, as printed."""
    return optimism(policies, lanes, counts) - square_loss(policies, lanes, counts)
