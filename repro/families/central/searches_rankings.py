"""The two rankings that tell most among rankings that pin θ̂: mirror images in θ̂'s axis.

In d = 2 the last record is the ranking of K responses whose gradient leaves the first axis most,
and its mirror image; the other records are those of ``searches_neighbours``.
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
from repro.families.central.searches_neighbours import PINNED, World, pinned, ranking_of_three

LEANS = (-0.6, 0.0)
"""A ranking of three along an axis pulls 5/3 as much as a pair, so it leans by 3/5."""


def mirrored_ranking(
    ranked: int, world: World, made: Calibration, epsilon: float
) -> OnBallNeighbours:
    """The better of a few datasets of rankings that pin θ at −B·e₁.

    Args:
        ranked: K of the last record; the others have three responses of two kinds.
        world: n and B; d is 2.
        made: noise and ridge.
        epsilon: of δ(ε).
    """
    of_three = replace(world, record=ranking_of_three)
    found = [_pair(ranked, of_three, made, epsilon, lean) for lean in LEANS]
    return max(found, key=lambda at: worst_log_delta(at.one, at.other, epsilon, COARSE))


def _pair(
    ranked: int, world: World, made: Calibration, epsilon: float, lean: float
) -> OnBallNeighbours:
    common = tuple(pinned(world, made, epsilon, PINNED[0], math.pi / 2, lean).common(world))
    angles = farthest_ranking(ranked, world.radius)
    rest = (made.ridge, made.sigma, world.radius, 2)
    # θ is pinned at −B·e₁, so angles to θ are angles to −e₁.
    sides = [
        tuple((-math.cos(one), sign * math.sin(one)) for one in angles) for sign in (1.0, -1.0)
    ]
    one, other = (OnBall((*common, RankedFeatures(side)), *rest) for side in sides)
    return OnBallNeighbours(one, other)
