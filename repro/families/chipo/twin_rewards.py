"""Two worlds that labels hardly tell apart where R_max is large: offline, for every algorithm.

Responses a and b of reference e^(−2R) each, c with the rest; rewards (R, R−1, 0) or (R−1, R, 0).
Whoever plays the wrong one of a and b loses 1.  Pairs with c say little, as labels saturate; pairs
of a and b are too few.  docs/explanations/reward_range.md, Theorem 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from repro.families.chipo.cases_two_policies import TwoPolicyCase
from repro.preferences.label_law import on_arrays
from repro.study.row import Method


@dataclass(frozen=True)
class TwinRewards:
    """Both worlds at one R_max.

    Attributes:
        reward_bound: R_max ≥ 2.
    """

    reward_bound: float

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

    def n_pairs(self, cost: float) -> int:
        """n at which the worlds can hardly be told apart: C·(c² − 1)/(8.7·D²), as in the proof."""
        return math.floor(self.coverage * (cost**2 - 1) / (8.7 * self.difference**2))

    def divergence(self, n_pairs: int, cost: float) -> float:
        """J = KL(1‖2) + KL(2‖1) of n private labels."""
        first, second = (1 + self.means / cost) / 2
        odds = np.log(first / second) - np.log((1 - first) / (1 - second))
        return n_pairs * float(self.cell_prob @ ((first - second) * odds))


@dataclass(frozen=True, eq=False, kw_only=True)
class TwinCase(TwoPolicyCase):
    """One R_max; labels come from the first world.

    Attributes:
        world: both worlds.
    """

    world: TwinRewards

    def chosen(self, flipped: bool, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) index of the likelier world."""
        world, n_pairs = self.world, self.world.n_pairs(self.cost)
        each = [*world.cell_prob, 1 - world.cell_prob.sum()]
        counts = rng.multinomial(n_pairs, each, size=replicates)[:, :-1]
        clean = (1 + world.means[0]) / 2
        win = on_arrays(lambda prob: self.channel(self.labels(prob), self.epsilon), clean)
        wins = rng.binomial(counts, win)
        first, second = (1 + world.means / self.cost) / 2
        wins = counts - wins if flipped else wins
        ratio = wins @ np.log(second / first) + (counts - wins) @ np.log((1 - second) / (1 - first))
        return on_arrays(self.estimate, (ratio > 0).astype(float), np.zeros(1))


def error_of_the_best_test(
    case: TwinCase, method: Method[bool], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) mistakes of the likelihood's choice over Φ(−√J/2), their share for nearby worlds.

    No algorithm's larger expected gap of the two worlds is below that share: the difference is 1.
    """
    expected = ndtr(-math.sqrt(case.world.divergence(case.world.n_pairs(case.cost), case.cost)) / 2)
    return case.chosen(method.run, rng, replicates) / expected
