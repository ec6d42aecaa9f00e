"""Algorithm 1 of P3 on neighbouring datasets, as printed, as cited and as certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from repro.families.central.bounds_gradients import Records, pairs
from repro.families.central.bounds_hockey_stick import hockey_stick_bound
from repro.families.central.bounds_ranking_distance import joint_rankings
from repro.families.central.cases_privacy import ReleaseCase, at_half
from repro.families.central.mechanisms_calibration import (
    Calibration,
    corrected,
    curvature,
    kifer,
    printed,
    tied_otherwise,
)
from repro.families.central.mechanisms_gaussian import GaussianShift
from repro.families.central.mechanisms_noise import under
from repro.families.central.mechanisms_objective import Item, ObjectivePerturbation
from repro.families.central.searches_neighbours import World, most_telling
from repro.families.central.searches_rankings import mirrored_ranking
from repro.privacy.mechanism import Mechanism, worst
from repro.study.privacy_rows import audited
from repro.study.row import Method

OVERSTATED = 1.2
"""A budget believed 20 % higher than it is."""
SHORT = 1.25
"""Factor by which the noise of the closest control is too small."""

LONGEST = Item(2.0)
"""The record of largest feature difference, 2L with L = 1, label +1."""


def of_labelled_pairs(reward_bound: float, dimension: int) -> Records:
    """What one labelled pair can do."""
    return pairs(reward_bound, dimension)


@dataclass(frozen=True)
class Neighbours:
    """Pairs of neighbouring datasets.

    Attributes:
        pairs: (calibration, case) → the pairs, under objective perturbation.
        dimension: d of the world they live in.
        records: (LB, d) → what one record can do.
    """

    pairs: Callable[[Calibration, EstimateCase], Sequence[Mechanism]]
    dimension: int
    records: Callable[[float, int], Records] = of_labelled_pairs


def flipped(calibration: Calibration, case: EstimateCase) -> list[ObjectivePerturbation]:
    """One label flipped."""
    return [tied_otherwise(calibration, case.reward_bound, (LONGEST,), (Item(-2.0),))]


def flipped_or_moved(calibration: Calibration, case: EstimateCase) -> list[ObjectivePerturbation]:
    """One label flipped, or one item moved from a tie."""
    moved = tied_otherwise(calibration, case.reward_bound, (), (LONGEST,))
    return [*flipped(calibration, case), moved]


def searched(calibration: Calibration, case: EstimateCase) -> list[Mechanism]:
    """The most telling of the neighbours that a search begins from."""
    world = World(case.searched_pairs, case.reward_bound, case.neighbours.dimension)
    return [most_telling(world, calibration, case.half[0])]


def mirrored_rankings(ranked: int, calibration: Calibration, case: EstimateCase) -> list[Mechanism]:
    """A ranking of K responses and its mirror image, among rankings that pin θ."""
    world = World(case.searched_pairs, case.reward_bound, case.neighbours.dimension)
    return [mirrored_ranking(ranked, world, calibration, case.half[0])]


def of_rankings(ranked: int, dimension: int) -> Neighbours:
    """Neighbours that differ in one ranking of K responses."""
    pairs = partial(mirrored_rankings, ranked)
    return Neighbours(pairs, dimension, partial(joint_rankings, ranked))


FLIP, LINE = Neighbours(flipped, 1), Neighbours(flipped_or_moved, 1)
SEARCHED = {dimension: Neighbours(searched, dimension) for dimension in (1, 2, 3)}
RANKED = {at: of_rankings(*at) for at in ((3, 2), (3, 3), (4, 2))}
"""By K and d."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimateCase(ReleaseCase):
    """Algorithm 1 on a ball of radius B with features of norm L = 1.

    Attributes:
        neighbours: the datasets that an attacker tells apart.
        reward_bound: LB.
        failure_prob: η.
        searched_pairs: n where neighbours are searched; elsewhere all other records are ties.
    """

    neighbours: Neighbours
    reward_bound: float
    failure_prob: float
    searched_pairs: int

    def released(self, calibration: Calibration) -> Mechanism:
        """θ̂ of the neighbours that are told apart best, under a calibration."""
        return under(self.noise, lambda multiple: self._worst(calibration.weakened(1 / multiple)))

    def _worst(self, calibration: Calibration) -> Mechanism:
        return worst(self.neighbours.pairs(calibration, self), self.half[0])

    @property
    def records(self) -> Records:
        """What one record can do."""
        return self.neighbours.records(self.reward_bound, self.neighbours.dimension)

    @property
    def as_printed(self) -> Calibration:
        """σ and A of Algorithm 1."""
        gamma, d = curvature(self.reward_bound), self.neighbours.dimension
        return printed(self.epsilon, self.dp_delta, gamma, d, self.failure_prob)

    @property
    def certified(self) -> Calibration:
        """σ and A that the hockey-stick bound certifies at (ε/2, δ/2)."""
        return corrected(*self.half, self.records)


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
short_noise = calibrated("noise_over_1_25", lambda case: case.certified.weakened(SHORT))
cited_short = calibrated("kifer_over_1_25", lambda case: kifer(*case.half).weakened(SHORT))
printed_noise = calibrated(
    "printed_noise", lambda case: Calibration(case.as_printed.sigma, case.certified.ridge)
)
half_noise = calibrated("half_noise", lambda case: case.certified.weakened(2.0))
quarter_noise = calibrated("quarter_noise", lambda case: case.certified.weakened(4.0))
epsilon_overstated = calibrated(
    "epsilon_overstated",
    lambda case: corrected(OVERSTATED * case.half[0], case.half[1], case.records),
)
printed_ridge = _ridge_of(lambda case: case.certified)
printed_ridge_of_kifer = _ridge_of(lambda case: kifer(*case.half))

with_jacobian = Method("printed", True)
without_jacobian = Method("without_jacobian", False)
"""Wrong: the bound without its change of volume."""


def over_shift(case: EstimateCase, m: Method, rng: Any, replicates: int) -> float:
    """Exact δ(ε/2) over that of a Gaussian shift 2L/σ, σ being the certified one."""
    mechanism, claim = audited(case, m)
    shift = GaussianShift(2 / case.certified.sigma)
    return mechanism.exact_delta(claim.epsilon) / shift.exact_delta(claim.epsilon)


def over_hockey_stick(case: EstimateCase, m: Method[bool], rng: Any, replicates: int) -> float:
    """Exact δ(ε/2) of Algorithm 1 over the hockey-stick bound, with or without its Jacobian."""
    mechanism, claim = audited(case, as_printed)
    made = case.as_printed
    bound = hockey_stick_bound(case.records, made.sigma, made.ridge, claim.epsilon, m.run)
    return mechanism.exact_delta(claim.epsilon) / bound
