"""Objective perturbation in one dimension by a solver that does its worst, and output noise w.

The solver returns θ̂ ± r, with the sign that belongs to the dataset, wherever that is in the ball
and no worse than its tolerance; w ~ N(0, ν²) is added.  One label is flipped, all else is ties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from repro.labels.privacy.mechanism import Mechanism
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.one_dimension import LogisticRecords, Perturbed

POINTS, REACH = 2001, 12.0


@dataclass(frozen=True)
class LooseSolver(Mechanism):
    """The release of either dataset.

    Attributes:
        made: σ of b and ridge A.
        radius: B, with L = 1.
        shift: 2√(β/α)/ν, in units of w.
        output: ν, in units of θ; with the shift it fixes β.
    """

    made: Calibration
    radius: float
    shift: float
    output: float

    @property
    def step(self) -> float:
        """How far the solver may go inside the ball: the loss is curved by at most A + 1."""
        within = self.shift * self.output / 2
        return within * math.sqrt(self.made.ridge / (self.made.ridge + 1))

    def exact_delta(self, epsilon: float) -> float:
        """By the trapezoidal rule; the two datasets are mirror images, so one side is enough."""
        return _exact_delta(self, epsilon)

    def curve(self, epsilon: float) -> float:
        """The same, computed anew."""
        density, other = (np.exp(self._log_densities[side]) for side in (0, 1))
        excess = np.maximum(density - math.exp(epsilon) * other, 0.0)
        return float(excess.sum() * (self._releases[1] - self._releases[0]))

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        theta = self._side(int(neighbour)).solve(rng.standard_normal(count))
        moved = self._moved(theta, int(neighbour)) + self.output * rng.standard_normal(count)
        log = [np.interp(moved, self._releases, side) for side in self._log_densities]
        return log[1] - log[0]

    def _side(self, side: int) -> Perturbed:
        """Label +1 or −1 of the longest record."""
        item = LogisticRecords((2.0, -2.0)[side])
        return Perturbed((item,), self.made.ridge, self.made.sigma, self.radius)

    def _moved(self, theta: np.ndarray, side: int) -> np.ndarray:
        moved = theta + (self.step, -self.step)[side]
        # At the ball's ends the loss may slope, so there the solver stays.
        free = (np.abs(theta) < self.radius) & (np.abs(moved) <= self.radius)
        return np.where(free, moved, theta)

    @cached_property
    def _releases(self) -> np.ndarray:
        end = self.radius + REACH * self.output
        return np.linspace(-end, end, POINTS)

    @cached_property
    def _log_densities(self) -> tuple[np.ndarray, np.ndarray]:
        return self._log_density(0), self._log_density(1)

    def _log_density(self, side: int) -> np.ndarray:
        """Log density of the release at ``_releases``."""
        releases = self._side(side)
        theta = np.linspace(-self.radius, self.radius, POINTS + 2)
        inside = theta[1:-1]
        mass = np.exp(releases.log_density(inside)) / math.sqrt(2 * math.pi) * (theta[1] - theta[0])
        centres = np.concatenate([self._moved(inside, side), theta[[0, -1]]])
        masses = np.concatenate([mass, releases.atoms])
        off = (self._releases[:, None] - centres) / self.output
        density = np.exp(-(off**2) / 2) @ masses / (self.output * math.sqrt(2 * math.pi))
        return np.log(np.maximum(density, 1e-300))


@lru_cache(maxsize=256)
def _exact_delta(release: LooseSolver, epsilon: float) -> float:
    return release.curve(epsilon)
