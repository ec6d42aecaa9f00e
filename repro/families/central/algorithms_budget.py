"""The constants of P3's Algorithms 1–3: noise levels and ridges of the trusted curator."""

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
