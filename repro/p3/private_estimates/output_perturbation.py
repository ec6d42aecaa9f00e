"""Output perturbation: the minimiser over the ball under a ridge, plus Gaussian noise.

The minimisers of two neighbouring datasets lie at most D/A apart, A being the ridge and D the
largest distance of two records' gradients at one θ of the ball where one replaces the other, and
the largest norm of one where it is added or removed (docs/explanations/mechanism_comparison.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.labels.privacy.gaussian import GaussianShift, exact_shift
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.gradients import LONGEST, Records
from repro.p3.objective_perturbation.records import Pair

ANGLES = 2001
SHORT = 0.01
"""Length of common records whose curvature is to count little beside the ridge."""


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
    epsilon: float, dp_delta: float, records: Records, ridge: float
) -> OutputPerturbation:
    """The least noise that is (ε, δ)-private for minimisers D/A apart.

    Args:
        epsilon: ε > 0.
        dp_delta: δ in (0, 1).
        records: what one record can do.
        ridge: A > 0.
    """
    apart = records.distance / ridge
    return OutputPerturbation(ridge, apart / exact_shift(epsilon, dp_delta))


def worst_angle(radius: float) -> float:
    """Angle to −θ, ‖θ‖ = radius, at which a mirrored record's gradients are farthest apart."""
    angles = np.linspace(0.0, math.pi / 2, ANGLES)
    return float(angles[np.argmax(np.sin(angles) * expit(LONGEST * radius * np.cos(angles)))])


def told_apart(
    output: OutputPerturbation, reward_bound: float, adjacency: Adjacency
) -> GaussianShift:
    """The release of two neighbours in the plane: a record at −B·e₁ that is mirrored, or added.

    Common records along e₁ pull θ̂ just to the sphere, so that the ball does not bind; all others
    are ties, so n is free.  Nothing but the ridge holds θ̂ along e₂, where a mirrored record moves
    it; along e₁, where a record that is added does, short common records hold it little more.
    """
    if adjacency == REPLACE:
        angle, length = worst_angle(reward_bound), LONGEST
        sides = [(Pair(_at(side * angle)),) for side in (1, -1)]
    else:
        length = SHORT
        sides = [(), (Pair((LONGEST, 0.0)),)]
    pull = output.ridge * reward_bound / (length * float(expit(-length * reward_bound)))
    common = Pair((-length, 0.0), math.floor(pull))
    ends = [_minimiser((common, *side), output.ridge, reward_bound) for side in sides]
    return GaussianShift(float(np.linalg.norm(ends[0] - ends[1])) / output.std)


def _at(angle: float) -> tuple[float, float]:
    return LONGEST * math.cos(angle), LONGEST * math.sin(angle)


def _minimiser(records: tuple[Pair, ...], ridge: float, radius: float) -> np.ndarray:
    """(2,) without noise."""
    return OnBall(records, ridge, 1.0, radius, 2).solve(np.zeros((1, 2)))[0]
