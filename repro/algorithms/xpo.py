"""Algorithms 2 and 4 of P2 (PrivXPO, SquareXPO) over needle policies, many runs at once.

One state, A responses, π_ref uniform, r = Δ on the first response and 0 elsewhere.  The policy
class raises the odds of one response: π_{j,u}(a) ∝ exp(u·1{a = j}).  Its implicit rewards are
kl_weight·u on response j, so pair counts of each response against all others are all that the
losses see, and a block of rounds under frozen policies is one multinomial and one binomial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from repro.preferences.block_draws import Draws


@dataclass(frozen=True, eq=False)
class NeedleClass:
    """Policies π_{j,u}, one response j raised by a tilt u; two responses need one j only.

    Attributes:
        num_actions: A ≥ 2.
        tilts: (U,) values of u; the optimum's is among them.
        optimal_tilt: Δ/kl_weight, the tilt of π*_β on the first response.
    """

    num_actions: int
    tilts: Tensor
    optimal_tilt: float

    @property
    def log_normaliser(self) -> Tensor:
        """(U,) log Σ_a exp(u·1{a = j})."""
        return torch.log(self.tilts.exp() + self.num_actions - 1)

    def divergence(self) -> Tensor:
        """(A, U) KL(π_{j,u}‖π*_β), which times kl_weight is the gap J_β(π*) − J_β(π)."""
        raised = (self.tilts - self.log_normaliser).exp()
        other = (-self.log_normaliser).exp()
        best = torch.tensor(self.optimal_tilt, dtype=self.tilts.dtype, device=self.tilts.device)
        base = torch.log(best.exp() + self.num_actions - 1) - self.log_normaliser
        entropy_part = raised * self.tilts + base
        on_best = entropy_part - raised * best
        elsewhere = entropy_part - other * best
        return torch.stack([on_best] + [elsewhere] * (self.num_actions - 1))

    def probabilities(self, arm: Tensor, tilt: Tensor) -> Tensor:
        """(L, A) policy of response ``arm`` (L,) raised by the tilt with index ``tilt`` (L,)."""
        logits = torch.zeros(len(arm), self.num_actions, dtype=self.tilts.dtype, device=arm.device)
        logits.scatter_(1, arm[:, None], self.tilts[tilt][:, None])
        return torch.softmax(logits, dim=1)


@dataclass(frozen=True, eq=False)
class XpoLanes:
    """Settings of L runs, (L,) tensors.

    Attributes:
        reward_gap: Δ.
        kl_weight: β.
        optimism_weight: γ.
        label_scale: E[z] = label_scale·h − label_offset·sign(h), h = tanh(±Δ/2) the clean mean …
        label_offset: … of a label on the pair; the second term is the adversary's.
        believed_signal: 2σ(ε)−1 that the loss assumes; privacy_cost is its inverse.
    """

    reward_gap: Tensor
    kl_weight: Tensor
    optimism_weight: Tensor
    label_scale: Tensor
    label_offset: Tensor
    believed_signal: Tensor

    def __len__(self) -> int:
        return len(self.reward_gap)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """What the losses see, (L, A) each.

    Attributes:
        pairs: comparisons of a response with any other.
        wins: those it won, by the labels observed.
        baseline: times π_ref drew it.
    """

    pairs: Tensor
    wins: Tensor
    baseline: Tensor

    def plus(self, other: PairCounts) -> PairCounts:
        """Both together."""
        pairs, wins = self.pairs + other.pairs, self.wins + other.wins
        return PairCounts(pairs, wins, self.baseline + other.baseline)


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
    for time, later in zip(times[:-1], times[1:], strict=True):
        total = total + (later - time) * current
        counts = counts.plus(_play(lanes, prob, later - time, draws))
        found = objective(policies, lanes, counts)[:, : gap.shape[0]].flatten(1).argmin(dim=1)
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
