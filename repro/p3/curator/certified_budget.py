"""Budgets whose noise is private at (ε, δ): θ̃ and Σ̃ are certified at (ε/2, δ/2) each.

θ̃ by our theorem (docs/explanations/objective_perturbation.md), Σ̃ by the exact Gaussian curve for
the largest change that one record makes.  F, Algorithm 3 and the coupling of α and λ are P3's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache

from repro.labels.privacy.gaussian import exact_shift
from repro.p3.curator.budget import CentralBudget, KwiseBudget
from repro.p3.objective_perturbation.calibration import Calibration, corrected
from repro.p3.objective_perturbation.gradients import Records, pairs
from repro.p3.objective_perturbation.ranking_distance import joint_rankings
from repro.p3.objective_perturbation.with_covariance import REPLACEMENT

PRINTED_NOISE = 8.0
"""Printed σ of Σ_D over L²·√log(1/δ)/(εn)."""


class Certified(CentralBudget):
    """A budget with certified noise; what one record can do is told by its subclasses."""

    @property
    def records(self) -> Records:
        """What one record can do to the gradient, with L = 1."""
        raise NotImplementedError

    @property
    def largest_change(self) -> float:
        """n·‖Σ_D − Σ_D'‖_F/L² of two neighbours, at most."""
        raise NotImplementedError

    @property
    def estimate(self) -> Calibration:
        """σ and A of θ̃, with L = 1."""
        return _certified(self.epsilon / 2, math.exp(-self.log_inverse_delta) / 2, self.records)

    @property
    def noise_std(self) -> float:
        """σ of b."""
        return self.feature_norm * self.estimate.sigma

    def ridge(self, n_pairs: float, num_features: int) -> float:
        """α: the certified A/(2n), or 2γλ as printed where that is more."""
        certified = self.feature_norm**2 * self.estimate.ridge / (2 * n_pairs)
        return max(certified, 2 * self.curvature * self.confidence_ridge(n_pairs, num_features))

    def covariance_std(self, n_pairs: float) -> float:
        """σ of the noise on Σ_D."""
        shift = _shift(self.epsilon / 2, math.exp(-self.log_inverse_delta) / 2)
        return self.feature_norm**2 * self.largest_change / (n_pairs * shift)

    def confidence_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ: over the noise on Σ_D what it is over the printed noise, as Lemma A.9 asks."""
        size = math.sqrt(num_features * math.log(1 / self.failure_prob))
        return self.ridge_scale / PRINTED_NOISE * size * self.covariance_std(n_pairs)

    def text_ridge(self, n_pairs: float, num_features: int) -> float:
        """λ of the main text: larger by √(εn)."""
        return math.sqrt(self.epsilon * n_pairs) * self.confidence_ridge(n_pairs, num_features)

    def error_bound(self, n_pairs: float, num_features: int, scale: float) -> float:
        """F, with the root of how much more noise there is than P3 prints for pairs."""
        numbers = {field.name: getattr(self, field.name) for field in fields(CentralBudget)}
        pair = CentralBudget(**numbers)
        more = max(
            self.noise_std / pair.noise_std,
            self.covariance_std(n_pairs) / pair.covariance_std(n_pairs),
        )
        return pair.error_bound(n_pairs, num_features, scale * math.sqrt(max(1.0, more)))


@dataclass(frozen=True)
class PrivateBudget(Certified):
    """Certified noise for pairs; with HL in the place of L, for trajectories."""

    @property
    def records(self) -> Records:
        """Two gradients in any number of dimensions."""
        return pairs(self.feature_norm * self.radius, 2)

    @property
    def largest_change(self) -> float:
        """√2·4: two orthogonal differences of norm 2L."""
        return REPLACEMENT * 4


@dataclass(frozen=True)
class PrivateKwiseBudget(Certified, KwiseBudget):
    """Certified noise for rankings of K responses."""

    @property
    def records(self) -> Records:
        """Two gradients in any number of dimensions."""
        ranked = self.num_ranked
        return joint_rankings(ranked, self.feature_norm * self.radius, 2 * (ranked - 1))

    @property
    def largest_change(self) -> float:
        """√2 times 2K/(K−1), the largest trace of what one ranking adds."""
        return REPLACEMENT * 2 * self.num_ranked / (self.num_ranked - 1)


@lru_cache(maxsize=1024)
def _certified(epsilon: float, dp_delta: float, records: Records) -> Calibration:
    return corrected(epsilon, dp_delta, records)


@lru_cache(maxsize=1024)
def _shift(epsilon: float, dp_delta: float) -> float:
    return exact_shift(epsilon, dp_delta)
