"""Algorithms 2 and 4 of P2 (PrivXPO, SquareXPO) over needle policies, many runs at once.

One state, A responses, π_ref uniform, r = Δ on the first response and 0 elsewhere.  The policy
class raises the odds of one response: π_{j,u}(a) ∝ exp(u·1{a = j}).  Its implicit rewards are
kl_weight·u on response j, so pair counts of each response against all others are all that the
losses see, and a block of rounds under frozen policies is one multinomial and one binomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from repro.families.xpo.worlds import NeedleClass, PairCounts, XpoLanes
from repro.families.xpo.xpo_objectives import Objective
from repro.preferences.block_draws import Draws


def average_gap(
    policies: NeedleClass,
    lanes: XpoLanes,
    objective: Objective,
    times: Sequence[int],
    draws: Draws,
) -> Tensor:
    """(L,) mean over rounds of J_β(π*) − J_β(π^(t)), what the proof of Theorem 4.8 bounds.

    Args:
        policies: Π.
        lanes: settings.
        objective: what an update minimises.
        times: 0, then the rounds after which policies change, last the horizon.
        draws: source of randomness.
    """
    actions, device = policies.num_actions, policies.tilts.device
    gap, prob = policies.divergence().flatten(), policies.table()
    score, play = objective(policies, lanes), _Play(lanes, actions, draws)
    zeros = torch.zeros(len(lanes), actions, dtype=policies.tilts.dtype, device=device)
    counts, current_prob = PairCounts(zeros, zeros, zeros), torch.full_like(zeros, 1 / actions)
    neutral = torch.zeros(1, dtype=policies.tilts.dtype, device=device)
    first = NeedleClass(actions, neutral, policies.optimal_tilt).divergence()[0]
    current, total = first.expand(len(lanes)), torch.zeros_like(zeros[:, 0])
    for time, later in pairwise(times):
        total = total + (later - time) * current
        counts = counts.plus(play.block(current_prob, later - time))
        found = score(counts).flatten(1).argmin(dim=1)
        current_prob, current = prob[found], gap[found]
    return lanes.kl_weight * total / times[-1]


class _Play:
    """Blocks of rounds under frozen policies; what does not change between blocks is kept."""

    def __init__(self, lanes: XpoLanes, actions: int, draws: Draws) -> None:
        self._actions, self._draws = actions, draws
        self._win_prob = _win_prob(lanes, actions)
        self._sums = _sums(actions, self._win_prob)

    def block(self, prob: Tensor, rounds: int) -> PairCounts:
        """Counts of a block: τ ~ π, τ̃ ~ π_ref, a label on each pair of different responses."""
        joint = (prob[:, :, None] / self._actions).expand(-1, -1, self._actions).flatten(1)
        drawn = self._draws.counts(rounds, joint)
        wins = self._draws.binomial(drawn, self._win_prob)
        found = torch.cat([drawn, wins], dim=1) @ self._sums
        pairs, won, baseline = found.split(self._actions, dim=1)
        return PairCounts(pairs, won, baseline)


def _sums(actions: int, like: Tensor) -> Tensor:
    """(2A², 3A) of 0, 1 and −1: from counts and wins of (τ, τ̃) to pairs, wins, baseline.

    Sums of whole numbers below 2^53 are exact in any order.
    """
    one = torch.eye(actions, dtype=like.dtype, device=like.device)
    first = one.repeat_interleave(actions, dim=0)
    second = one.repeat(actions, 1)
    different = 1 - (first * second).sum(dim=1, keepdim=True)
    first, others = first * different, second * different
    from_drawn = torch.cat([first + others, others, second], dim=1)
    from_wins = torch.cat([torch.zeros_like(first), first - others, torch.zeros_like(first)], dim=1)
    return torch.cat([from_drawn, from_wins])


def _win_prob(lanes: XpoLanes, actions: int) -> Tensor:
    """(L, A²) P(z prefers τ over τ̃)."""
    reward = torch.zeros(actions, dtype=lanes.reward_gap.dtype, device=lanes.reward_gap.device)
    reward[0] = 1
    difference = (reward[:, None] - reward[None, :]).flatten()
    clean = torch.tanh(lanes.reward_gap[:, None] * difference / 2)
    mean = lanes.label_scale[:, None] * clean - lanes.label_offset[:, None] * difference
    return (1 + mean) / 2
