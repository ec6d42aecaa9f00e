"""The event of P1's Lemma C.4, on which Algorithm 2's bonus is optimistic."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.pokl.runs import Round, Runs

SLACK = 1e-9
"""A deficit up to here is rounding."""


def optimism_deficit(runs: Runs, now: Round) -> Tensor:
    """(L,) max over (s, a) of r* − r̄ − c − b, above 0 where Lemma C.4's event fails.

    c(s) = E_{a~π¹}[r* − r̄]; before the first label there is no event, so −inf.
    """
    if now.time == 0:
        return torch.full_like(now.regret, -torch.inf)
    error = runs.reward - now.reward
    centred = error - (now.exploit * error).sum(-1, keepdim=True)
    return (centred - now.bonus).flatten(1).amax(-1)


def not_optimistic(runs: Runs, now: Round) -> Tensor:
    """(L,) 1.0 where the event fails."""
    return (optimism_deficit(runs, now) > SLACK).double()


def reward_differences(runs: Runs, reward: Tensor) -> Tensor:
    """(L, C) differences of rewards (L, S, A) within the instance's cells."""
    first, second = runs.linear.cells
    return (reward[:, :, first] - reward[:, :, second]).flatten(1)
