"""The event of P1's Lemma C.4, on which Algorithm 2's bonus is optimistic."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.p1.pokl.curves import RegretCurve, wrong
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Round, Runs

SLACK = 1e-9
"""A deficit up to here is rounding."""
RIGHT, COVERED, FAILED = 0.0, 1.0, 2.0
"""What ``how_covered`` says of a round."""


def optimism_deficit(runs: Runs, now: Round) -> Tensor:
    """(L,) max over (s, a) of r* − r̄ − c − b, above 0 where Lemma C.4's event fails.

    c(s) = E_{a~π¹}[r* − r̄]; before the first label there is no event, so −inf.
    """
    if now.time == 0:
        return torch.full_like(now.regret, -torch.inf)
    error = runs.reward - now.reward
    centred = error - (now.exploit * error).sum(-1, keepdim=True)
    return (centred - now.bonus).flatten(1).amax(-1)


def how_covered(runs: Runs, now: Round) -> Tensor:
    """(L,) ``RIGHT`` where r̄ is r*, ``COVERED`` where it errs and the event holds, ``FAILED``."""
    errs = torch.where(wrong(runs, now), COVERED, RIGHT)
    holds = optimism_deficit(runs, now) <= SLACK  # of a NaN nothing holds
    return torch.where(holds, errs.double(), FAILED)


def fails_in_runs(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) 1.0 where the event fails at some time of a curve of ``how_covered``.

    NaN where no run's estimate was ever wrong: an event about no error says nothing.
    """
    most = curve.regret[1:].max(axis=0)
    return (most == FAILED) + (np.nan if (most == RIGHT).all() else 0.0)


def reward_differences(runs: Runs, reward: Tensor) -> Tensor:
    """(L, C) differences of rewards (L, S, A) within the instance's cells."""
    first, second = runs.linear.cells
    return (reward[:, :, first] - reward[:, :, second]).flatten(1)
