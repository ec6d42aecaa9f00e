"""Theorems 4.8 and 5.3 at every R_max: the gap over the printed and over the corrected bound.

Printed is κ_cov = (V + R)·e^{2R}·√C_cov·log T, which goes to 0 with the rewards.  Corrected is
cosh²(R/2)·(1 + (2V − R)₊) in the place of (V + R)·e^{2R}; proof: docs/explanations/reward_range.md.
Both with constant 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.xpo.cases import XpoCase
from repro.families.xpo.quantities import worst_of_all
from repro.study.row import Evidence, Measure, Values

CLASS_TILTS = 17
FAILURE_PROB = 0.05
LARGEST_SLACK = 30.0
"""How far above the gap the corrected bound may lie."""
VANISHES = "V_max + R_max goes to 0 with the rewards, the average iterate's price does not"

Factor = Callable[[float, float], float]
"""(V, R) → what rewards do to a bound."""


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


def rate(case: XpoCase) -> float:
    """c(ε)·√(C_cov·log(|Π|T/δ)/T)·log T with A for C_cov: the bounds but for rewards."""
    members = CLASS_TILTS * case.num_actions
    logs = math.log(members * case.horizon / FAILURE_PROB) * math.log(case.horizon) ** 2
    return privacy_cost(case.epsilon) * math.sqrt(case.num_actions * logs / case.horizon)


def printed_bound(case: XpoCase) -> float:
    """The bound at the end of Theorem 4.8's proof, constant 1, R_max = V_max = 1."""
    return rate(case) * printed_factor(1.0, 1.0)


def value_bound(case: XpoCase, reward: float) -> float:
    """V_max of the class where R_max is ``reward``."""
    policies = case.policies()
    ratio = (policies.table() / policies.reference).log().abs().max()
    return reward / policies.optimal_tilt * float(ratio)


def over_bound(factor: Factor) -> Measure:
    """Mean gap of every method on its worst rung over the bound at that rung's own R_max."""

    def over(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
        found = {}
        for m, (gap, rung) in worst_of_all(case, rng, replicates):
            reward = float(case.ladder.values()[rung])
            bound = rate(case) * factor(value_bound(case, reward), reward)
            found[m.name] = float(gap.mean()) / bound
        return found

    return Measure("average gap / bound at R_max = Δ", over, Evidence.MEASURED)


def slack(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """min{V + R, corrected bound} of every method's worst rung over 30 mean gaps."""
    found = {}
    for m, (gap, rung) in worst_of_all(case, rng, replicates):
        reward = float(case.ladder.values()[rung])
        value = value_bound(case, reward)
        bound = min(value + reward, rate(case) * corrected_factor(value, reward))
        found[m.name] = bound / (LARGEST_SLACK * max(float(gap.mean()), 1e-300))
    return found


OVER_PRINTED, OVER_CORRECTED = over_bound(printed_factor), over_bound(corrected_factor)
SLACK = Measure("min{V_max + R_max, corrected bound} / 30 · average gap", slack, Evidence.MEASURED)
