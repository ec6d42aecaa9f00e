"""The pair (θ̃, Σ̃) in the plane, as n → ∞: a mirrored record while others pin θ̂ at −B·e₁.

Both releases are Gaussian there: θ̂ shifts by ‖v‖/σ, Σ̃ by 4√2·sin 2φ/(nσ_Σ) when the record lies at
the angle ±φ to −θ̂.  At 45° the two versions are orthogonal, and Σ_D moves as far as it can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repro.families.central.bounds_gradients import LONGEST, pairs
from repro.families.central.bounds_joint import jointly_certified
from repro.families.central.cases_privacy import ReleaseCase
from repro.families.central.mechanisms_calibration import corrected, curvature, printed
from repro.families.central.mechanisms_gaussian import (
    REPLACEMENT,
    GaussianShift,
    exact_shift,
    printed_shift,
)
from repro.families.central.mechanisms_noise import under
from repro.privacy.mechanism import Guarantee
from repro.study.row import Method

EVEN_SHARE, SHORT, ANGLES = 0.5, 1.25, 2001


@dataclass(frozen=True)
class Noise:
    """What a method adds.

    Attributes:
        sigma: of b, with L = 1.
        shift: √2·4L²/n over the deviation of the noise on Σ_D.
    """

    sigma: float
    shift: float

    def weakened(self, factor: float) -> Noise:
        """``factor`` times less on both."""
        return Noise(self.sigma / factor, factor * self.shift)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaneCase(ReleaseCase):
    """Both releases of a mirrored record.

    Attributes:
        reward_bound: LB.
        failure_prob: η.
    """

    reward_bound: float
    failure_prob: float

    def released(self, noise: Noise) -> GaussianShift:
        """At the angle that tells most."""
        angle = np.linspace(0.0, np.pi / 2, ANGLES)
        losing = expit(LONGEST * self.reward_bound * np.cos(angle))
        force = 2 * LONGEST * np.sin(angle) * losing / noise.sigma
        return GaussianShift(float(np.hypot(force, noise.shift * np.sin(2 * angle)).max()))

    @property
    def as_printed(self) -> Noise:
        """Algorithms 1 and 2."""
        gamma = curvature(self.reward_bound)
        made = printed(self.epsilon, self.dp_delta, gamma, 2, self.failure_prob)
        return Noise(made.sigma, REPLACEMENT * printed_shift(self.epsilon, self.dp_delta))

    @property
    def halves(self) -> Noise:
        """Certified at (ε/2, δ/2) each."""
        made = corrected(*self.half, pairs(self.reward_bound, 2))
        return Noise(made.sigma, exact_shift(*self.half))

    @property
    def together(self) -> Noise:
        """Certified at (ε, δ) together."""
        records = pairs(self.reward_bound, 2)
        made, shift = jointly_certified(self.epsilon, self.dp_delta, records, EVEN_SHARE)
        return Noise(made.sigma, shift)


def in_the_plane(name: str, noise: Callable[[PlaneCase], Noise]) -> Method:
    """A method whose pair (θ̃, Σ̃) is claimed to be (ε, δ)-private."""

    def run(case: PlaneCase):
        made = noise(case)
        found = under(case.noise, lambda multiple: case.released(made.weakened(1 / multiple)))
        return found, Guarantee(case.epsilon, case.dp_delta)

    return Method(name, run)


as_printed = in_the_plane("printed", lambda case: case.as_printed)
halves = in_the_plane("halves", lambda case: case.halves)
together = in_the_plane("together", lambda case: case.together)
together_short = in_the_plane("noise_over_1_25", lambda case: case.together.weakened(SHORT))
halves_short = in_the_plane("half_noise", lambda case: case.halves.weakened(2.0))
covariance_forgotten = in_the_plane(
    "each_at_the_whole_budget",
    lambda case: Noise(
        corrected(case.epsilon, case.dp_delta, pairs(case.reward_bound, 2)).sigma,
        exact_shift(case.epsilon, case.dp_delta),
    ),
)
"""Wrong: either release has the whole (ε, δ)."""
