"""Least squares with a free mean per input, from privatised and corrupted labels (P2, Lemma 3.3).

The minimiser of Σ(h(x) − c·z)² over h(x) ∈ [−1, 1] is the clipped mean of c·z, input by input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.base.notation import privacy_cost
from repro.corruption.huber_square import (
    HuberOrder,
    reported_mean,
    worst_bad_mean,
    worst_bias,
)


@dataclass(frozen=True)
class SquareStudy:
    """One grid point: equally likely inputs with means h*.

    Attributes:
        means: h*(x) of each input, in (−1, 1).
        n_pairs: n.
        epsilon: ε.
        corruption: α.
        order: of corruption and privacy.
    """

    means: tuple[float, ...]
    n_pairs: int
    epsilon: float
    corruption: float
    order: HuberOrder

    @property
    def truth(self) -> np.ndarray:
        """(X,) h*."""
        return np.array(self.means)

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    def predicted_floor(self) -> float:
        """lim E^(n)/n: mean squared worst bias, α²·mean (1+|h*|)² or α²·mean (c+|h*|)²."""
        bias = worst_bias(self.truth, self.cost, self.corruption, self.order)
        return float((bias**2).mean())

    def simulate(
        self,
        rng: np.random.Generator,
        replicates: int,
        removed_cost: float | None = None,
        weak: bool = False,
    ) -> np.ndarray:
        """(R,) E^(n)(ĥ)/n, the mean squared error of ĥ over inputs.

        Args:
            removed_cost: factor of z in the loss, c unless given.
            weak: the adversary tosses a coin in the place of the worst label.
        """
        bad = np.zeros(len(self.means)) if weak else worst_bad_mean(self.truth)
        mean = reported_mean(self.truth, self.cost, self.corruption, self.order, bad)
        share = np.full(len(self.means), 1 / len(self.means))
        pairs = rng.multinomial(self.n_pairs, share, size=replicates)
        wins = rng.binomial(pairs, (1 + mean) / 2)
        average = (2.0 * wins - pairs) / np.maximum(pairs, 1)
        estimate = np.clip((removed_cost or self.cost) * average, -1, 1)
        return ((estimate - self.truth) ** 2).mean(axis=1)
