"""The two rankings that tell most among rankings that pin θ̂: mirror images in θ̂'s axis.

The last record is the ranking of K responses, in the plane of the first and the last axis, whose
gradient leaves the first axis most, and its mirror image; the other records are those of
``searches_neighbours``.
"""

from __future__ import annotations

import math
from dataclasses import replace

from repro.families.central.bounds_ranking_distance import farthest_ranking
from repro.families.central.mechanisms_ball import OnBall
from repro.families.central.mechanisms_calibration import Calibration
from repro.families.central.mechanisms_neighbours import OnBallNeighbours
from repro.families.central.mechanisms_records import RankedFeatures
from repro.families.central.quantities_divergence import COARSE, worst_log_delta
from repro.families.central.searches_neighbours import (
    PINNED,
    TwoDatasets,
    World,
    climbed,
    pinned,
    ranking_of_three,
)

LEANS = (-0.6, 0.0)
"""A ranking of three along an axis pulls 5/3 as much as a pair, so it leans by 3/5."""


def mirrored_ranking(
    ranked: int, world: World, made: Calibration, epsilon: float, steps: int = 0
) -> OnBallNeighbours:
    """The best of a few datasets of rankings that pin θ at −B·e₁, and of a local search.

    Args:
        ranked: K of the last record; the others have three responses of two kinds.
        world: n, B and d, 2 or 3.
        made: noise and ridge.
        epsilon: of δ(ε).
        steps: evaluations of the local search; 0 for none.
    """
    of_three = replace(world, record=ranking_of_three)
    last = _versions(ranked, world)

    def pair(at: TwoDatasets) -> OnBallNeighbours:
        common = tuple(at.common(of_three))
        rest = (made.ridge, made.sigma, world.radius, world.dimension)
        return OnBallNeighbours(*(OnBall((*common, one), *rest) for one in last))

    def log_delta(at: TwoDatasets) -> float:
        found = pair(at)
        return worst_log_delta(found.one, found.other, epsilon, COARSE)

    found = [pinned(of_three, made, epsilon, PINNED[0], math.pi / 2, lean) for lean in LEANS]
    best = max(found, key=log_delta)
    if steps:
        best = max(best, climbed(log_delta, best, steps), key=log_delta)
    return pair(best)


def _versions(ranked: int, world: World) -> list[RankedFeatures]:
    """The last record and its mirror image."""
    between = (0.0,) * (world.dimension - 2)
    angles = farthest_ranking(ranked, world.radius)
    # θ is pinned at −B·e₁, so angles to θ are angles to −e₁.
    return [
        RankedFeatures(tuple((-math.cos(one), *between, sign * math.sin(one)) for one in angles))
        for sign in (1.0, -1.0)
    ]
