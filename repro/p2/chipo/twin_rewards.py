"""Two worlds that labels hardly tell apart where R_max is large: offline, for every algorithm.

Responses a and b of reference e^(−2R) each, c with the rest; rewards (R, R−1, 0) or (R−1, R, 0).
Whoever plays the wrong one of a and b loses 1.  Pairs with c say little, as labels saturate; pairs
of a and b are too few.  docs/explanations/reward_range.md, Theorem 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field
from scipy.special import ndtr

from repro.base.notation import privacy_cost
from repro.base.schema import RewardBound
from repro.labels.preferences.label_law import on_arrays, released
from repro.worlds.instances.labelled import PrivateLabels


@dataclass(frozen=True, eq=False, kw_only=True)
class TwinRewards(PrivateLabels):
    """Both worlds at one R_max, with as many labels as can hardly tell them apart.

    Attributes:
        reward_bound: R_max ≥ 2; labels come from the first world.
    """

    reward_bound: Annotated[RewardBound, Field(ge=2)]

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def coverage(self) -> float:
        """C^π* of the comparator that plays the better response."""
        return math.exp(2 * self.reward_bound)

    @property
    def cell_prob(self) -> np.ndarray:
        """(3,) chance of the pairs (a, c), (b, c) and (a, b)."""
        rare = 1 / self.coverage
        return 2 * np.array([rare * (1 - 2 * rare), rare * (1 - 2 * rare), rare**2])

    @property
    def means(self) -> np.ndarray:
        """(2, 3) tanh(Δ/2) of the three pairs in the first world and in the second."""
        best = self.reward_bound
        return np.tanh(np.array([[best, best - 1, 1], [best - 1, best, -1]]) / 2)

    @property
    def difference(self) -> float:
        """D = h(R) − h(R−1), without cancellation."""
        best = self.reward_bound
        return math.sinh(0.5) / (math.cosh(best / 2) * math.cosh((best - 1) / 2))

    @property
    def labels_in_all(self) -> int:
        """n at which the worlds can hardly be told apart: C·(c² − 1)/(8.7·D²), as in the proof."""
        return math.floor(self.coverage * (self.cost**2 - 1) / (8.7 * self.difference**2))

    @property
    def divergence(self) -> float:
        """J = KL(1‖2) + KL(2‖1) of n private labels."""
        first, second = (1 + self.means / self.cost) / 2
        odds = np.log(first / second) - np.log((1 - first) / (1 - second))
        return self.labels_in_all * float(self.cell_prob @ ((first - second) * odds))

    @property
    def mistakes(self) -> float:
        """Φ(−√J/2), the share of mistakes for nearby worlds.

        No algorithm's larger expected gap of the two worlds is below it: the difference is 1.
        """
        return float(ndtr(-math.sqrt(self.divergence) / 2))

    def chosen(self, rng: np.random.Generator, replicates: int, flipped: bool) -> np.ndarray:
        """(R,) index of the likelier world."""
        each = [*self.cell_prob, 1 - self.cell_prob.sum()]
        counts = rng.multinomial(self.labels_in_all, each, size=replicates)[:, :-1]
        clean = (1 + self.means[0]) / 2
        win = released(self.channel, on_arrays(self.labels, clean), self.epsilon)
        wins = rng.binomial(counts, win)
        first, second = (1 + self.means / self.cost) / 2
        wins = counts - wins if flipped else wins
        ratio = wins @ np.log(second / first) + (counts - wins) @ np.log((1 - second) / (1 - first))
        return on_arrays(self.estimate, (ratio > 0).astype(float), np.zeros(1))


def best_test(world: TwinRewards, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) mistakes of the likelihood's choice."""
    return world.chosen(rng, replicates, flipped=False)


def best_test_flipped(world: TwinRewards, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: labels read upside down."""
    return world.chosen(rng, replicates, flipped=True)
