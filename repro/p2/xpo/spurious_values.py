"""What V_max does to XPO: with every γ > 0 the gap grows like V_max itself.

No response is better than another, so π*_β = π_ref.  Each of M = ⌈2√T⌉ rare responses has a policy
that plays it with probability p = 1/(2√T) and gives it the implicit reward V_max.  A policy whose
response has never been drawn has the loss of π*_β and more optimism, so it is played until it is
drawn.  docs/explanations/reward_range.md, Theorem 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from repro.base.notation import label_signal
from repro.base.schema import KLWeight, Pairs, Positive
from repro.worlds.instances.labelled import PrivateLabels

CAPPED = 2.0
"""V_max/R_max of a class without implicit rewards beyond what rewards allow."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SpuriousValues(PrivateLabels):
    """T rounds over π_ref and the policies of M rare responses; R_max = 1.

    The stage ``estimate`` is (what an update minimises, 0 of π_ref and 1 of others) → what it
    minimises.

    Attributes:
        horizon: T.
        value_ratio: V_max, over R_max = 1.
        kl_weight: β, at most V_max/log(16T).
        optimism: multiple of γ.
    """

    horizon: Pairs
    value_ratio: Positive
    kl_weight: KLWeight
    optimism: float = 1.0

    def __post_init__(self) -> None:
        if self.kl_weight * math.log(16 * self.horizon) > self.value_ratio:
            raise ValueError("kl_weight of at most V_max/log(16T)")

    def more_labels(self, other: PrivateLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


@dataclass(frozen=True)
class SpuriousLearner:
    """PrivXPO.

    Attributes:
        optimism: multiples of γ = 2β·c(ε)/√T; the best in hindsight counts.
        capped: whether the class keeps to V_max = 2·R_max.
    """

    optimism: tuple[float, ...] = (1.0,)
    capped: bool = False


def gaps_of(
    world: SpuriousValues, played: Sequence[tuple[SpuriousLearner, float]],
    rng: np.random.Generator, replicates: int,
) -> np.ndarray:  # fmt: skip
    """(L, R) mean over rounds of J_β(π*_β) − J_β(π^(t)), of learners with multiples of γ.

    Each draws by itself, all play at once.
    """
    numbers = [_Numbers.of(world, *numbers_of) for numbers_of in played]
    draws = [_draws(world, numbers_of, rng, replicates) for numbers_of in numbers]
    own_drawn, first, second, win = (
        np.concatenate(numbers_of, axis=1) for numbers_of in zip(*draws, strict=True)
    )
    others: np.ndarray = np.any(np.minimum(first, second) < numbers[0].count, axis=1)

    def each(values: Sequence[float] | Sequence[np.ndarray]) -> np.ndarray:
        return np.repeat(np.array(values), replicates, axis=0)

    rounds, count, size = world.horizon, numbers[0].count, len(played) * replicates
    runs, truth = np.arange(size), torch.ones(count + 1, dtype=torch.float64)
    truth[-1] = 0.0
    per_round = each([numbers_of.per_round for numbers_of in numbers])[:, None]
    per_draw = each([numbers_of.per_draw for numbers_of in numbers])
    loss_of = each([numbers_of.loss_of for numbers_of in numbers])
    score = np.zeros((size, count + 1))  # the last is π_ref's, and stays 0
    spurious = np.zeros(size)
    chosen = np.full(size, count)
    for t in range(rounds):
        hopes = chosen < count
        spurious += hopes
        own = own_drawn[t] & hopes
        numbers_of, other = first[t], second[t]
        if others[t] or own.any():
            numbers_of = np.where(own, chosen, numbers_of)
            seen = numbers_of != other
            for response, won in ((numbers_of, win[t]), (other, ~win[t])):
                at = np.flatnonzero(seen & (response < count))
                score[at, response[at]] += loss_of[at, won[at].astype(int)]
        score[:, :count] += per_round
        if others[t]:
            at = np.flatnonzero(other < count)
            score[at, other[at]] += per_draw[at]
        minimised = world.estimate(torch.from_numpy(score), truth).numpy()
        best = minimised.argmin(1)
        chosen = np.where(minimised[runs, best] < 0, best, count)  # ties are π_ref's
    gap = each([numbers_of.gap for numbers_of in numbers])
    return (spurious / rounds * gap).reshape(len(played), replicates)


@dataclass(frozen=True)
class _Numbers:
    """What a learner's rounds are made of.

    Attributes:
        count: M.
        played: p.
        rare: probability of a rare response under π_ref.
        loss_of: (2,) of a response that lost and of one that won.
        per_round: optimism that every policy gains in a round.
        per_draw: the same of one whose response π_ref has drawn.
        win_prob: of either response.
        gap: of a rare response's policy.
    """

    count: int
    played: float
    rare: float
    loss_of: np.ndarray
    per_round: float
    per_draw: float
    win_prob: float
    gap: float

    @classmethod
    def of(cls, world: SpuriousValues, learner: SpuriousLearner, multiple: float) -> _Numbers:
        """Those of a learner with a multiple of γ."""
        rounds, beta = world.horizon, world.kl_weight
        value = min(world.value_ratio, CAPPED) if learner.capped else world.value_ratio
        count, played = math.ceil(2 * math.sqrt(rounds)), 0.5 / math.sqrt(rounds)
        rare = played * math.exp(-value / beta)
        away = math.log1p(-played) - math.log1p(-rare)
        signal = label_signal(world.epsilon)
        shape = signal * math.tanh((value - beta * away) / 2)
        half = torch.tensor(0.5, dtype=torch.float64)
        win_prob = float(world.channel(world.labels(half), world.epsilon))
        loss_of = -np.log1p([-shape, shape]) / signal**2
        weight = world.optimism * multiple * 2 * beta / (signal * math.sqrt(rounds))
        return cls(
            count, played, rare, loss_of, weight * away, weight * (value / beta - away), win_prob,
            played * value + (1 - played) * beta * away,
        )  # fmt: skip


def _draws(
    world: SpuriousValues, numbers: _Numbers, rng: np.random.Generator, replicates: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(T, R) each: whether a spurious policy draws its own response, the other two that π_ref
    draws (M: the common one), and whether the first wins."""
    rounds, pair = world.horizon, (2, replicates)
    uniform = np.empty((rounds, 4, replicates))
    drawn = np.empty((rounds, *pair), dtype=int)
    for t in range(rounds):
        rng.random(out=uniform[t, :3])
        drawn[t] = rng.integers(numbers.count, size=pair)
        rng.random(out=uniform[t, 3])
    other = np.where(uniform[:, 1:3] < numbers.count * numbers.rare, drawn, numbers.count)
    return (
        uniform[:, 0] < numbers.played,
        other[:, 0],
        other[:, 1],
        uniform[:, 3] < numbers.win_prob,
    )
