"""The Gaussian mechanism, exactly (Balle and Wang 2018), and as textbooks calibrate it.

A mechanism that adds N(0, σ²) noise to something two neighbours place Δ apart is described by
``shift`` = Δ/σ alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import log_ndtr

from repro.labels.privacy.mechanism import Mechanism


def gaussian_delta(shift: float | np.ndarray, epsilon: float | np.ndarray) -> np.ndarray:
    """Exact δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) of a shift μ > 0; any real ε.

    >>> float(gaussian_delta(1.0, 0.0).round(6)), float(gaussian_delta(1.0, 1.0).round(6))
    (0.382925, 0.126937)
    """
    shift, epsilon = np.asarray(shift, dtype=float), np.asarray(epsilon, dtype=float)
    log_first = log_ndtr(shift / 2 - epsilon / shift)
    log_second = epsilon + log_ndtr(-shift / 2 - epsilon / shift)
    return np.exp(log_first) * -np.expm1(np.minimum(log_second - log_first, 0.0))


def exact_shift(epsilon: float, dp_delta: float) -> float:
    """Largest shift that is (ε, δ)-private: the analytic Gaussian calibration.

    Up to 1e-13 of it on either side of the root; what is printed for use rounds it down
    (``repro.p3.private_estimates.recipes``).

    >>> round(float(gaussian_delta(exact_shift(0.5, 1e-6), 0.5)), 12)
    1e-06
    """

    def excess(log_shift: float) -> float:
        return math.log(
            max(float(gaussian_delta(math.exp(log_shift), epsilon)), 1e-300)
        ) - math.log(dp_delta)

    return math.exp(scipy.optimize.brentq(excess, math.log(1e-12), math.log(1e3), xtol=1e-13))  # type: ignore[arg-type]


def classical_shift(epsilon: float, dp_delta: float) -> float:
    """ε/√(2·log(1.25/δ)), the textbook calibration for ε ≤ 1 (Dwork and Roth 2014, Theorem A.1)."""
    return epsilon / math.sqrt(2 * math.log(1.25 / dp_delta))


@dataclass(frozen=True)
class GaussianShift(Mechanism):
    """Noise N(0, I) in ``dimension`` dimensions on values a distance ``shift`` apart.

    The runs release whole vectors; the attacker projects them on the difference of the values.
    """

    shift: float
    dimension: int = 1

    def exact_delta(self, epsilon: float) -> float:
        return float(gaussian_delta(self.shift, epsilon))

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        noise = rng.standard_normal((count, self.dimension))
        direction = np.full(self.dimension, self.dimension**-0.5)
        return (noise + neighbour * self.shift * direction) @ direction
