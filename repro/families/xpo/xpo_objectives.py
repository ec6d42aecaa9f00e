"""What PrivXPO and SquareXPO minimise (P2, Algorithms 2 and 4), as printed and as corrected."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from repro.families.xpo.worlds import NeedleClass, PairCounts, XpoLanes

Score = Callable[[PairCounts], Tensor]
"""(L, A, U) what a policy update minimises, given the counts so far."""

Objective = Callable[[NeedleClass, XpoLanes], Score]
"""Prepares what does not depend on the counts."""


def optimism(policies: NeedleClass, lanes: XpoLanes) -> Score:
    """(L, A, U) γ·Σ log π(τ̃_i) (P2, Algorithms 2 and 4)."""
    tilts, log_normaliser = policies.tilts, policies.log_normaliser
    weight = lanes.optimism_weight[:, None, None]

    def score(counts: PairCounts) -> Tensor:
        total = counts.baseline.sum(dim=1)[:, None, None]
        log_prob = counts.baseline[:, :, None] * tilts
        return log_prob.sub_(total * log_normaliser).mul_(weight)

    return score


def log_objective(policies: NeedleClass, lanes: XpoLanes) -> Score:
    """γ·Σ log π(τ̃_i) − c(ε)²·Σ log[(2σ(ε)−1)·P + 1 − σ(ε)] (P2, Algorithm 2, step 14)."""
    signal = lanes.believed_signal[:, None]
    shape = signal * torch.tanh(lanes.kl_weight[:, None] * policies.tilts / 2)
    on_win, on_loss = torch.log1p(shape)[:, None], torch.log1p(-shape)[:, None]
    scale, hopeful = signal[..., None] ** 2, optimism(policies, lanes)

    def score(counts: PairCounts) -> Tensor:
        log_likelihood = counts.wins[:, :, None] * on_win
        log_likelihood += (counts.pairs - counts.wins)[:, :, None] * on_loss
        return hopeful(counts).sub_(log_likelihood.div_(scale))

    return score


def square_loss(policies: NeedleClass, lanes: XpoLanes) -> Score:
    """(L, A, U) Σ [2P − 1 − c(ε)·z]² up to a constant (P2, Algorithm 4, step 14)."""
    mean = torch.tanh(lanes.kl_weight[:, None] * policies.tilts / 2)[:, None]
    cost = 1 / lanes.believed_signal[:, None, None]
    squared, pull = mean.square(), 2 * cost * mean

    def score(counts: PairCounts) -> Tensor:
        label_sum = (2 * counts.wins - counts.pairs)[:, :, None]
        return (counts.pairs[:, :, None] * squared).sub_(pull * label_sum)

    return score


def square_objective(policies: NeedleClass, lanes: XpoLanes) -> Score:
    """γ·Σ log π(τ̃_i) + the square loss: Algorithm 4 with its sign corrected."""
    hopeful, loss = optimism(policies, lanes), square_loss(policies, lanes)
    return lambda counts: hopeful(counts).add_(loss(counts))


def printed_square_objective(policies: NeedleClass, lanes: XpoLanes) -> Score:
    """γ·Σ log π(τ̃_i) − the square loss: Algorithm 4, step 15, as printed."""
    hopeful, loss = optimism(policies, lanes), square_loss(policies, lanes)
    return lambda counts: hopeful(counts).sub_(loss(counts))
