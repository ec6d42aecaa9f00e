"""Two neighbouring datasets under objective perturbation on a ball, d ≤ 3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from repro.labels.privacy.mechanism import Mechanism
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.planar_divergence import FINE

LEAST = -1e3
"""log δ below which no difference is made."""


@dataclass(frozen=True)
class OnBallNeighbours(Mechanism):
    """θ̂ of either of two datasets, in the same ball and under the same noise and ridge."""

    one: OnBall
    other: OnBall

    def exact_delta(self, epsilon: float) -> float:
        """By nested quadrature."""
        return math.exp(worst_log_delta(self.one, self.other, epsilon, FINE))

    def exact_epsilon(self, dp_delta: float) -> float:
        """By regula falsi on log δ(ε), which is almost linear, as each δ(ε) takes a while."""

        def excess(epsilon: float) -> float:
            log = worst_log_delta(self.one, self.other, epsilon, FINE)
            return max(log, LEAST) - math.log(dp_delta)

        if excess(0.0) <= 0:
            return 0.0
        high = 1.0
        while excess(high) > 0:
            high = 2 * high
        return float(scipy.optimize.brentq(excess, 0.0, high, xtol=1e-9, rtol=1e-9))  # type: ignore[arg-type]

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        side = self.other if neighbour else self.one
        theta = side.solve(side.sigma * rng.standard_normal((count, side.dimension)))
        return self.log_ratio(theta)

    def log_ratio(self, theta: np.ndarray) -> np.ndarray:
        """(m,) log of other's over one's density at releases (m, d), inside or on the sphere."""
        norm = np.linalg.norm(theta, axis=-1)
        within = norm < self.one.radius * (1 - 1e-12)
        inside = np.where(within[:, None], theta, 0.0)
        omega = theta / np.maximum(norm, 1e-300)[:, None]
        return np.where(
            within,
            self.other.log_density(inside) - self.one.log_density(inside),
            self.other.log_area_density(omega) - self.one.log_area_density(omega),
        )
