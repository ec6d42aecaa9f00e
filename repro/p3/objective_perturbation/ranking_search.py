"""The two rankings that tell most among rankings that pin θ̂: mirror images in θ̂'s axis.

The last record is the ranking of K responses, in the plane of the first and the last axis, whose
gradient leaves the first axis most, and its mirror image.  The others pull θ̂ towards −e₁, as far
as n records can against the ridge: K responses at even steps along one direction, the best first.
A record's pull is p(z)/‖θ‖, z the step of its rewards, at every angle to θ̂ at which its features
reach that step; so the records stand at a wide angle on two sides of −e₁, where they also hold θ̂
in place across, and more of them on one side meet the noise that tells most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass

import numpy as np
import scipy

from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import LONGEST
from repro.p3.objective_perturbation.neighbour_search import NEAR_THE_BALL, World
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.planar_divergence import COARSE
from repro.p3.objective_perturbation.ranking_distance import farthest_ranking
from repro.p3.objective_perturbation.records import RankedFeatures

STEPS_TRIED = np.linspace(0.2, 2.5, 116)
"""Steps between the rewards of responses in a row."""
LEAST_TILT = math.pi / 4
MIDDLE = 0.03
"""Share of the common records that hold θ̂ in place along the middle axis of d = 3."""
ACROSS = (0.0, 1.0)
"""How much of the noise that tells most the common records meet."""


def evenly_ranked(ranked: int, x: tuple[float, ...], count: float = 1.0) -> RankedFeatures:
    """K responses at even steps from x/2 to −x/2, the one at x/2 best."""
    places = np.linspace(0.5, -0.5, ranked)
    return RankedFeatures(
        tuple(tuple(float(at * coordinate) for coordinate in x) for at in places), count
    )


@dataclass(frozen=True)
class Pins:
    """The common records, and ‖θ‖ for which the last one is made.

    Attributes:
        middle: share of the common records along the middle axis; 0 in d = 2.
        tilt: angle of the others to −e₁.
        length: distance from their best to their worst response, at most 2.
        above: share of these on the side of the last axis.
        size: ‖θ‖.
    """

    middle: float
    tilt: float
    length: float
    above: float
    size: float

    def common(self, ranked: int, world: World) -> Iterator[RankedFeatures]:
        """The n − 1 records that both datasets hold."""
        between = (0.0,) * (world.dimension - 2)
        half = math.floor(self.middle * (world.n_pairs - 1) / 2)
        if half:
            for sign in (LONGEST, -LONGEST):
                yield evenly_ranked(ranked, (0.0, sign, 0.0), half)
        rest = world.n_pairs - 1 - 2 * half
        above = round(self.above * rest)
        for side, count in ((1.0, above), (-1.0, rest - above)):
            along, across = -math.cos(self.tilt), side * math.sin(self.tilt)
            x = (self.length * along, *between, self.length * across)
            yield evenly_ranked(ranked, x, count)

    def datasets(self, ranked: int, world: World, calibration: Calibration) -> OnBallNeighbours:
        """Objective perturbation of either."""
        common = tuple(self.common(ranked, world))
        rest = (calibration.ridge, calibration.sigma, world.radius, world.dimension)
        last = _versions(ranked, self.size, world.dimension)
        return OnBallNeighbours(*(OnBall((*common, record), *rest) for record in last))


def added_ranking(ranked: int, world: World, calibration: Calibration) -> OnBallNeighbours:
    """One ranking along e₁ in the place of a tie, where others hold θ̂ near −B·e₁.

    Of its responses the one that θ̂ likes best comes last.

    Args:
        ranked: K of all records.
        world: n, B and d.
        calibration: noise and ridge.
    """
    d, place = world.dimension, -NEAR_THE_BALL * world.radius
    unit = np.eye(d)[0]
    added = RankedFeatures(tuple(tuple(sign * unit) for sign in (*[1.0] * (ranked - 1), -1.0)))
    count = (world.n_pairs - 1) / d
    common = list(held_in_place(ranked, unit, place, count, calibration.ridge))
    for axis in np.eye(d)[1:]:
        common += held_in_place(ranked, axis, 0.0, count, calibration.ridge)
    rest = (calibration.ridge, calibration.sigma, world.radius, d)
    return OnBallNeighbours(OnBall((*common, added), *rest), OnBall(tuple(common), *rest))


def held_in_place(
    ranked: int, axis: np.ndarray, place: float, count: float, ridge: float
) -> Iterator[RankedFeatures]:
    """Rankings both ways along an axis, so many of either that θ̂ stays at ``place`` on it."""
    ends = [tuple(float(x) for x in sign * LONGEST * axis) for sign in (1.0, -1.0)]
    at = place * axis[None]
    up, down = (float(evenly_ranked(ranked, end).derivatives(at)[0][0] @ axis) for end in ends)
    won = math.floor(count * np.clip((-ridge * place / count - down) / (up - down), 0, 1))
    for end, number in zip(ends, (won, math.floor(count) - won), strict=True):
        yield evenly_ranked(ranked, end, float(number))


def mirrored_ranking(
    ranked: int, world: World, calibration: Calibration, epsilon: float, steps: int = 0
) -> OnBallNeighbours:
    """The best of a few datasets of rankings that pin θ near −B·e₁, and of a local search.

    Args:
        ranked: K of all records.
        world: n, B and d, 2 or 3.
        calibration: noise and ridge.
        epsilon: of δ(ε).
        steps: evaluations of the local search; 0 for none.
    """

    def log_delta(at: Pins) -> float:
        datasets = at.datasets(ranked, world, calibration)
        return worst_log_delta(datasets.one, datasets.other, epsilon, COARSE)

    starts = [
        start(ranked, world, calibration, epsilon, MIDDLE * (world.dimension > 2), share_across)
        for share_across in ACROSS
    ]
    if world.dimension > 2 and starts[0].size < world.radius:
        # All that can pull must, where n records cannot hold θ̂ at the edge.
        starts += [
            start(ranked, world, calibration, epsilon, 0.0, share_across) for share_across in ACROSS
        ]
    best = max(starts, key=log_delta)
    if steps:
        best = max(best, _climbed(log_delta, best, world, steps), key=log_delta)
    return best.datasets(ranked, world, calibration)


def start(
    ranked: int,
    world: World,
    calibration: Calibration,
    epsilon: float,
    middle: float,
    across: float,
) -> Pins:
    """Records that pull as much as they can at the ‖θ‖ at which the ridge holds them."""
    pulls = [_pull(ranked, step) for step in STEPS_TRIED]
    reach = float(STEPS_TRIED[int(np.argmax(pulls))]) * (ranked - 1)
    held = (1 - middle) * world.n_pairs
    size = min(world.radius, math.sqrt(held * max(pulls) / calibration.ridge))
    tilt = max(LEAST_TILT, math.acos(min(1.0, reach / (LONGEST * size))))
    length = min(LONGEST, reach / (size * math.cos(tilt)))
    apart = 2 * abs(_across(_versions(ranked, size, 2)[0], size))
    noise = across * (epsilon * calibration.sigma**2 / apart - apart / 2)
    direction = (-length * math.cos(tilt), length * math.sin(tilt))
    lean = noise / (held * abs(_across(evenly_ranked(ranked, direction), size)))
    return Pins(middle, tilt, length, min(1.0, (1 + lean) / 2), size)


def _pull(ranked: int, step: float) -> float:
    """What a record pulls outwards, times ‖θ‖, where its rewards are so far apart."""
    at = np.ones((1, 1))
    return -float(evenly_ranked(ranked, (step * (ranked - 1),)).derivatives(at)[0][0, 0])


def _across(record: RankedFeatures, size: float) -> float:
    """Component of a planar record's gradient across θ = −size·e₁."""
    return float(record.derivatives(np.array([[-size, 0.0]]))[0][0, 1])


def _climbed(log_delta: Callable[[Pins], float], begin: Pins, world: World, steps: int) -> Pins:
    """Where a local search of so many evaluations ends."""
    most = np.array([0.5, math.pi / 2, LONGEST, 1.0, world.radius])
    centre = np.array(astuple(begin))
    free = [place for place in range(len(centre)) if place > 0 or world.dimension > 2]

    def at(moved: np.ndarray) -> Pins:
        whole = centre.copy()
        whole[free] = moved
        return Pins(*map(float, np.clip(whole, 1e-3 * most * (centre > 0), most)))

    inwards = np.where(centre > 0.9 * most, -0.1, 0.1) * most
    simplex = np.concatenate([centre[free][None], centre[free] + np.diag(inwards[free])])
    optimum = scipy.optimize.minimize(
        lambda moved: -max(log_delta(at(moved)), -1e3), centre[free], method="Nelder-Mead",
        options={"maxfev": steps, "initial_simplex": simplex},
    )  # fmt: skip
    return at(optimum.x)


def _versions(ranked: int, size: float, dimension: int) -> list[RankedFeatures]:
    """The last record and its mirror image, farthest apart at θ = −size·e₁."""
    between = (0.0,) * (dimension - 2)
    # A grid of sizes, so that the angles are searched but a few times.
    angles = farthest_ranking(ranked, round(10 * size) / 10)
    # θ is near −‖θ‖·e₁, so angles to θ are angles to −e₁.
    return [
        RankedFeatures(
            tuple((-math.cos(angle), *between, sign * math.sin(angle)) for angle in angles)
        )
        for sign in (1.0, -1.0)
    ]
