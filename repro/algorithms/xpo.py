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

from repro.algorithms.xpo_objectives import Objective
from repro.algorithms.xpo_policies import NeedleClass, PairCounts, XpoLanes
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
    gap = policies.divergence()
    zeros = torch.zeros(len(lanes), actions, dtype=policies.tilts.dtype, device=device)
    counts, prob = PairCounts(zeros, zeros, zeros), torch.full_like(zeros, 1 / actions)
    neutral = torch.zeros(1, dtype=policies.tilts.dtype, device=device)
    first = NeedleClass(actions, neutral, policies.optimal_tilt).divergence()[0]
    current, total = first.expand(len(lanes)), torch.zeros_like(zeros[:, 0])
    for time, later in pairwise(times):
        total = total + (later - time) * current
        counts = counts.plus(_play(lanes, prob, later - time, draws))
        found = objective(policies, lanes, counts).flatten(1).argmin(dim=1)
        arm, tilt = found // len(policies.tilts), found % len(policies.tilts)
        prob, current = policies.probabilities(arm, tilt), gap[arm, tilt]
    return lanes.kl_weight * total / times[-1]


def _play(lanes: XpoLanes, prob: Tensor, rounds: int, draws: Draws) -> PairCounts:
    """Counts of a block: τ ~ π, τ̃ ~ π_ref, a label on each pair of different responses."""
    actions = prob.shape[1]
    joint = (prob[:, :, None] / actions).expand(-1, -1, actions).flatten(1)
    drawn = draws.counts(rounds, joint)
    wins = draws.binomial(drawn, _win_prob(lanes, actions)).reshape(-1, actions, actions)
    drawn = drawn.reshape(-1, actions, actions)
    different = 1 - torch.eye(actions, dtype=prob.dtype, device=prob.device)
    pairs, wins = drawn * different, wins * different
    return PairCounts(
        pairs=pairs.sum(2) + pairs.sum(1),
        wins=wins.sum(2) + (pairs - wins).sum(1),
        baseline=drawn.sum(1),
    )


def _win_prob(lanes: XpoLanes, actions: int) -> Tensor:
    """(L, A²) P(z prefers τ over τ̃)."""
    reward = torch.zeros(actions, dtype=lanes.reward_gap.dtype, device=lanes.reward_gap.device)
    reward[0] = 1
    difference = (reward[:, None] - reward[None, :]).flatten()
    clean = torch.tanh(lanes.reward_gap[:, None] * difference / 2)
    mean = lanes.label_scale[:, None] * clean - lanes.label_offset[:, None] * difference
    return (1 + mean) / 2
