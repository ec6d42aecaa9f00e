"""Algorithms 1 and 3 of P2 on two policies, with a β that knows α or not (price_of_adaptivity.md).

Either loss is a sum over cells of pairs, so that a dataset is its counts and wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from repro.families.chipo.worlds_unsaturated import RareBadArm, unsaturated

Loss = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]
"""(counts, wins, (3,) means of a policy, c) → loss, over the last axis; counts may be expected."""


def square_loss(counts, wins, means, cost) -> np.ndarray:
    """Σ [2P − 1 − c·z]², up to what no policy changes (P2, Algorithm 3, line 3)."""
    return (counts * means**2 - 2 * cost * means * (2 * wins - counts)).sum(-1)


def log_loss(counts, wins, means, cost) -> np.ndarray:
    """−Σ log of the private probability (P2, Algorithm 1, line 3)."""
    of_win, of_loss = np.log1p(means / cost), np.log1p(-means / cost)
    return -(wins * of_win + (counts - wins) * of_loss).sum(-1)


@dataclass(frozen=True)
class Error:
    """What a tuning may read.

    Attributes:
        noise: c·√(log(|Π|/δ)/n).
        bias: ζα: α under CTL, c·α under LTC; only a tuning that is told may read it.
        corruption: α, likewise.
        coverage: C^π*.
    """

    noise: float
    bias: float
    corruption: float
    coverage: float


class World(Protocol):
    """What a tuning may read of a world."""

    @property
    def reference(self) -> np.ndarray:
        """(A,) π_ref."""
        ...

    def policy(self, kl_weight: float, reward: np.ndarray) -> np.ndarray:
        """(A,) policy of a reward at β."""
        ...


Tuning = Callable[[Error, Any, np.ndarray], float]
"""(error, world, (3,) fitted reward) → β."""


def alpha_free(error: Error, world: World, reward: np.ndarray) -> float:
    """β as without corruption."""
    return error.noise / np.sqrt(error.coverage)


def knows_alpha(error: Error, world: World, reward: np.ndarray) -> float:
    """β of the proof of Theorem 5.2, which contains α."""
    return (error.noise + error.bias) / np.sqrt(error.coverage)


def takes_ltc_for_ctl(error: Error, world: World, reward: np.ndarray) -> float:
    """β that knows α, but not that corruption comes last."""
    return (error.noise + error.corruption) / np.sqrt(error.coverage)


def capped(error: Error, world: World, reward: np.ndarray) -> float:
    """β of ``alpha_free``, or a larger one at which the policy has coverage 2·C^π* (Theorem 4).

    Reads the fitted reward and π_ref, but not α.  Coverage is 1 at β = ∞: bisection on log β.
    """
    reference, cap = world.reference, 2 * error.coverage
    low, high = alpha_free(error, world, reward), 1e3
    if coverage_of(world.policy(low, reward), reference) <= cap:
        return low
    for _ in range(40):
        middle = np.sqrt(low * high)
        within = coverage_of(world.policy(middle, reward), reference) <= cap
        low, high = (low, middle) if within else (middle, high)
    return high


def coverage_of(policy: np.ndarray, reference: np.ndarray) -> float:
    """E_π[π/π_ref] (P2, Definition 4.3)."""
    return float((policy**2 / reference).sum())


@dataclass(frozen=True)
class Learner:
    """One of the two algorithms.

    Attributes:
        loss: what it minimises over the two policies.
        tuning: its β.
    """

    loss: Loss
    tuning: Tuning

    def choose(self, counts: np.ndarray, wins: np.ndarray, means: np.ndarray, cost: float):
        """(R,) 0 where π*_β is chosen, 1 where the second policy is.

        Args:
            counts: (R, 3) pairs by cell.
            wins: (R, 3) reports for a, c and c.
            means: (2, 3) of both policies.
            cost: c(ε).
        """
        first, second = (self.loss(counts, wins, one, cost) for one in means)
        return (second < first).astype(float)

    def gaps(self, error: Error, world: RareBadArm) -> np.ndarray:
        """(2,) gap where it chooses π*_β and where it chooses the second policy."""
        return _gaps(self.tuning, error, world)

    def world(self, bias: float, cost: float) -> RareBadArm:
        """The unsaturated world of its loss."""
        return _world(self.loss, bias, cost)


@lru_cache(maxsize=1024)
def _gaps(tuning: Tuning, error: Error, world: RareBadArm) -> np.ndarray:
    each = [world.policy(tuning(error, world, one), one)[2] for one in world.rewards]
    return np.array(each)


@lru_cache(maxsize=1024)
def _world(loss: Loss, bias: float, cost: float) -> RareBadArm:
    start = RareBadArm(0.0, 2 * float(np.arctanh(bias)))
    reports = np.array([bias, *start.means[0, 1:]]) / cost
    one = np.eye(3)
    saved = [loss(one, one * (1 + reports) / 2, means, cost) for means in start.means]
    gain, loss, worse = (saved[0] - saved[1]) * np.array([1, -1, -1])
    return unsaturated(bias, float(gain), float(max(loss, worse)))
