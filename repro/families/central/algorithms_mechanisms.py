"""Three private estimates of a reward from the same labelled pairs.

Objective perturbation, output perturbation and noisy gradient descent, each with the noise that
makes it (ε, δ)-private and the ridge or number of steps that suits the world best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.families.central.algorithms_separable import AxisCounts
from repro.families.central.mechanisms_calibration import Calibration
from repro.families.central.mechanisms_descent import NoisyDescent
from repro.families.central.mechanisms_output import OutputPerturbation

NO_RIDGE = 1e-9
"""Ridge of the estimate without privacy, over n: to rounding none."""


def kept_steps(steps: int) -> int:
    """How many of the last steps descent returns the mean of."""
    return math.ceil(steps / 2)


@dataclass(frozen=True, eq=False)
class Dataset:
    """R datasets of n pairs, and the stream of their curators' noise.

    Attributes:
        counts: labels.
        n_pairs: n.
        radius: B.
        rng: the block's stream.
        noise: what is added, in units of what is stated.
    """

    counts: AxisCounts
    n_pairs: int
    radius: float
    rng: np.random.Generator
    noise: float

    def normal(self, std: float) -> np.ndarray:
        """(R, d) noise of a standard deviation."""
        return self.noise * std * self.rng.standard_normal(self.counts.wins.shape)

    def without_privacy(self) -> np.ndarray:
        """(R, d) maximum likelihood on the ball."""
        zero = np.zeros_like(self.counts.wins)
        return self.counts.minimiser(NO_RIDGE * self.n_pairs, zero, self.radius)

    def objective(self, made: Calibration) -> np.ndarray:
        """(R, d) minimisers of the perturbed objective."""
        return self.counts.minimiser(made.ridge, self.normal(made.sigma), self.radius)

    def output(self, made: OutputPerturbation) -> np.ndarray:
        """(R, d) minimisers under a ridge, with noise."""
        found = self.counts.minimiser(made.ridge, np.zeros_like(self.counts.wins), self.radius)
        return found + self.normal(made.std)

    def descent(self, made: NoisyDescent, largest: float) -> np.ndarray:
        """(R, d) mean of the last half of the steps, begun at 0.

        Args:
            made: steps and noise.
            largest: curvature of the summed loss at 0 along its steepest axis; a step has the
                length 1/largest.
        """
        theta = np.zeros_like(self.counts.wins)
        total, kept = np.zeros_like(theta), kept_steps(made.steps)
        for step in range(made.steps):
            theta = theta - (self.counts.gradient(theta) + self.normal(made.std)) / largest
            norm = np.linalg.norm(theta, axis=1, keepdims=True)
            theta = theta * np.minimum(1.0, self.radius / np.maximum(norm, 1e-300))
            if step >= made.steps - kept:
                total += theta / kept
        return total
