"""Algorithms 2 and 4 of P2 (PrivXPO, SquareXPO) over needle policies, many runs at once.

One state, A responses, r = Δ on the first response and 0 elsewhere.  The policy class raises
the odds of one response: π_{j,u}(a) ∝ π_ref(a)·exp(u·1{a = j}).  Its implicit rewards are
kl_weight·u on response j, so pair counts of each response against all others are all that the
losses see, and a block of rounds under frozen policies is one multinomial and one binomial.
Objectives are given as printed and as corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from repro.base.torch_later import Tensor, torch
from repro.labels.corruption.label_mean import drawn_mean
from repro.labels.preferences.block_draws import Draws
from repro.labels.preferences.label_law import Estimate, LabelLaw, as_fitted, bradley_terry
from repro.p2.xpo.needles import NeedleClass, PairCounts, XpoBatch

Score = Callable[[PairCounts], Tensor]
"""(L, A, U) what a policy update minimises, given the counts so far."""

Objective = Callable[[NeedleClass, XpoBatch], Score]
"""Prepares what does not depend on the counts."""


def optimism(policies: NeedleClass, batch: XpoBatch) -> Score:
    """(L, A, U) γ·Σ log π(τ̃_i) (P2, Algorithms 2 and 4)."""
    tilts, log_normaliser = policies.tilts, policies.log_normaliser
    weight = batch.optimism_weight[:, None, None]

    def score(counts: PairCounts) -> Tensor:
        total = counts.baseline.sum(dim=1)[:, None, None]
        log_prob = counts.baseline[:, :, None] * tilts
        return log_prob.sub_(total * log_normaliser).mul_(weight)

    return score


def log_objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """γ·Σ log π(τ̃_i) − c(ε)²·Σ log[(2σ(ε)−1)·P + 1 − σ(ε)] (P2, Algorithm 2, step 14)."""
    signal = batch.believed_signal[:, None]
    shape = signal * torch.tanh(batch.kl_weight[:, None] * policies.tilts / 2)
    on_win, on_loss = torch.log1p(shape)[:, None], torch.log1p(-shape)[:, None]
    scale, hopeful = signal[..., None] ** 2, optimism(policies, batch)

    def score(counts: PairCounts) -> Tensor:
        log_likelihood = counts.wins[:, :, None] * on_win
        log_likelihood += (counts.pairs - counts.wins)[:, :, None] * on_loss
        return hopeful(counts).sub_(log_likelihood.div_(scale))

    return score


def square_loss(policies: NeedleClass, batch: XpoBatch) -> Score:
    """(L, A, U) Σ [2P − 1 − c(ε)·z]² up to a constant (P2, Algorithm 4, step 14)."""
    mean = torch.tanh(batch.kl_weight[:, None] * policies.tilts / 2)[:, None]
    cost = 1 / batch.believed_signal[:, None, None]
    squared, pull = mean.square(), 2 * cost * mean

    def score(counts: PairCounts) -> Tensor:
        label_sum = (2 * counts.wins - counts.pairs)[:, :, None]
        return (counts.pairs[:, :, None] * squared).sub_(pull * label_sum)

    return score


def square_objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """γ·Σ log π(τ̃_i) + the square loss: Algorithm 4 with its sign corrected."""
    hopeful, loss = optimism(policies, batch), square_loss(policies, batch)
    return lambda counts: hopeful(counts).add_(loss(counts))


def printed_square_objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """γ·Σ log π(τ̃_i) − the square loss: Algorithm 4, step 15, as printed."""
    hopeful, loss = optimism(policies, batch), square_loss(policies, batch)
    return lambda counts: hopeful(counts).sub_(loss(counts))


Pool = Callable[[PairCounts, int, PairCounts, int], PairCounts]
"""(offline counts, n, online counts, rounds so far) → the counts that the loss sees."""


def pooled(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Every label counts once."""
    return offline.plus(online)


@dataclass(frozen=True)
class Start:
    """What a run is given before its first round.

    Attributes:
        n_pairs: pairs of two draws of π_ref with their labels.
        pool: what the loss makes of them and of online labels.
    """

    n_pairs: int = 0
    pool: Pool = pooled


COLD = Start()


def average_gap(
    policies: NeedleClass,
    batch: XpoBatch,
    objective: Objective,
    times: Sequence[int],
    draws: Draws,
    labels: LabelLaw = bradley_terry,
    estimate: Estimate = as_fitted,
    start: Start = COLD,
) -> Tensor:
    """(L,) mean over rounds of J_β(π*) − J_β(π^(t)), what the proof of Theorem 4.8 bounds.

    Args:
        policies: Π.
        batch: settings.
        objective: what an update minimises.
        times: 0, then the rounds after which policies change, last the horizon.
        draws: source of randomness.
        labels: what labels are drawn from.
        estimate: (what an update minimises, true gaps), (L, A·U) and (A·U,) → what it minimises.
        start: offline labels, if any; the first policy is π_ref without them, else what an
            update makes of them.
    """
    actions, device = policies.num_actions, policies.tilts.device
    gap, prob = policies.divergence().flatten(), policies.table()
    score, play = objective(policies, batch), _Play(policies.reference, batch, draws, labels)
    zeros = torch.zeros(len(batch), actions, dtype=policies.tilts.dtype, device=device)
    offline, online = PairCounts(zeros, zeros, zeros), PairCounts(zeros, zeros, zeros)
    current_prob = policies.reference + zeros
    first = replace(policies, tilts=torch.zeros_like(policies.tilts[:1])).divergence()[0]
    current, total = first.expand(len(batch)), torch.zeros_like(zeros[:, 0])

    def update(rounds: int) -> tuple[Tensor, Tensor]:
        counts = start.pool(offline, start.n_pairs, online, rounds)
        member = estimate(score(counts).flatten(1), gap).argmin(dim=1)
        return prob[member], gap[member]

    if start.n_pairs:
        offline = play.block(current_prob, start.n_pairs)
        current_prob, current = update(0)
    for time, later in pairwise(times):
        total = total + (later - time) * current
        online = online.plus(play.block(current_prob, later - time))
        current_prob, current = update(later)
    return batch.kl_weight * total / times[-1]


class _Play:
    """Blocks of rounds under frozen policies; what does not change between blocks is kept."""

    def __init__(self, reference: Tensor, batch: XpoBatch, draws: Draws, labels: LabelLaw) -> None:
        self._reference, self._actions, self._draws = reference, len(reference), draws
        self._different = ~torch.eye(
            len(reference), dtype=torch.bool, device=reference.device
        ).flatten()
        self._win_prob = _win_prob(batch, self._actions, labels)[:, self._different].contiguous()
        self._sums = _sums(self._actions, self._win_prob)

    def block(self, prob: Tensor, rounds: int) -> PairCounts:
        """Counts of a block: τ ~ π, τ̃ ~ π_ref, a label on each pair of different responses."""
        joint = (prob[:, :, None] * self._reference).flatten(1)
        drawn = self._draws.counts(rounds, joint)
        wins = self._draws.binomial(drawn[:, self._different], self._win_prob)
        counts = torch.cat([drawn, wins], dim=1) @ self._sums
        pairs, won, baseline = counts.split(self._actions, dim=1)
        return PairCounts(pairs, won, baseline)


def _sums(actions: int, like: Tensor) -> Tensor:
    """(A² + A(A−1), 3A) of 0, 1 and −1: from counts of (τ, τ̃), wins of τ ≠ τ̃, to PairCounts.

    Sums of whole numbers below 2^53 are exact in any order.
    """
    identity = torch.eye(actions, dtype=like.dtype, device=like.device)
    first = identity.repeat_interleave(actions, dim=0)
    second = identity.repeat(actions, 1)
    different = 1 - (first * second).sum(dim=1, keepdim=True)
    both, nothing = (first + second) * different, torch.zeros_like(first)
    from_drawn = torch.cat([both, second * different, second], dim=1)
    from_wins = torch.cat([nothing, first - second, nothing], dim=1)
    return torch.cat([from_drawn, from_wins[different[:, 0] > 0]])


def _win_prob(batch: XpoBatch, actions: int, labels: LabelLaw) -> Tensor:
    """(L, A²) P(z prefers τ over τ̃)."""
    reward = torch.zeros(actions, dtype=batch.reward_gap.dtype, device=batch.reward_gap.device)
    reward[0] = 1
    difference = (reward[:, None] - reward[None, :]).flatten()
    drawn = drawn_mean(torch.tanh(batch.reward_gap[:, None] * difference / 2), labels)
    mean = batch.label_scale[:, None] * drawn - batch.label_offset[:, None] * difference
    return (1 + mean + batch.label_shift[:, None]) / 2
