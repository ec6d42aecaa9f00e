"""What V_max does to XPO: with every γ > 0 the gap grows like V_max itself.

No response is better than another, so π*_β = π_ref.  Each of M = ⌈2√T⌉ rare responses has a policy
that plays it with probability p = 1/(2√T) and gives it the implicit reward V_max.  A policy whose
response has never been drawn has the loss of π*_β and more optimism, so it is played until it is
drawn.  docs/explanations/reward_range.md, Theorem 6.
"""

from __future__ import annotations

import math
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
    found = [gap_of(case, method.run, one, rng, replicates) for one in method.run.optimism]
    return min(found, key=np.mean)


def gap_of(
    case: SpuriousCase, learner: Learner, multiple: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) the same with one multiple of γ, every round by itself."""
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

    runs, truth = np.arange(replicates), torch.tensor(count)
    score = np.zeros((replicates, count + 1))  # the last is π_ref's, and stays 0
    spurious = np.zeros(replicates)
    chosen = np.full(replicates, count)
    for _ in range(rounds):
        spurious += chosen < count
        own = (rng.random(replicates) < played) & (chosen < count)
        other = rng.random((2, replicates)) < count * rare
        drawn = rng.integers(count, size=(2, replicates))
        first = np.where(own, chosen, np.where(other[0], drawn[0], count))
        second = np.where(other[1], drawn[1], count)
        win = rng.random(replicates) < win_prob
        seen = first != second
        for response, won in ((first, win), (second, ~win)):
            at = seen & (response < count)
            score[runs[at], response[at]] += loss_of[won[at].astype(int)]
        score[:, :count] += weight * away
        at = second < count
        score[runs[at], second[at]] += weight * (value / beta - away)
        fitted = torch.from_numpy(np.where(score.min(1) < 0, score.argmin(1), count))
        chosen = case.estimate(fitted, truth).numpy() + np.zeros(replicates, dtype=int)
    return spurious / rounds * (played * value + (1 - played) * beta * away)


def floor_over(case: SpuriousCase, rng: np.random.Generator, replicates: int) -> Values:
    """0.1·V_max/√T over the mean gap of every method."""
    least = LEAST * case.value_bound / math.sqrt(case.horizon)
    return {m.name: least / max(float(average_gap(case, m, rng, replicates).mean()), 1e-12)
            for m in case.methods}  # fmt: skip


SPURIOUS_GAP = Measure("average gap", per_method(average_gap), Evidence.MEASURED)
OVER_GAP = Measure("0.1·V_max/√T / average gap", floor_over, Evidence.MEASURED)
optimistic = Method("priv_xpo", Learner())
every_gamma = Method("every_gamma", Learner((0.01, 1.0, 100.0)))
without_optimism = Method("without_optimism", Learner((0.0,)))
capped_class = Method("capped_class", Learner(capped=True))
