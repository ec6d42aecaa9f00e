"""Gradient descent with Gaussian noise in every step, and what all of its steps reveal.

θ_{t+1} = P(θ_t − (η/n)·(Σᵢ ∇ℓᵢ(θ_t) + s·Z_t)), P the projection on the ball.  At given θ_t one
record moves Σᵢ ∇ℓᵢ by at most D (which is less where it is added or removed than where it is
replaced), so T steps are T adaptively composed Gaussian mechanisms
of shift at most D/s: exactly as private as one of shift √T·D/s (Dong, Roth and Su 2022, Gaussian
differential privacy composes by squares).  Whatever is made of the steps is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.labels.privacy.gaussian import GaussianShift, exact_shift
from repro.p3.objective_perturbation.gradients import LONGEST, Records
from repro.p3.objective_perturbation.records import Pair
from repro.p3.private_estimates.output_perturbation import worst_angle


@dataclass(frozen=True)
class NoisyDescent:
    """A calibration, for L = 1.

    Attributes:
        steps: T.
        std: s, of the noise on each coordinate of the summed gradient.
    """

    steps: int
    std: float

    def weakened(self, factor: float) -> NoisyDescent:
        """As many steps with ``factor`` times less noise."""
        return NoisyDescent(self.steps, self.std / factor)


def noisy_descent(epsilon: float, dp_delta: float, records: Records, steps: int) -> NoisyDescent:
    """The least noise for which T composed steps are (ε, δ)-private.

    Args:
        epsilon: ε > 0.
        dp_delta: δ in (0, 1).
        records: what one record can do.
        steps: T ≥ 1.
    """
    shift = exact_shift(epsilon, dp_delta)
    return NoisyDescent(steps, math.sqrt(steps) * records.distance / shift)


def transcript(descent: NoisyDescent, reward_bound: float, adjacency: Adjacency) -> GaussianShift:
    """All steps of two neighbours in the plane, with η = 1 and as n → ∞.

    All common records pull to −B·e₁; one is mirrored, or added along e₁.  For large n the noise no
    longer moves θ_t, and the steps reveal a Gaussian shift √(Σ_t ‖v(θ_t)‖²)/s, v being how far the
    gradients of the two versions are apart, or that of the one that is added.
    """
    angle = worst_angle(reward_bound) if adjacency == REPLACE else 0.0
    first, other = (
        Pair((LONGEST * math.cos(side * angle), LONGEST * math.sin(side * angle)))
        for side in (1, -1)
    )
    common, theta, squares = Pair((-LONGEST, 0.0)), np.zeros(2), 0.0
    for _ in range(descent.steps):
        apart = first.gradient(theta)
        if adjacency == REPLACE:
            apart = apart - other.gradient(theta)
        squares += float((apart**2).sum())
        theta = theta - common.gradient(theta)
        theta = theta * min(1.0, reward_bound / float(np.linalg.norm(theta)))
    return GaussianShift(math.sqrt(squares) / descent.std)
