"""Upper and lower bound of hybrid alignment: n offline and T online private labels.

Proofs: docs/explanations/hybrid.md.  R = R_max, V = V_max, c = c(ε), ℓ = log(|Π|/δ).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.base.notation import privacy_cost

SQUARES = (1 - math.exp(-0.5)) / 4
"""q: with probability 1−δ, q·Σ E[D²] ≤ (L(π) − L(π*))/4 + c²ℓ for all rounds and policies."""


@dataclass(frozen=True)
class Given:
    """What is known before the first round.

    Attributes:
        epsilon: budget of the labels.
        n_pairs: n.
        horizon: T.
        coverability: C_cov.
        concentrability: C_off, the largest π/π_ref of the class.
        log_class: ℓ.
        reward_bound: R = V.
    """

    epsilon: float
    n_pairs: int
    horizon: int
    coverability: float
    concentrability: float
    log_class: float
    reward_bound: float

    @property
    def inverse_slope(self) -> float:
        """K = 4cosh²(R/2)(1 + (2V − R)₊), an upper bound of |x − y|/|σ(x) − σ(y)|."""
        return 4 * math.cosh(self.reward_bound / 2) ** 2 * (1 + self.reward_bound)

    @property
    def error(self) -> float:
        """E = 4c²ℓ + 16q·C_cov."""
        noise = 4 * privacy_cost(self.epsilon) ** 2 * self.log_class
        return noise + 16 * SQUARES * self.coverability

    @property
    def new_pairs(self) -> float:
        """Λ = C_cov·log(1 + T/(C_cov(1 + n/C_off)))/(T·log 2): how much of a round is new."""
        before = self.coverability * (1 + self.n_pairs / self.concentrability)
        share = self.coverability / (self.horizon * math.log(2))
        return share * math.log1p(self.horizon / before)

    @property
    def optimism(self) -> float:
        """W/β = (8/K)√(qE/Λ)."""
        return 8 / self.inverse_slope * math.sqrt(SQUARES * self.error / self.new_pairs)

    @property
    def upper(self) -> float:
        """(K/4)√(EΛ/q)."""
        return self.inverse_slope / 4 * math.sqrt(self.error * self.new_pairs / SQUARES)


def least_gap(epsilon: float, n_pairs: float, horizon: float, rare: float) -> float:
    """What every algorithm leaves on the worse of two problems: min{1/8, .11c/√(2wn + T)}.

    Args:
        epsilon: budget of the labels.
        n_pairs: n.
        horizon: T.
        rare: w ≤ ½, π_ref of the response that is better in one problem and worse in the other.

    >>> least_gap(math.inf, 0, 1, 0.5)
    0.11
    """
    labels = 2 * rare * n_pairs + horizon
    return min(0.125, 0.11 * privacy_cost(epsilon) / math.sqrt(labels))
