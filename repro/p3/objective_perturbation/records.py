"""Records of preference data in d ≥ 1 dimensions: gradients and Hessians of their losses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit


@dataclass(frozen=True)
class Pair:
    """``count`` labelled pairs, or pairs of trajectories, with loss log(1 + e^(−⟨x, θ⟩)).

    Attributes:
        x: (d,) difference of features, that of the preferred response first; ‖x‖ ≤ 2L.
        count: of such records, ≥ 0.
    """

    x: tuple[float, ...]
    count: float = 1.0

    @property
    def rows(self) -> np.ndarray:
        """(1, d) x."""
        return np.array([self.x])

    def along(self, axes: tuple[int, ...]) -> Pair:
        """What it says of these coordinates."""
        return Pair(tuple(self.x[axis] for axis in axes), self.count)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """(..., d) at θ (..., d)."""
        x = np.array(self.x)
        return -self.count * expit(-(theta @ x))[..., None] * x


@dataclass(frozen=True)
class RankedFeatures:
    """``count`` full rankings of K responses under Plackett–Luce.

    Attributes:
        features: K rows of (d,) features, best first; norms ≤ L.
        count: of such records, ≥ 0.
    """

    features: tuple[tuple[float, ...], ...]
    count: float = 1.0

    @property
    def rows(self) -> np.ndarray:
        """(K, d) features."""
        return np.array(self.features)

    def along(self, axes: tuple[int, ...]) -> RankedFeatures:
        """What it says of these coordinates."""
        return RankedFeatures(
            tuple(tuple(feature[axis] for axis in axes) for feature in self.features), self.count
        )

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (..., d) and Hessian (..., d, d) at θ (..., d).

        At each stage the mean feature of those left, less that of the winner; and their covariance.
        """
        features, squares = self._rows_and_squares
        reward = theta @ features.T
        weight = np.exp(reward - reward.max(-1, keepdims=True))
        shape = (*theta.shape[:-1], 1)
        total, first, second = np.zeros(shape), np.zeros(theta.shape), 0.0
        gradient, hessian = np.zeros(theta.shape), 0.0
        for place in reversed(range(len(features))):
            feature, share = features[place], weight[..., place, None]
            total, first = total + share, first + share * feature
            second = second + share[..., None] * squares[place]
            mean = first / total
            gradient = gradient + mean - feature
            hessian = hessian + second / total[..., None] - mean[..., :, None] * mean[..., None, :]
        return self.count * gradient, self.count * np.asarray(hessian)

    @cached_property
    def _rows_and_squares(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, d) features and (K, d, d) their products."""
        rows = self.rows
        return rows, rows[:, :, None] * rows[:, None, :]


Records = tuple[Pair | RankedFeatures, ...]
