"""Records of preference data in d ≥ 1 dimensions: gradients and Hessians of their losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax


@dataclass(frozen=True)
class Pair:
    """``count`` labelled pairs, or pairs of trajectories, with loss log(1 + e^(−⟨x, θ⟩)).

    Attributes:
        x: (d,) difference of features, that of the preferred response first; ‖x‖ ≤ 2L.
        count: of such records, ≥ 0.
    """

    x: tuple[float, ...]
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """(..., d) at θ (..., d)."""
        x = np.array(self.x)
        return -self.count * expit(-(theta @ x))[..., None] * x

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """(..., d, d) at θ (..., d)."""
        x = np.array(self.x)
        win = expit(theta @ x)
        return (self.count * win * expit(-(theta @ x)))[..., None, None] * np.outer(x, x)


@dataclass(frozen=True)
class RankedFeatures:
    """``count`` full rankings of K responses under Plackett–Luce.

    Attributes:
        features: K rows of (d,) features, best first; norms ≤ L.
        count: of such records, ≥ 0.
    """

    features: tuple[tuple[float, ...], ...]
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """(..., d): at each stage the mean feature of those left, less that of the winner."""
        total = np.zeros_like(theta)
        for left, weight in self._stages(theta):
            total = total + weight @ left - left[0]
        return self.count * total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """(..., d, d): at each stage the covariance of the features left."""
        total = 0.0
        for left, weight in self._stages(theta):
            mean = weight @ left
            second = np.einsum("...k,ki,kj->...ij", weight, left, left)
            total = total + second - mean[..., :, None] * mean[..., None, :]
        return self.count * np.asarray(total)

    def _stages(self, theta: np.ndarray):
        features = np.array(self.features)
        for j in range(len(features) - 1):
            left = features[j:]
            yield left, softmax(theta @ left.T, axis=-1)


Records = tuple[Pair | RankedFeatures, ...]
