"""The minimax floor that corruption puts under estimation, at every level of coverage.

A pair of parameters is hidden if corrupted labels look alike under both; what separates hidden
pairs most, in the norm of the data, is a modulus of continuity ω, and the floor of the best
estimator lies between ω/2 and ω.  See docs/explanations/sharper_floor.md.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from scipy.special import expit

from repro.p4.corruption_floors.bounds import curvature

RUNGS = 512
"""Of the ladder on which a maximum over t is looked for before it is refined."""


def rise(step: float | np.ndarray, reward_bound: float | np.ndarray) -> float | np.ndarray:
    """p(t) = σ(−B′+t) − σ(−B′): the least that win rates differ by when margins differ by t.

    In the form γ·2/(coth(t/2) − tanh(B′/2)), which does not cancel.

    Args:
        step: t in [0, 2B′], any shape.
        reward_bound: B′ > 0, broadcast.

    >>> round(float(rise(2.0, 1.0)), 9) == round(math.tanh(0.5), 9)
    True
    """
    half, bound = np.tanh(np.asarray(step) / 2), np.asarray(reward_bound)
    gamma = 1 / (4 * np.cosh(bound / 2) ** 2)
    return 2 * gamma * half / (1 - np.tanh(bound / 2) * half)


def step_of(risen: float, reward_bound: float) -> float:
    """The t in [0, 2B′] with p(t) = ``risen``; 2B′ where p stays below it.

    >>> round(step_of(float(rise(0.3, 2.0)), 2.0), 12)
    0.3
    """
    if risen >= math.tanh(reward_bound / 2):
        return 2 * reward_bound
    scaled = risen / (2 * curvature(reward_bound))
    return 2 * math.atanh(scaled / (1 + scaled * math.tanh(reward_bound / 2)))


def per_flip(step: float | np.ndarray, reward_bound: float | np.ndarray) -> float | np.ndarray:
    """t²/p(t): what a pair at distance t costs in squared error per unit of corrupted mass."""
    return np.square(step) / rise(step, reward_bound)


@lru_cache(maxsize=4096)
def worst_step(reward_bound: float, at_most: float = math.inf) -> float:
    """The t in (0, min{2B′, at_most}] with the largest t²/p(t).

    It is the end of the interval while B′ is below 5.02, and near 1.594 for large B′.
    """
    end = min(2 * reward_bound, at_most)
    ladder = end * np.arange(1, RUNGS + 1) / RUNGS
    best = int(np.argmax(per_flip(ladder, reward_bound)))
    around = (ladder[max(0, best - 1)], ladder[min(RUNGS - 1, best + 1)])
    optimum: Any = scipy.optimize.minimize_scalar(
        lambda t: -float(per_flip(t, reward_bound)), bounds=around, method="bounded",
        options={"xatol": 1e-12 * end},
    )  # fmt: skip
    candidates = (float(optimum.x), float(ladder[best]))
    return max(candidates, key=lambda t: float(per_flip(t, reward_bound)))


def saturation(reward_bound: float, at_most: float = math.inf) -> float:
    """g(B′) = max of t²/p(t): 8B′ for small B′, .6476/γ for large.

    >>> round(saturation(12.0) * curvature(12.0), 4)
    0.6476
    """
    return float(per_flip(worst_step(reward_bound, at_most), reward_bound))


def modulus(moved: float, reward_bound: float, coverage: float = 0.0) -> float:
    """ω(Z, ξ) = sup √m·t over masses m ≥ ξ and t ≤ 2B′ with m·p(t) ≤ Z.

    Args:
        moved: Z ≥ 0, α times what a flip is worth; 0 where nobody corrupts.
        reward_bound: B′.
        coverage: ξ, the least eigenvalue of E[xxᵀ]; 0 where none is assumed.

    >>> round(modulus(1e-6, 2.0) / math.sqrt(1e-6 * saturation(2.0)), 12)
    1.0
    """
    if moved == 0:
        return 0.0
    reach = step_of(moved / coverage, reward_bound) if coverage else math.inf
    return math.sqrt(moved * saturation(reward_bound, reach))


def hidden_pair(moved: float, reward_bound: float, coverage: float = 0.0) -> tuple[float, float]:
    """(m, t) that attain ω(Z, ξ): the mass of a cell and the distance of two margins in it."""
    reach = step_of(moved / coverage, reward_bound) if coverage else math.inf
    step = worst_step(reward_bound, reach)
    return moved / float(rise(step, reward_bound)), step


def least_floor(moved: float, reward_bound: float, coverage: float = 0.0) -> float:
    """ω(2Z, ξ)/2: what no estimator's floor in the norm of Σ̂ stays below (Theorem 2)."""
    return modulus(2 * moved, reward_bound, coverage) / 2


def halfspace_floor(moved: float, reward_bound: float, coverage: float = 0.0) -> float:
    """ω(2Z, ξ): what the floor of the halfspace estimator never exceeds (Theorem 3)."""
    return modulus(2 * moved, reward_bound, coverage)


def two_regimes(moved: float, reward_bound: float, coverage: float) -> float:
    """min{Z/(γ√ξ), √(Z·g)}, which lies between ω(Z, ξ) and 2ω(Z, ξ)."""
    covered = moved / (curvature(reward_bound) * math.sqrt(coverage))
    return min(covered, math.sqrt(moved * saturation(reward_bound)))


def least_distance(moved: float, reward_bound: float, coverage: float) -> float:
    """t/2 with ξ·p(t) = 2Z: what no estimator's floor in the L2 norm stays below (Theorem 4)."""
    return step_of(2 * moved / coverage, reward_bound) / 2


def win_difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """|σ(u) − σ(t)| without cancellation."""
    u, t = np.maximum(first, second), np.minimum(first, second)
    return expit(u) * expit(-t) * -np.expm1(t - u)
