"""The pair (θ̃, Σ̃) in one dimension, for pairs, rankings and trajectories (P3, Theorems 4.1–5.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from repro.families.central.bounds_gradients import Records, pairs
from repro.families.central.bounds_ranking_distance import joint_rankings
from repro.families.central.cases_privacy import ReleaseCase
from repro.families.central.mechanisms_calibration import (
    Calibration,
    corrected,
    curvature,
    printed,
    tied_otherwise,
)
from repro.families.central.mechanisms_gaussian import WithGaussian, exact_shift, printed_shift
from repro.families.central.mechanisms_noise import under
from repro.families.central.mechanisms_objective import Item, Items, Ranking
from repro.privacy.mechanism import Guarantee, Mechanism, worst
from repro.study.privacy_rows import audited
from repro.study.row import Method

RANKED, STEPS = 3, 2
"""K of the K-wise rows, H of the trajectories."""
SHORT = 1.25
"""Factor by which the noise of the closest control is too small."""
LEAST, MOST, BISECTIONS = -8.0, 16.0, 14
"""log of the multiples of a ridge that are tried, and bisections of it."""


def _pairs(bound: float) -> Records:
    return pairs(bound, 1)


def _rankings(bound: float) -> Records:
    return joint_rankings(RANKED, bound, 1)


@dataclass(frozen=True)
class Comparison:
    """A kind of comparison, with features of norm at most 1.

    Attributes:
        one: a record of largest feature differences.
        other: the record whose gradient is farthest from it.
        gamma: LB → γ of the printed ridge.
        ridge_factor: of the printed ridge, over that of pairs.
        printed_shift: what a record moves Σ_D by, over its printed noise, relative to pairs.
        records: LB → what one record can do on a line.
        steps: H, by which L is multiplied.
        exchange: what exchanging the two moves Σ_D by, over what adding ``one`` does.
    """

    one: Items
    other: Items
    gamma: Callable[[float], float] = curvature
    ridge_factor: int = 1
    printed_shift: float = 1.0
    records: Callable[[float], Records] = _pairs
    steps: int = 1
    exchange: float = 0.0


def _gamma_of_rankings(bound: float) -> float:
    """γ_K = e^(−4LB)/2."""
    return math.exp(-4 * bound) / 2


PAIRS = Comparison((Item(2.0),), (Item(-2.0),))
TRAJECTORIES = Comparison((Item(2.0),), (Item(-2.0),), steps=STEPS)
# Of all rankings with features −1, 0, 1 these two differ most; their terms of n·Σ_K are 8/3 and 2.
RANKINGS = Comparison(
    (Ranking((1.0, 1.0, -1.0)),),
    (Ranking((-1.0, 0.0, 1.0)),),
    gamma=_gamma_of_rankings,
    ridge_factor=RANKED**3,
    printed_shift=(8 / 3) / 4 / RANKED**3,
    records=_rankings,
    exchange=0.25,
)


@dataclass(frozen=True)
class Release:
    """What a method releases: σ and A of the estimate, Δ/σ of the covariance."""

    estimate: Calibration
    shift: float

    def weakened(self, factor: float) -> Release:
        """The same ridge with ``factor`` times less noise on both."""
        return Release(self.estimate.weakened(factor), factor * self.shift)


@dataclass(frozen=True, eq=False, kw_only=True)
class JointCase(ReleaseCase):
    """Algorithms 1 and 2 on the same neighbours: one record exchanged, or moved from a tie.

    Attributes:
        comparison: what is compared.
        reward_bound: LB, with HL in the place of L.
        ridge_multiple: of the ridge A, whatever the method.
        failure_prob: η.
    """

    comparison: Comparison
    reward_bound: float
    ridge_multiple: float
    failure_prob: float

    def joint(self, release: Release) -> Mechanism:
        """θ̃ and Σ̃; a flipped label of a pair leaves Σ̃ as it is."""
        return under(self.noise, lambda multiple: self._joint(release.weakened(1 / multiple)))

    def alone(self, release: Release) -> Mechanism:
        """θ̃ without Σ̃."""
        return under(self.noise, lambda multiple: self._alone(release.weakened(1 / multiple)))

    def _joint(self, release: Release) -> Mechanism:
        exchanged, moved = self._neighbours(release.estimate)
        both = [WithGaussian(moved, release.shift)]
        along = self.comparison.exchange * release.shift
        return worst([*both, WithGaussian(exchanged, along) if along else exchanged], self.epsilon)

    def _alone(self, release: Release) -> Mechanism:
        return worst(self._neighbours(release.estimate), self.half[0])

    def _neighbours(self, estimate: Calibration):
        calibration = Calibration(estimate.sigma, self.ridge_multiple * estimate.ridge)
        one, other = self.comparison.one, self.comparison.other
        flipped = tied_otherwise(calibration, self.reward_bound, one, other)
        return flipped, tied_otherwise(calibration, self.reward_bound, (), one)

    @property
    def as_printed(self) -> Release:
        """Algorithms 1 and 2 as printed."""
        return self.with_gamma(self.comparison.gamma(self.reward_bound))

    def with_gamma(self, gamma: float) -> Release:
        """As printed, with another γ in the ridge."""
        found = printed(self.epsilon, self.dp_delta, gamma, 1, self.failure_prob)
        estimate = Calibration(found.sigma, found.ridge * self.comparison.ridge_factor)
        shift = printed_shift(self.epsilon, self.dp_delta)
        return Release(estimate, self.comparison.printed_shift * shift)

    @property
    def certified(self) -> Release:
        """Either release certified at (ε/2, δ/2)."""
        estimate = corrected(*self.half, self.comparison.records(self.reward_bound))
        return Release(estimate, exact_shift(*self.half))

    @property
    def certified_on_printed_ridge(self) -> Release:
        """Certified noise, printed ridge."""
        ridge, found = self.as_printed.estimate.ridge, self.certified
        return Release(Calibration(found.estimate.sigma, ridge), found.shift)


def jointly(name: str, release: Callable[[JointCase], Release]) -> Method:
    """A method whose pair (θ̃, Σ̃) is claimed to be (ε, δ)-private."""
    return Method(
        name, lambda case: (case.joint(release(case)), Guarantee(case.epsilon, case.dp_delta))
    )


def estimate_alone(name: str, release: Callable[[JointCase], Release]) -> Method:
    """A method whose θ̃ is claimed to be (ε/2, δ/2)-private."""
    return Method(name, lambda case: (case.alone(release(case)), Guarantee(*case.half)))


as_printed = jointly("printed", lambda case: case.as_printed)
certified = jointly("corrected", lambda case: case.certified)
half_noise = jointly("half_noise", lambda case: case.certified.weakened(2.0))
quarter_noise = jointly("quarter_noise", lambda case: case.certified.weakened(4.0))
printed_ridge = jointly("printed_ridge", lambda case: case.certified_on_printed_ridge)
estimate = estimate_alone("estimate", lambda case: case.certified)
estimate_short = estimate_alone("noise_over_1_25", lambda case: case.certified.weakened(SHORT))
printed_estimate = estimate_alone("printed_estimate", lambda case: case.as_printed)
without_gamma = jointly("without_gamma", lambda case: case.with_gamma(0.25))
"""Wrong for a sweep of LB: γ at LB = 0."""


def multiple_needed(case: JointCase, m: Method, rng: Any, replicates: int) -> float:
    """Smallest multiple of a method's ridge that makes the pair private; inf where none does.

    Once the ridge pays for the change of volume more of it changes δ(ε) little.
    """
    return _multiple_needed(case, m)


@lru_cache(maxsize=1024)
def _multiple_needed(case: JointCase, m: Method) -> float:
    def leaks(log_multiple: float) -> bool:
        multiplied = replace(case, ridge_multiple=math.exp(log_multiple))
        mechanism, claim = audited(multiplied, m)
        return mechanism.exact_delta(claim.epsilon) > claim.dp_delta

    low, high = LEAST, MOST
    if leaks(high):
        return math.inf
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if leaks(middle) else (low, middle)
    return math.exp(high)
