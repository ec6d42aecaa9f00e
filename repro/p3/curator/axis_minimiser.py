"""Minimisers on worlds whose comparisons lie along coordinate axes: only the ball ties coordinates.

Σᵢ ℓᵢ(θ) + (A/2)‖θ‖² + ⟨b, θ⟩ over ‖θ‖ ≤ B, for R datasets at once, in time R·d.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import expit

NEWTON_STEPS, SECULAR_STEPS, CLOSE = 200, 100, 1e-12


@dataclass(frozen=True, eq=False)
class AxisCounts:
    """R datasets of labelled pairs, as counts or as shares of n.

    Attributes:
        pairs: (R, d) pairs along each axis.
        wins: (R, d) of them with the label +1.
        length: of every feature difference.
    """

    pairs: np.ndarray
    wins: np.ndarray
    length: float

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """(R, d) of the loss summed over records, at θ (R, d)."""
        return self.derivatives(theta)[0]

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, d) gradient, and (R, d) diagonal of the Hessian."""
        win = expit(self.length * theta)
        slope = self.length * (self.pairs * win - self.wins)
        return slope, self.length**2 * self.pairs * win * (1 - win)

    def minimiser(self, ridge: float, linear: np.ndarray, radius: float) -> np.ndarray:
        """(R, d) argmin over ‖θ‖ ≤ radius.

        Args:
            ridge: A > 0.
            linear: (R, d) b.
            radius: B > 0.
        """
        theta = self._free(np.full(len(linear), ridge), linear, np.zeros_like(linear))
        outside = np.linalg.norm(theta, axis=1) > radius
        if outside.any():
            theta[outside] = self._rows(outside)._on_sphere(ridge, linear[outside], radius)
        return theta

    def _rows(self, rows: np.ndarray) -> Self:
        return replace(self, pairs=self.pairs[rows], wins=self.wins[rows])

    def _on_sphere(self, ridge: float, linear: np.ndarray, radius: float) -> np.ndarray:
        """Where the ball binds: Newton's method for the multiplier that adds to the ridge.

        1/‖θ‖ is nearly linear in it; a step that leaves the bracket halves it instead.
        """
        low, theta = np.full(len(linear), ridge), np.zeros_like(linear)
        high = ridge + np.linalg.norm(self.gradient(theta) + linear, axis=1) / radius
        weight = high
        for _ in range(SECULAR_STEPS):
            theta = self._free(weight, linear, theta)
            norm = np.linalg.norm(theta, axis=1)
            if np.abs(norm / radius - 1).max() < CLOSE:
                break
            low, high = np.where(norm > radius, weight, low), np.where(norm > radius, high, weight)
            curvature = self.derivatives(theta)[1]
            slope = (theta**2 / (curvature + weight[:, None])).sum(1) / norm**3
            step = weight + (1 / radius - 1 / norm) / slope
            weight = np.where((step > low) & (step < high), step, np.sqrt(low * high))
        return theta * (radius / np.linalg.norm(theta, axis=1))[:, None]

    def _free(self, weight: np.ndarray, linear: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Minimisers over all θ with the ridge ``weight`` (R,), by damped Newton steps."""
        for _ in range(NEWTON_STEPS):
            gradient, curvature = self.derivatives(theta)
            slope = gradient + weight[:, None] * theta + linear
            step = slope / (curvature + weight[:, None])
            # |third derivative| ≤ length · second: with this damping each coordinate falls.
            size = np.maximum(self.length * np.abs(step), 1e-12)
            change = step * np.log1p(size) / size
            theta = theta - change
            if np.abs(change).max() < CLOSE:
                break
        return theta


@dataclass(frozen=True, eq=False)
class AxisChoices(AxisCounts):
    """R datasets of choices among several responses, each with ± half a feature difference.

    ``pairs`` are (R, d, G) choices of G kinds; P(a + response is chosen) = sigmoid(⟨x, θ⟩ + odds).

    Attributes:
        odds: (G,) log of how many + responses there are to each − response.
    """

    odds: np.ndarray

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, d) gradient, and (R, d) diagonal of the Hessian."""
        win = expit(self.length * theta[..., None] + self.odds)
        chosen = self.pairs * win
        slope = self.length * (chosen.sum(-1) - self.wins)
        return slope, self.length**2 * (chosen * (1 - win)).sum(-1)
