"""Algorithm 1 of P2 with a known offset: rewards (0, x, 0.4), of which only x is unknown.

One state, three responses, uniform π_ref.  A likelihood that ignores privacy shrinks x̂ and so
keeps preferring the third response however many labels there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.chipo.policy import chipo_policy
from repro.families.chipo.variants import ChipoVariant
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    on_arrays,
    randomized_response,
)

OFFSET = 0.4
REFERENCE = np.full(3, 1 / 3)
CELL_PROB = 2 / 9
"""Probability of the pair (x, 0), and of the pair (x, 0.4)."""
SHIFTS = np.array([0.0, OFFSET])
NODES = np.linspace(-6.0, 6.0, 121)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()


@dataclass(frozen=True)
class OffsetStudy:
    """One grid point of the offset instance; β = tuning·c/√n.

    Attributes:
        n_pairs: n.
        epsilon: ε.
        tuning: the factor of β.
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimated: (fitted, truth) → what the estimator returns.
    """

    n_pairs: int
    epsilon: float
    tuning: float = 1.0
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimated: Estimate = as_fitted

    @property
    def kl_weight(self) -> float:
        """β."""
        return self.tuning * privacy_cost(self.epsilon) / np.sqrt(self.n_pairs)

    def win_prob(self, x: np.ndarray) -> np.ndarray:
        """(..., 2) P(z = +1) in both cells at a true x."""
        clean = expit(x[..., None] - SHIFTS)
        return on_arrays(lambda prob: self.channel(self.labels(prob), self.epsilon), clean)

    def estimate(self, variant: ChipoVariant, wins: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """x̂ in [0, 1], the likelihood's maximiser by bisection of its score.

        Args:
            wins: (..., 2) reports for x, counts or expectations.
            pairs: (..., 2) pairs in both cells.
        """
        wins = pairs - wins if variant.sign < 0 else wins
        low, high = np.zeros(wins.shape[:-1]), np.ones(wins.shape[:-1])
        for _ in range(50):
            middle = (low + high) / 2
            uphill = self._score(variant, middle, wins, pairs) > 0
            low, high = np.where(uphill, middle, low), np.where(uphill, high, middle)
        return (low + high) / 2

    def _score(self, variant: ChipoVariant, x, wins, pairs) -> np.ndarray:
        epsilon = self.epsilon * variant.budget_share
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
        estimate = on_arrays(self.estimated, fitted, x)
        reward = np.stack([0 * estimate, estimate, 0 * estimate + OFFSET], axis=-1)
        policy = chipo_policy(REFERENCE, reward, np.array(self.kl_weight))
        best = np.maximum(x, OFFSET)
        lost = np.stack([best + 0 * x, best - x, best - OFFSET], axis=-1)
        return (policy * lost).sum(-1)

    def worst(self, variant: ChipoVariant) -> tuple[float, bool]:
        """The x above the offset with the largest expected gap, and whether it is interior."""
        ladder = OFFSET + np.geomspace(1e-8, 1 - OFFSET, 121)
        best = int(np.argmax(self.expected_gaps(variant, ladder)))
        return float(ladder[best]), 0 < best < len(ladder) - 1

    def expected_gaps(self, variant: ChipoVariant, ladder: np.ndarray) -> np.ndarray:
        """(K,) E[gap] with x̂ normal around its limit, by quadrature."""
        pairs = np.full(2, self.n_pairs * CELL_PROB)
        win = self.win_prob(ladder)
        spread = 0.5 / np.sqrt(self.n_pairs * CELL_PROB)
        shifted = win[:, None, :] + spread * NODES[:, None] / np.sqrt(2)
        estimate = self.estimate(variant, shifted * pairs, np.broadcast_to(pairs, shifted.shape))
        return self.gap(ladder[:, None], estimate) @ WEIGHTS

    def simulate(
        self, variant: ChipoVariant, x: float, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(R,) gap of simulated datasets."""
        prob = [CELL_PROB, CELL_PROB, 1 - 2 * CELL_PROB]
        pairs = rng.multinomial(self.n_pairs, prob, size=replicates)[:, :2]
        wins = rng.binomial(pairs, self.win_prob(np.array(x)))
        return self.gap(np.array(x), self.estimate(variant, wins, pairs))
