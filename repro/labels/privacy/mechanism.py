"""One interface for every mechanism that is audited.

A mechanism here is a pair of neighbouring inputs and what is released from each.  It knows its
exact δ(ε) where there is a way to compute it, and it can be run from either input, releasing
what an attacker reduces to one number.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LARGEST = 700.0
"""ε beyond which e^ε overflows; no finite guarantee is sought there."""


@dataclass(frozen=True)
class Guarantee:
    """A claim of (ε, δ)-privacy; δ = 0 is pure."""

    epsilon: float
    dp_delta: float


class Mechanism(ABC):
    """Two neighbouring inputs and the distributions of what is released."""

    def exact_delta(self, epsilon: float) -> float:
        """Smallest δ for which the pair is (ε, δ)-indistinguishable, both ways; NaN if unknown."""
        return math.nan

    @abstractmethod
    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        """(count,) releases from one of the inputs, as the attacker scores them.

        Args:
            rng: stream of a simulation.
            neighbour: from the second input.
            count: number of runs.
        """

    def exact_epsilon(self, dp_delta: float) -> float:
        """Smallest ε ≥ 0 with δ(ε) ≤ ``dp_delta``; inf where there is none, NaN if unknown."""
        return bisect_epsilon(self.exact_delta, dp_delta)


def bisect_epsilon(delta_of: Callable[[float], float], dp_delta: float) -> float:
    """Smallest ε ≥ 0 at which a decreasing δ(ε) is at most ``dp_delta``; inf beyond 700."""
    at_zero = delta_of(0.0)
    if math.isnan(at_zero) or at_zero <= dp_delta:
        return at_zero if math.isnan(at_zero) else 0.0
    high = 1.0
    while delta_of(high) > dp_delta:
        if high == LARGEST:
            return math.inf
        high = min(2 * high, LARGEST)
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > dp_delta else (low, middle)
    return high


def worst(mechanisms: Sequence[Mechanism], epsilon: float) -> Mechanism:
    """Of several pairs of neighbours, the one with the largest exact δ(ε)."""
    return max(mechanisms, key=lambda mechanism: mechanism.exact_delta(epsilon))
