"""The constants of P3's Algorithms 1–3 for pairs and for rankings of K responses."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class CentralBudget:
    """A privacy budget with the bounds of Assumption 2.1 (P3, Algorithms 1 and 2).

    Attributes:
        epsilon: ε in (0, 1].
        log_inverse_delta: log(1/δ), δ ≤ 1/n².
        failure_prob: η.
        feature_norm: L, ‖φ‖ ≤ L; labels enter by differences of norm at most 2L.
        radius: B, ‖θ*‖ ≤ B.
        ridge_scale: C of Lemma A.9, in the units L².
    """

    epsilon: float
    log_inverse_delta: float
    failure_prob: float
    feature_norm: float
    radius: float
    ridge_scale: float

    @property
    def curvature(self) -> float:
        """γ = 1/(2 + e^(2LB) + e^(−2LB)), least slope of the sigmoid on [−2LB, 2LB] (P3, eq. 6)."""
        bound = 2 * self.feature_norm * self.radius
        return 1 / (2 + math.exp(bound) + math.exp(-bound))

    @property
    def noise_std(self) -> float:
        """σ of the linear perturbation b (Algorithm 1, step 1)."""
        return math.sqrt(40 * self.log_inverse_delta) * self.feature_norm / self.epsilon

    def ridge(self, n_pairs: float, num_features: int) -> float:
        """α = 2Cγ·√(d·log(1/δ)·log(1/η))/(εn) (Algorithm 1, step 3)."""
        return 2 * self.curvature * self.confidence_ridge(n_pairs, num_features)

    def confidence_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ = C·√(d·log(1/η)·log(1/δ))/(εn) as the appendix has it (Lemmas A.9, A.11)."""
        return self._root(num_features) / (self.epsilon * n_pairs)

    def text_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ as the main text prints it below eq. (3): 1/√(εn) in the place of 1/(εn)."""
        return self._root(num_features) / math.sqrt(self.epsilon * n_pairs)

    def output_std(self, optimizer_tol: float, ridge: float) -> float:
        """ν of the output noise w (Algorithm 1, step 2)."""
        return math.sqrt(40 * optimizer_tol * self.log_inverse_delta / ridge) / self.epsilon

    def covariance_std(self, n_pairs: float) -> float:
        """σ of the noise on the covariance (Algorithm 2, step 2)."""
        return (
            8 * math.sqrt(self.log_inverse_delta) * self.feature_norm**2 / (self.epsilon * n_pairs)
        )

    def error_bound(self, n_pairs: float, num_features: int, scale: float) -> float:
        """F of eq. (3), with ``scale`` for the constant of O(·)."""
        logs = num_features * math.log(1 / self.failure_prob) * self.log_inverse_delta
        private = logs**0.25 / math.sqrt(self.epsilon * n_pairs)
        return scale * (math.sqrt(num_features / n_pairs) + private)

    def _root(self, num_features: int) -> float:
        logs = num_features * math.log(1 / self.failure_prob) * self.log_inverse_delta
        return self.ridge_scale * self.feature_norm**2 * math.sqrt(logs)


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
