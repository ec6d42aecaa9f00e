"""Theorems 4.8 and 5.3 at every R_max: the gap over the printed and over the corrected bound.

Printed is κ_cov = (V + R)·e^{2R}·√C_cov·log T, which goes to 0 with the rewards.  Corrected is
cosh²(R/2)·(1 + (2V − R)₊) in the place of (V + R)·e^{2R}; proof: docs/explanations/reward_range.md.
Both with constant 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS, Positive
from repro.core.check import Quantity
from repro.xpo.runs import NeedleRuns, value_bound
from repro.xpo.worst_reward import side_by_side

CLASS_TILTS = 17
FAILURE_PROB = 0.05
LARGEST_SLACK = 30.0
"""How far above the gap the corrected bound may lie."""
VANISHES = "V_max + R_max goes to 0 with the rewards, the average iterate's price does not"

Factor = Callable[[float, float], float]
"""(V, R) → what rewards do to a bound."""


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


def over_bound(factor: Factor) -> Quantity:
    """Mean gap on the worst rung over the bound at that rung's own R_max."""

    def over(*given) -> list[list[float]]:
        return [
            [one.mean / (rate(world) * factor(value_bound(world, one.reward), one.reward))
             for one in found]
            for world, found in side_by_side(*given)
        ]  # fmt: skip

    return Quantity("average gap / bound at R_max = Δ", together=over)


def slack(*given) -> list[list[float]]:
    """min{V + R, corrected bound} of every worst rung over 30 mean gaps."""
    rows = []
    for world, found in side_by_side(*given):
        rows.append([])
        for one in found:
            value = value_bound(world, one.reward)
            bound = rate(world) * corrected_factor(value, one.reward)
            least = min(value + one.reward, bound)
            rows[-1].append(least / (LARGEST_SLACK * max(one.mean, 1e-300)))
    return rows


OVER_PRINTED, OVER_CORRECTED = over_bound(printed_factor), over_bound(corrected_factor)
SLACK = Quantity("min{V_max + R_max, corrected bound} / 30 · average gap", together=slack)
