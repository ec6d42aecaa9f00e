"""Algorithm 1 of P3 on neighbouring datasets, as printed, as cited and as certified."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from repro.families.central.cases_privacy import (
    ReleaseCase,
    at_half,
)
from repro.families.central.mechanisms_calibration import (
    Calibration,
    corrected,
    curvature,
    gradient_distance,
    hockey_stick_bound,
    kifer,
    printed,
    tied_otherwise,
)
from repro.families.central.mechanisms_gaussian import GaussianShift
from repro.families.central.mechanisms_noise import under
from repro.families.central.mechanisms_objective import Item, ObjectivePerturbation
from repro.privacy.mechanism import Mechanism, worst
from repro.study.privacy_rows import audited
from repro.study.row import Method

OVERSTATED = 1.2
"""A budget believed 20 % higher than it is."""
PINNED = 0.8
"""−θ₁/B in two dimensions."""

LONGEST = Item(2.0)
"""The record of largest feature difference, 2L with L = 1, label +1."""


@dataclass(frozen=True)
class Neighbours:
    """Pairs of neighbouring datasets.

    Attributes:
        pairs: (calibration, B) → the pairs, under objective perturbation.
        dimension: d of the world they live in.
    """

    pairs: Callable[[Calibration, float], Sequence[ObjectivePerturbation]]
    dimension: int


def flipped(calibration: Calibration, radius: float) -> list[ObjectivePerturbation]:
    """One label flipped."""
    return [tied_otherwise(calibration, radius, (LONGEST,), (Item(-2.0),))]


def flipped_or_moved(calibration: Calibration, radius: float) -> list[ObjectivePerturbation]:
    """One label flipped, or one item moved from a tie."""
    moved = tied_otherwise(calibration, radius, (), (LONGEST,))
    return [*flipped(calibration, radius), moved]


def mirrored(calibration: Calibration, radius: float) -> list[ObjectivePerturbation]:
    """θ₂ with θ₁ pinned at −0.8·B: a record at the worst angle, replaced by its mirror image."""
    angles = np.linspace(0.01, math.pi / 2, 2000)
    force = np.sin(angles) * expit(2 * PINNED * radius * np.cos(angles))
    angle = float(angles[np.argmax(force)])
    slope, offset = 2 * math.sin(angle), 2 * PINNED * radius * math.cos(angle)
    rest = radius * math.sqrt(1 - PINNED**2)
    return [tied_otherwise(calibration, rest, (Item(slope, offset),), (Item(-slope, offset),))]


FLIP, LINE, PLANE = (
    Neighbours(flipped, 1),
    Neighbours(flipped_or_moved, 1),
    Neighbours(mirrored, 2),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimateCase(ReleaseCase):
    """Algorithm 1 on a ball of radius B with features of norm L = 1.

    Attributes:
        neighbours: the datasets that an attacker tells apart.
        reward_bound: LB.
        failure_prob: η.
    """

    neighbours: Neighbours
    reward_bound: float
    failure_prob: float

    def released(self, calibration: Calibration) -> Mechanism:
        """θ̂ of the neighbours that are told apart best, under a calibration."""
        return under(self.noise, lambda multiple: self._worst(calibration.weakened(1 / multiple)))

    def _worst(self, calibration: Calibration) -> Mechanism:
        return worst(self.neighbours.pairs(calibration, self.reward_bound), self.half[0])

    @property
    def distance(self) -> float:
        """Largest difference of two records' gradients."""
        return gradient_distance(self.reward_bound)

    @property
    def as_printed(self) -> Calibration:
        """σ and A of Algorithm 1."""
        gamma, d = curvature(self.reward_bound), self.neighbours.dimension
        return printed(self.epsilon, self.dp_delta, gamma, d, self.failure_prob)

    @property
    def certified(self) -> Calibration:
        """σ and A that the hockey-stick bound certifies at (ε/2, δ/2)."""
        return corrected(*self.half, self.distance)


def calibrated(name: str, calibration: Callable[[EstimateCase], Calibration]) -> Method:
    """A method that is a calibration of objective perturbation."""
    return at_half(name, lambda case: case.released(calibration(case)))


def _ridge_of(calibration: Callable[[EstimateCase], Calibration]) -> Method:
    """Wrong: the printed ridge under another calibration's noise."""
    return calibrated(
        "printed_ridge",
        lambda case: Calibration(calibration(case).sigma, case.as_printed.ridge),
    )


as_printed = calibrated("printed", lambda case: case.as_printed)
cited = calibrated("kifer", lambda case: kifer(*case.half))
certified = calibrated("corrected", lambda case: case.certified)
half_noise = calibrated("half_noise", lambda case: case.certified.weakened(2.0))
quarter_noise = calibrated("quarter_noise", lambda case: case.certified.weakened(4.0))
epsilon_overstated = calibrated(
    "epsilon_overstated",
    lambda case: corrected(OVERSTATED * case.half[0], case.half[1], case.distance),
)
printed_ridge = _ridge_of(lambda case: case.certified)
printed_ridge_of_kifer = _ridge_of(lambda case: kifer(*case.half))

full_hessian = Method("printed", 1.0)
without_jacobian = Method("without_jacobian", 0.0)
"""Wrong: the bound without its change of volume."""


def over_shift(case: EstimateCase, m: Method, rng: Any, replicates: int) -> float:
    """Exact δ(ε/2) over that of a Gaussian shift 2L/σ, σ being the certified one."""
    mechanism, claim = audited(case, m)
    shift = GaussianShift(2 / case.certified.sigma)
    return mechanism.exact_delta(claim.epsilon) / shift.exact_delta(claim.epsilon)


def over_hockey_stick(case: EstimateCase, m: Method[float], rng: Any, replicates: int) -> float:
    """Exact δ(ε/2) of Algorithm 1 over the hockey-stick bound with the method's Hessian."""
    mechanism, claim = audited(case, as_printed)
    bound = hockey_stick_bound(case.as_printed, claim.epsilon, case.distance, m.run)
    return mechanism.exact_delta(claim.epsilon) / bound
