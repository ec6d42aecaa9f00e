"""Theorems 4.8 and 5.3 at every R_max: the gap over the printed and over the corrected bound.

Printed is κ_cov = (V + R)·e^{2R}·√C_cov·log T, which goes to 0 with the rewards.  Corrected is
cosh²(R/2)·(1 + (2V − R)₊) in the place of (V + R)·e^{2R}; proof: docs/explanations/reward_range.md.
Both with constant 1.

A learner that learns nothing exceeds any bound, and one that knows the truth keeps any: a gap above
a bound counts where the learner has learnt, one below it where it is no less than what any
algorithm leaves (Theorem 2 there).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import default_rng

from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS, Positive
from repro.core.check import Quantity
from repro.p2.xpo.runs import OPTIMAL_ODDS, NeedleRuns, Update, value_bound
from repro.p2.xpo.worst_reward import ladder_gaps, side_by_side

CLASS_TILTS = 17
FAILURE_PROB = 0.05
LEAST = 0.09
"""Of c(ε)/√T: what every algorithm leaves at R_max = c(ε)/√T ≤ 1, on average over its iterates."""
PILOT_RUNS, PILOT_SEED = 2000, 20261124
LEARNT = 0.95
"""Who has learnt has a mean gap below this share of that of a guess between the two responses."""
LARGEST_SLACK = 30.0
"""How far above the gap the corrected bound may lie."""
VANISHES = "V_max + R_max goes to 0 with the rewards, the average iterate's price does not"


@dataclass(frozen=True, kw_only=True)
class OneReward(NeedleRuns):
    """One reward gap R_max, and T = (steps·c(ε)/R_max)² rounds.

    Attributes:
        inverse_reward_bound: 1/R_max.
        steps: R_max·√T/c(ε).
    """

    inverse_reward_bound: Positive
    steps: Positive

    def __post_init__(self) -> None:
        if self.rounds > MAX_PAIRS:
            raise ValueError(f"at most {MAX_PAIRS:g} rounds (steps·c(ε)/R_max)²")

    @property
    def rounds(self) -> int:
        return round((self.steps * privacy_cost(self.epsilon) * self.inverse_reward_bound) ** 2)

    @property
    def rewards(self) -> np.ndarray:
        return np.array([1 / self.inverse_reward_bound])


def printed_factor(value: float, reward: float) -> float:
    """(V + R)·e^{2R}.

    >>> printed_factor(1.0, 0.0)
    1.0
    """
    return (value + reward) * math.exp(2 * reward)


def corrected_factor(value: float, reward: float) -> float:
    """cosh²(R/2)·(1 + (2V − R)₊), at least a quarter of the largest |x − y|/|σ(x) − σ(y)|.

    >>> corrected_factor(0.0, 0.0)
    1.0
    """
    return math.cosh(reward / 2) ** 2 * (1 + max(0.0, 2 * value - reward))


def rate(world: NeedleRuns) -> float:
    """c(ε)·√(C_cov·log(|Π|T/δ)/T)·log T with A for C_cov: the bounds but for rewards."""
    members = CLASS_TILTS * world.num_actions
    logs = math.log(members * world.rounds / FAILURE_PROB) * math.log(world.rounds) ** 2
    return privacy_cost(world.epsilon) * math.sqrt(world.num_actions * logs / world.rounds)


@lru_cache(maxsize=256)
def learns(world: OneReward, update: Update) -> bool:
    """Whether runs of a stream of its own come out better than guessing the better response."""
    (outcome,) = ladder_gaps(world, [update], default_rng(PILOT_SEED), PILOT_RUNS)
    guess = math.tanh(OPTIMAL_ODDS / 2) / 2 * outcome.reward  # β·KL of the wrong one is Δ·tanh(1)
    return outcome.mean < LEARNT * guess


def over_printed(worlds, algorithms, rngs, replicates: int) -> list[list[float]]:
    """Mean gap over the printed bound, of a learner that has learnt."""
    return [
        [
            rung.mean / (rate(world) * printed_factor(value_bound(world, rung.reward), rung.reward))
            if learns(world, algorithm(world))
            else math.nan
            for rung, algorithm in zip(rungs, algorithms, strict=True)
        ]
        for world, rungs in side_by_side(worlds, algorithms, rngs, replicates)
    ]


def between_bounds(*given) -> list[list[float]]:
    """The larger of gap/corrected bound and least/gap, on the worst rung.

    A rung of the ladder lies within one of its steps below R_max = c(ε)/√T.
    """
    rows = []
    for world, rungs in side_by_side(*given):
        step = world.rewards[1] / world.rewards[0]
        least = LEAST * privacy_cost(world.epsilon) / math.sqrt(world.rounds) / step
        rows.append([])
        for rung in rungs:
            bound = rate(world) * corrected_factor(value_bound(world, rung.reward), rung.reward)
            rows[-1].append(max(rung.mean / bound, least / max(rung.mean, 1e-12)))
    return rows


def slack(worlds, algorithms, rngs, replicates: int) -> list[list[float]]:
    """min{V + R, corrected bound} over 30 mean gaps, of a learner that has learnt."""
    rows = []
    for world, rungs in side_by_side(worlds, algorithms, rngs, replicates):
        rows.append([])
        for rung, algorithm in zip(rungs, algorithms, strict=True):
            value = value_bound(world, rung.reward)
            bound = rate(world) * corrected_factor(value, rung.reward)
            least = min(value + rung.reward, bound)
            over = least / (LARGEST_SLACK * max(rung.mean, 1e-300))
            rows[-1].append(over if learns(world, algorithm(world)) else math.nan)
    return rows


OVER_PRINTED = Quantity(
    "average gap / printed bound, of who has learnt", together=over_printed, stream_per_block=True
)
BETWEEN = Quantity(
    "larger of gap / bound at R_max = Δ and least / gap",
    together=between_bounds,
    stream_per_block=True,
)
SLACK = Quantity(
    "min{V_max + R_max, corrected bound} / 30 · average gap", together=slack, stream_per_block=True
)
