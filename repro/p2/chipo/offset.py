"""Algorithm 1 of P2 with a known offset: rewards (0, x, 0.4), of which only x is unknown.

One state, three responses, uniform π_ref.  A likelihood that ignores privacy shrinks x̂ and so
keeps preferring the third response however many labels there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.special import expit

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.labels.preferences.label_law import on_arrays, released, the_truth
from repro.p2.chipo.labels import ChipoLabels
from repro.p2.chipo.policy import chipo_policy

OFFSET = 0.4
REFERENCE = np.full(3, 1 / 3)
CELL_PROB = 2 / 9
"""Probability of the pair (x, 0), and of the pair (x, 0.4)."""
SHIFTS = np.array([0.0, OFFSET])
NODES = np.linspace(-6.0, 6.0, 121)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()


@dataclass(frozen=True, kw_only=True)
class OffsetReward(ChipoLabels):
    """Rewards (0, x, 0.4), of which only x is unknown; β = tuning·c/√n."""

    @property
    def kl_weight(self) -> float:
        """β."""
        return self.tuning * privacy_cost(self.epsilon) / np.sqrt(self.n_pairs)

    def win_prob(self, x: np.ndarray) -> np.ndarray:
        """(..., 2) P(z = +1) in both cells at a true x."""
        clean = expit(x[..., None] - SHIFTS)
        return released(self.channel, on_arrays(self.labels, clean), self.epsilon)

    def fitted(self, wins: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """x̂ in [0, 1], the likelihood's maximiser by bisection of its score.

        Args:
            wins: (..., 2) reports for x, counts or expectations.
            pairs: (..., 2) pairs in both cells.
        """
        wins = pairs - wins if self.sign < 0 else wins
        low, high = np.zeros(wins.shape[:-1]), np.ones(wins.shape[:-1])
        for _ in range(50):
            middle = (low + high) / 2
            uphill = self._score(middle, wins, pairs) > 0
            low, high = np.where(uphill, middle, low), np.where(uphill, high, middle)
        return (low + high) / 2

    def _score(self, x: np.ndarray, wins: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        epsilon = self.epsilon * self.budget_share
        clean, flip, signal = (
            expit(x[..., None] - SHIFTS),
            flip_prob(epsilon),
            label_signal(epsilon),
        )
        win = flip + signal * clean
        weight = clean * (1 - clean) / (win * (1 - win))
        return (weight * (wins - pairs * win)).sum(-1)

    def gap(self, x: np.ndarray, fitted: np.ndarray) -> np.ndarray:
        """J(π*) − J(π̂) at true x of the χPO policy of a fitted x."""
        estimate = on_arrays(self.estimate, fitted, x)
        nothing = np.zeros_like(estimate)
        reward = np.stack([nothing, estimate, nothing + OFFSET], axis=-1)
        policy = chipo_policy(REFERENCE, reward, np.array(self.kl_weight))
        best = np.maximum(x, OFFSET)
        lost = np.stack([best, best - x, best - OFFSET], axis=-1)
        return (policy * lost).sum(-1)

    def expected_gaps(self, ladder: np.ndarray) -> np.ndarray:
        """(K,) E[gap] with x̂ normal around its limit, by quadrature."""
        pairs = np.full(2, self.n_pairs * CELL_PROB)
        win = self.win_prob(ladder)
        spread = 0.5 / np.sqrt(self.n_pairs * CELL_PROB)
        shifted = win[:, None, :] + spread * NODES[:, None] / np.sqrt(2)
        fitted = self.fitted(shifted * pairs, np.broadcast_to(pairs, shifted.shape))
        return self.gap(ladder[:, None], fitted) @ WEIGHTS

    def gaps(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        x = np.array(worst_reward(self)[0])
        prob = [CELL_PROB, CELL_PROB, 1 - 2 * CELL_PROB]
        pairs = rng.multinomial(self.n_pairs, prob, size=replicates)[:, :2]
        wins = rng.binomial(pairs, self.win_prob(x))
        return self.gap(x, self.fitted(wins, pairs))

    def informed_gap(self) -> float:
        x = np.array(worst_reward(self)[0])
        return float(replace(self, estimate=the_truth).gap(x, x))

    def interior(self) -> tuple[bool, str]:
        where, inside = worst_reward(self)
        return inside, f"worst x = {where:.6g} in (0.4, 1)"


@lru_cache(maxsize=4096)
def worst_reward(world: OffsetReward) -> tuple[float, bool]:
    """The x above the offset with the largest expected gap, and whether it is interior."""
    ladder = OFFSET + np.geomspace(1e-8, 1 - OFFSET, 121)
    best = int(np.argmax(world.expected_gaps(ladder)))
    return float(ladder[best]), 0 < best < len(ladder) - 1
