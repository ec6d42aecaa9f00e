"""P3's Algorithms 1 and 2 for rankings: constants that grow with the number of responses K."""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.families.central.algorithms_budget import CentralBudget


@dataclass(frozen=True)
class KwiseBudget(CentralBudget):
    """A budget whose noise is calibrated to rankings of K responses (P3, appendix B).

    Printed: ‖∇ℓ‖ ≤ 2K²L (Lemma B.3) and noise of variance ∝ K⁶ on Σ_K (Lemma B.5), so λ and α
    grow like K³.  Sharp: ‖∇ℓ‖ ≤ 2(K−1)L, and one ranking moves Σ_K by at most 2KL²/(K−1), which
    for pairs is 4L².  α keeps the γ of pairs and grows with whichever noise grows faster: Lemma
    B.6 leaves its constant free, and with γ_K = e^(−4LB)/2 the noise b would push θ̃ onto the ball.

    Attributes:
        num_ranked: K ≥ 2.
        sharp: whether the sharp constants are used.
    """

    num_ranked: int
    sharp: bool = False

    @property
    def gradient_factor(self) -> float:
        """Gradient bound of a ranking relative to that of a pair."""
        return self.num_ranked - 1 if self.sharp else self.num_ranked**2

    @property
    def noise_std(self) -> float:
        """σ of b."""
        return self.gradient_factor * super().noise_std

    def ridge(self, n_pairs: float, num_features: int) -> float:
        """α."""
        factor = max(self.gradient_factor, self.covariance_factor)
        return factor * 2 * self.curvature * super().confidence_ridge(n_pairs, num_features)

    @property
    def covariance_factor(self) -> float:
        """Noise on Σ_K relative to that of pairs."""
        ranked = self.num_ranked
        return ranked / (2 * (ranked - 1)) if self.sharp else ranked**3

    def covariance_std(self, n_pairs: float) -> float:
        """σ of the noise on Σ_K (Lemma B.5)."""
        return self.covariance_factor * super().covariance_std(n_pairs)

    def confidence_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ, larger by as much as the noise."""
        return self.covariance_factor * super().confidence_ridge(n_pairs, num_features)

    def text_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ of the main text, larger by as much as the noise."""
        return self.covariance_factor * super().text_ridge(n_pairs, num_features)

    def error_bound(self, n_pairs: float, num_features: int, scale: float) -> float:
        """F, whose O(·) hides a factor of K: the root of λ's."""
        scale = scale * math.sqrt(max(1.0, self.covariance_factor))
        return super().error_bound(n_pairs, num_features, scale)
