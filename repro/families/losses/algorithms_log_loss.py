"""Maximum likelihood over {p₀, p₀+h}^d and a product grid, privatised labels (P2, Lemma 3.1).

Inputs are d equally likely cells.  The quantity is n·E‖P_θ̂ − P_θ*‖²_TV, the left side of Lemma 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, xlogy

from repro.base.notation import flip_prob, label_signal
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    on_arrays,
    randomized_response,
)

GRID_STEP = 1e-6


def private_prob(clean: np.ndarray | float, epsilon: float) -> np.ndarray:
    """P̃(+1) = (2σ(ε)−1)·P(+1) + 1 − σ(ε) (P2, Lemma 3.1)."""
    return flip_prob(epsilon) + label_signal(epsilon) * np.asarray(clean)


def report_prob(
    clean: np.ndarray, epsilon: float, labels: LabelLaw, channel: Channel
) -> np.ndarray:
    """P(z = +1) under any law of labels and any channel."""
    return on_arrays(lambda prob: channel(labels(prob), epsilon), clean)


def log_likelihood(wins, pairs, clean, epsilon: float) -> np.ndarray:
    """log P̃_θ of counts."""
    win = private_prob(clean, epsilon)
    return xlogy(wins, win) + xlogy(pairs - wins, 1 - win)


@dataclass(frozen=True)
class HypercubeStudy:
    """One grid point; the truth alternates between both values over cells.

    Attributes:
        num_features: d cells.
        base: p₀.
        n_pairs: n.
        epsilon: ε.
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimated: (fitted, truth) → what the estimator returns.
    """

    num_features: int
    base: float
    n_pairs: int
    epsilon: float
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimated: Estimate = as_fitted

    def report_prob(self, clean: np.ndarray) -> np.ndarray:
        """P(z = +1) of a report, where P(y = +1) is ``clean`` under the Bradley–Terry law."""
        return report_prob(clean, self.epsilon, self.labels, self.channel)

    def ladder(self) -> np.ndarray:
        """(K,) values of h up to p₀ + h = 0.99."""
        return np.geomspace(1e-8, 0.99 - self.base, 241)

    def expected(self, budget_share: float, h: np.ndarray) -> np.ndarray:
        """(K,) left side with the share of reports normal.

        Args:
            budget_share: of ε that the likelihood believes in: 1, or infinite without privacy.
            h: (K,) steps.
        """
        assumed = self.epsilon * budget_share
        zero, one = private_prob(self.base, assumed), private_prob(self.base + h, assumed)
        for_one, for_zero = np.log(one / zero), np.log((1 - one) / (1 - zero))
        threshold = for_zero / (for_zero - for_one)
        count = self.n_pairs / self.num_features
        wrong = 0.0
        for clean, side in ((np.full_like(h, self.base), -1.0), (self.base + h, 1.0)):
            win = self.report_prob(clean)
            wrong = wrong + ndtr(side * (threshold - win) / np.sqrt(win * (1 - win) / count)) / 2
        return self.n_pairs * h**2 * wrong

    def worst_step(self, budget_share: float) -> tuple[float, bool]:
        """h of the largest expected left side, and whether it is interior."""
        ladder = self.ladder()
        best = int(np.argmax(self.expected(budget_share, ladder)))
        return float(ladder[best]), 0 < best < len(ladder) - 1

    def draw(self, truth: np.ndarray, rng: np.random.Generator, replicates: int):
        """Reports and labels per cell, both (R, d)."""
        share = np.full(self.num_features, 1 / self.num_features)
        pairs = rng.multinomial(self.n_pairs, share, size=replicates)
        return rng.binomial(pairs, self.report_prob(truth)), pairs

    def simulate(
        self, budget_share: float, h: float, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(R,) n·E TV² of the likelihood's choice in {p₀, p₀+h}^d."""
        truth = self.base + h * (np.arange(self.num_features) % 2)
        wins, pairs = self.draw(truth, rng, replicates)
        assumed = self.epsilon * budget_share
        upper = log_likelihood(wins, pairs, self.base + h, assumed)
        lower = log_likelihood(wins, pairs, self.base, assumed)
        chosen = np.where(upper > lower, self.base + h, self.base)
        chosen = on_arrays(self.estimated, chosen, truth)
        return self.n_pairs * ((chosen - truth) ** 2).mean(axis=1)

    def simulate_grid(
        self, budget_share: float, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(R,) n·E TV² over the product of grids of step 1e-6 on [0, 1], truth p₀ everywhere.

        A likelihood of one cell is unimodal, so the best grid point is next to its maximum.
        """
        truth = np.full(self.num_features, self.base)
        wins, pairs = self.draw(truth, rng, replicates)
        assumed = self.epsilon * budget_share
        peak = (wins / np.maximum(pairs, 1) - flip_prob(assumed)) / label_signal(assumed)
        below = np.floor(np.clip(peak, 0, 1) / GRID_STEP) * GRID_STEP
        above = np.minimum(below + GRID_STEP, 1.0)
        better = log_likelihood(wins, pairs, above, assumed) > log_likelihood(
            wins, pairs, below, assumed
        )
        chosen = on_arrays(self.estimated, np.where(better, above, below), truth)
        return self.n_pairs * ((chosen - truth) ** 2).mean(axis=1)
