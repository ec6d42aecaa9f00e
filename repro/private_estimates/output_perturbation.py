"""Output perturbation: the minimiser over the ball under a ridge, plus Gaussian noise.

The minimisers of two datasets that differ in one replaced record lie at most D/A apart, D being the
largest distance of two records' gradients at one θ of the ball and A the ridge
(docs/explanations/mechanism_comparison.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repro.objective_perturbation.ball import OnBall
from repro.objective_perturbation.gradients import LONGEST, pairs
from repro.objective_perturbation.records import Pair
from repro.privacy.gaussian import GaussianShift, exact_shift

ANGLES = 2001


@dataclass(frozen=True)
class OutputPerturbation:
    """A calibration, for the loss summed over records and L = 1.

    Attributes:
        ridge: A.
        std: of the noise on each coordinate of the minimiser.
    """

    ridge: float
    std: float

    def weakened(self, factor: float) -> OutputPerturbation:
        """The same ridge with ``factor`` times less noise."""
        return OutputPerturbation(self.ridge, self.std / factor)


def output_perturbation(
    epsilon: float, dp_delta: float, reward_bound: float, dimension: int, ridge: float
) -> OutputPerturbation:
    """The least noise that is (ε, δ)-private for minimisers D/A apart.

    Args:
        epsilon: ε > 0.
        dp_delta: δ in (0, 1).
        reward_bound: LB.
        dimension: d.
        ridge: A > 0.
    """
    apart = pairs(reward_bound, dimension).distance / ridge
    return OutputPerturbation(ridge, apart / exact_shift(epsilon, dp_delta))


def worst_angle(radius: float) -> float:
    """Angle to −θ, ‖θ‖ = radius, at which a mirrored record's gradients are farthest apart."""
    angles = np.linspace(0.0, math.pi / 2, ANGLES)
    return float(angles[np.argmax(np.sin(angles) * expit(LONGEST * radius * np.cos(angles)))])


def told_apart(made: OutputPerturbation, reward_bound: float) -> GaussianShift:
    """The release of two neighbours in the plane: a mirrored record at −B·e₁.

    Records along e₁ pull θ̂ just to the sphere, so that the ball does not bind and nothing but the
    ridge holds θ̂ along e₂; all other records are ties, so n is free.
    """
    x = (-LONGEST, 0.0)
    pull = made.ridge * reward_bound / (LONGEST * float(expit(-LONGEST * reward_bound)))
    common = (Pair(x, math.floor(pull)),)
    angle = worst_angle(reward_bound)
    ends = [
        _minimiser((*common, Pair(_at(side * angle))), made.ridge, reward_bound) for side in (1, -1)
    ]
    return GaussianShift(float(np.linalg.norm(ends[0] - ends[1])) / made.std)


def _at(angle: float) -> tuple[float, float]:
    return LONGEST * math.cos(angle), LONGEST * math.sin(angle)


def _minimiser(records: tuple[Pair, ...], ridge: float, radius: float) -> np.ndarray:
    """(2,) without noise."""
    return OnBall(records, ridge, 1.0, radius, 2).solve(np.zeros((1, 2)))[0]
