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
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import LabelCase
from repro.study.row import Evidence, Measure, Method, Values, per_method

CAPPED = 2.0
"""V_max/R_max of a class without implicit rewards beyond what rewards allow."""

LEAST = 0.1
"""Of V_max/√T, what every γ > 0 leaves on average."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SpuriousCase(LabelCase):
    """T rounds over π_ref and the policies of M rare responses; R_max = 1.

    Attributes:
        value_bound: V_max.
        kl_weight: β, at most V_max/log(16T).
        bonus: multiple of γ.
        estimate: (fitted, true) index of a policy → what an update returns.
    """

    value_bound: float
    kl_weight: float
    bonus: float = 1.0
    estimate: Estimate = as_fitted


@dataclass(frozen=True)
class Learner:
    """PrivXPO.

    Attributes:
        optimism: multiples of γ = 2β·c(ε)/√T; the best in hindsight counts.
        capped: whether the class keeps to V_max = 2·R_max.
    """

    optimism: tuple[float, ...] = (1.0,)
    capped: bool = False


def average_gap(
    case: SpuriousCase, method: Method[Learner], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) mean over rounds of J_β(π*_β) − J_β(π^(t)) with the best γ."""
    found = gaps_of(case, [(method.run, one) for one in method.run.optimism], rng, replicates)
    return min(found, key=np.mean)


def gaps_of(
    case: SpuriousCase, played: Sequence[tuple[Learner, float]], rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:  # fmt: skip
    """(L, R) the same of learners with multiples of γ: each draws by itself, all play at once."""
    numbers = [_Numbers.of(case, *one) for one in played]
    draws = [_draws(case, one, rng, replicates) for one in numbers]
    own_drawn, first, second, win = (
        np.concatenate(one, axis=1) for one in zip(*draws, strict=True)
    )
    others: np.ndarray = np.any(np.minimum(first, second) < numbers[0].count, axis=1)

    def each(values: Sequence[float] | Sequence[np.ndarray]) -> np.ndarray:
        return np.repeat(np.array(values), replicates, axis=0)

    rounds, count, size = case.horizon, numbers[0].count, len(played) * replicates
    runs, truth = np.arange(size), torch.tensor(count)
    per_round = each([one.per_round for one in numbers])[:, None]
    per_draw = each([one.per_draw for one in numbers])
    loss_of = each([one.loss_of for one in numbers])
    score = np.zeros((size, count + 1))  # the last is π_ref's, and stays 0
    spurious = np.zeros(size)
    chosen = np.full(size, count)
    for t in range(rounds):
        hopes = chosen < count
        spurious += hopes
        own = own_drawn[t] & hopes
        one, other = first[t], second[t]
        if others[t] or own.any():
            one = np.where(own, chosen, one)
            seen = one != other
            for response, won in ((one, win[t]), (other, ~win[t])):
                at = np.flatnonzero(seen & (response < count))
                score[at, response[at]] += loss_of[at, won[at].astype(int)]
        score[:, :count] += per_round
        if others[t]:
            at = np.flatnonzero(other < count)
            score[at, other[at]] += per_draw[at]
        best = score.argmin(1)
        fitted = torch.from_numpy(np.where(score[runs, best] < 0, best, count))
        chosen = case.estimate(fitted, truth).numpy() + np.zeros(size, dtype=int)
    gap = each([one.gap for one in numbers])
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
    def of(cls, case: SpuriousCase, learner: Learner, multiple: float) -> _Numbers:
        """Those of a learner with a multiple of γ."""
        rounds, beta = case.horizon, case.kl_weight
        value = min(case.value_bound, CAPPED) if learner.capped else case.value_bound
        count, played = math.ceil(2 * math.sqrt(rounds)), 0.5 / math.sqrt(rounds)
        rare = played * math.exp(-value / beta)
        away = math.log1p(-played) - math.log1p(-rare)
        signal = label_signal(case.epsilon)
        shape = signal * math.tanh((value - beta * away) / 2)
        half = torch.tensor(0.5, dtype=torch.float64)
        win_prob = float(case.channel(case.labels(half), case.epsilon))
        loss_of = -np.log1p([-shape, shape]) / signal**2
        weight = case.bonus * multiple * 2 * beta / (signal * math.sqrt(rounds))
        return cls(
            count, played, rare, loss_of, weight * away, weight * (value / beta - away), win_prob,
            played * value + (1 - played) * beta * away,
        )  # fmt: skip


def _draws(
    case: SpuriousCase, one: _Numbers, rng: np.random.Generator, replicates: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(T, R) each: whether a spurious policy draws its own response, the other two that π_ref
    draws (M: the common one), and whether the first wins."""
    rounds, pair = case.horizon, (2, replicates)
    uniform = np.empty((rounds, 4, replicates))
    drawn = np.empty((rounds, *pair), dtype=int)
    for t in range(rounds):
        rng.random(out=uniform[t, :3])
        drawn[t] = rng.integers(one.count, size=pair)
        rng.random(out=uniform[t, 3])
    other = np.where(uniform[:, 1:3] < one.count * one.rare, drawn, one.count)
    return uniform[:, 0] < one.played, other[:, 0], other[:, 1], uniform[:, 3] < one.win_prob


def floor_over(case: SpuriousCase, rng: np.random.Generator, replicates: int) -> Values:
    """0.1·V_max/√T over the mean gap of every method."""
    least = LEAST * case.value_bound / math.sqrt(case.horizon)
    played = [(m.run, one) for m in case.methods for one in m.run.optimism]
    means = iter(gaps_of(case, played, rng, replicates).mean(1))
    return {m.name: least / max(float(min(next(means) for _ in m.run.optimism)), 1e-12)
            for m in case.methods}  # fmt: skip


SPURIOUS_GAP = Measure("average gap", per_method(average_gap), Evidence.MEASURED)
OVER_GAP = Measure("0.1·V_max/√T / average gap", floor_over, Evidence.MEASURED)
optimistic = Method("priv_xpo", Learner())
every_gamma = Method("every_gamma", Learner((0.01, 1.0, 100.0)))
without_optimism = Method("without_optimism", Learner((0.0,)))
capped_class = Method("capped_class", Learner(capped=True))
