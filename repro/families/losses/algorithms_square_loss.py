"""Least squares with a free mean per input, from privatised and corrupted labels (P2, Lemma 3.3).

The minimiser of Σ(h(x) − c·z)² over h(x) ∈ [−1, 1] is the clipped mean of c·z, input by input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.corruption.huber_reports import HuberReports
from repro.corruption.huber_square import worst_bias
from repro.corruption.orders import Order
from repro.preferences.label_law import Estimate, as_fitted, on_arrays


@dataclass(frozen=True)
class SquareStudy:
    """One grid point: equally likely inputs with means h*.

    Attributes:
        means: h*(x) of each input, in (−1, 1).
        n_pairs: n.
        reports: how labels become reports.
        estimated: (fitted, truth) → what the estimator returns.
    """

    means: tuple[float, ...]
    n_pairs: int
    reports: HuberReports
    estimated: Estimate = as_fitted

    @property
    def truth(self) -> np.ndarray:
        """(X,) h*."""
        return np.array(self.means)

    def simulate(
        self, rng: np.random.Generator, replicates: int, removed_cost: float | None = None
    ) -> np.ndarray:
        """(R,) E^(n)(ĥ)/n, the mean squared error of ĥ over inputs.

        Args:
            rng: the block's stream.
            replicates: R.
            removed_cost: factor of z in the loss, c unless given.
        """
        mean = self.reports.mean(self.truth)
        share = np.full(len(self.means), 1 / len(self.means))
        pairs = rng.multinomial(self.n_pairs, share, size=replicates)
        wins = rng.binomial(pairs, (1 + mean) / 2)
        average = (2.0 * wins - pairs) / np.maximum(pairs, 1)
        fitted = np.clip((removed_cost or self.reports.cost) * average, -1, 1)
        estimate = on_arrays(self.estimated, fitted, self.truth)
        return ((estimate - self.truth) ** 2).mean(axis=1)


def predicted_floor(
    means: tuple[float, ...], privacy_cost: float, corruption: float, order: Order
) -> float:
    """lim E^(n)/n: mean squared worst bias, α²·mean (1+|h*|)² or α²·mean (c+|h*|)²."""
    bias = worst_bias(np.array(means), privacy_cost, corruption, order)
    return float((bias**2).mean())
