"""Search for the two neighbouring datasets that tell most: it refutes claims and controls bounds.

Common records lie along the d axes; their shares, lengths and labels are free.  One more record is
replaced, or stands in the place of a tie; in d ≥ 2 its two versions lie in the plane of the first
and the last axis, on two sides of the first, at free angles and of free length (a tie where the
length is 0, the mirrored record where both are equal); in d = 1 they are free numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy
from scipy.special import expit, logit, softmax

from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import LONGEST, reach
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.planar_divergence import COARSE
from repro.p3.objective_perturbation.records import Pair

TINY = 1e-9
"""Shares, lengths and angles stay this far from the ends of their ranges."""
PULLS_MOST = 1.2785
"""argmax of z·sigmoid(−z): the length, times ‖θ‖, at which a record pulls most against θ."""
PINNED, LEANS = (0.3, 0.9), (-1.0, 0.0)
NEAR_THE_BALL, ON_THE_WAY = 0.99, 200
"""How far out θ̂ is held at most, over B, and places between 0 and there that are looked at."""


@dataclass(frozen=True)
class World:
    """Where neighbours are sought.

    Attributes:
        n_pairs: n, the replaced record included.
        radius: B, with L = 1.
        dimension: d, 1 to 3.
        adjacency: what neighbours are.
    """

    n_pairs: int
    radius: float
    dimension: int
    adjacency: Adjacency = REPLACE


@dataclass(frozen=True)
class TwoDatasets:
    """Two datasets that differ in one record.

    Attributes:
        share: (d,) of the n − 1 common records along each axis.
        length: (d,) of their feature differences, in (0, R).
        wins: (d,) share of them that point along the positive axis.
        norms: of the two versions of the last record over R; with a sign in d = 1.
        angles: of the two versions to the first axis; of no meaning in d = 1.
    """

    share: tuple[float, ...]
    length: tuple[float, ...]
    wins: tuple[float, ...]
    norms: tuple[float, ...]
    angles: tuple[float, ...]

    def datasets(self, world: World, calibration: Calibration) -> tuple[OnBall, OnBall]:
        """Objective perturbation of either, with whole counts of records."""
        common = tuple(self.common(world))
        first, other = self.last(world)
        rest = (calibration.ridge, calibration.sigma, world.radius, world.dimension)
        return OnBall((*common, *first), *rest), OnBall((*common, *other), *rest)

    def last(self, world: World) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
        """What either dataset has beside the common records; a tie is left out."""
        first, other = (Pair(x) for x in self._versions(world.dimension))
        return (first,), (other,) if world.adjacency == REPLACE else ()

    def squares_apart(self, world: World) -> float:
        """‖Σ xxᵀ − Σ yyᵀ‖_F of what either dataset has beside the common records."""
        zero = np.zeros((world.dimension, world.dimension))
        first, other = (
            sum((np.outer(record.x, record.x) for record in last), zero)
            for last in self.last(world)
        )
        return float(np.linalg.norm(first - other))

    def common(self, world: World) -> Iterator[Pair]:
        """The n − 1 records that both datasets hold."""
        for axis in range(world.dimension):
            count = math.floor(self.share[axis] * (world.n_pairs - 1))
            won = round(self.wins[axis] * count)
            unit = np.eye(world.dimension)[axis] * self.length[axis]
            for sign, number in ((1.0, won), (-1.0, count - won)):
                yield Pair(tuple(sign * unit), float(number))

    def _versions(self, dimension: int) -> list[tuple[float, ...]]:
        if dimension == 1:
            return [(LONGEST * norm,) for norm in self.norms]
        sides = zip(self.norms, self.angles, (1, -1), strict=True)
        return [_at(LONGEST * norm, side * angle, dimension) for norm, angle, side in sides]

    @property
    def coordinates(self) -> np.ndarray:
        """All of it as 3d + 4 unbounded numbers."""
        shares = np.log(np.maximum(self.share, TINY))
        length, wins = _free(self.length, 0, LONGEST), _free(self.wins, 0, 1)
        norms, angles = _free(self.norms, -1, 1), _free(self.angles, 0, math.pi)
        return np.concatenate([shares, length, wins, norms, angles])

    @classmethod
    def at(cls, coordinates: np.ndarray) -> TwoDatasets:
        """The inverse of ``coordinates``."""
        d = (len(coordinates) - 4) // 3
        share, length, wins = (coordinates[k * d : (k + 1) * d] for k in range(3))
        norms, angles = coordinates[3 * d : 3 * d + 2], coordinates[3 * d + 2 :]
        return cls(
            tuple(softmax(share)), _bound(length, 0, LONGEST), _bound(wins, 0, 1),
            _bound(norms, -1, 1), _bound(angles, 0, math.pi),
        )  # fmt: skip


def _free(values: tuple[float, ...], low: float, high: float) -> np.ndarray:
    return logit(np.clip((np.array(values) - low) / (high - low), TINY, 1 - TINY))


def _bound(free: np.ndarray, low: float, high: float) -> tuple[float, ...]:
    return tuple(low + (high - low) * expit(free))


def _at(norm: float, angle: float, dimension: int) -> tuple[float, ...]:
    """x at an angle to the first axis, towards the last one."""
    between = (0.0,) * (dimension - 2)
    return (norm * math.cos(angle), *between, norm * math.sin(angle))


def most_telling(
    world: World, calibration: Calibration, epsilon: float, steps: int = 0
) -> OnBallNeighbours:
    """The best of ``guesses``, and of a local search from the best of them.

    Args:
        world: n, B and d.
        calibration: noise and ridge.
        epsilon: of δ(ε).
        steps: evaluations of the local search; 0 for none.
    """

    def log_delta(datasets: TwoDatasets) -> float:
        return worst_log_delta(*datasets.datasets(world, calibration), epsilon, COARSE)

    best = max(guesses(world, calibration, epsilon), key=log_delta)
    if steps:
        best = max(best, climbed(log_delta, best, steps), key=log_delta)
    return OnBallNeighbours(*best.datasets(world, calibration))


def climbed(
    log_delta: Callable[[TwoDatasets], float], start: TwoDatasets, steps: int
) -> TwoDatasets:
    """Where a local search of so many evaluations ends."""
    centre = start.coordinates
    simplex = np.concatenate([centre[None], centre + 0.3 * np.eye(len(centre))])
    optimum = scipy.optimize.minimize(
        lambda at: -max(log_delta(TwoDatasets.at(at)), -1e3), centre, method="Nelder-Mead",
        options={"maxfev": steps, "initial_simplex": simplex},
    )  # fmt: skip
    return TwoDatasets.at(optimum.x)


def guesses(world: World, calibration: Calibration, epsilon: float) -> list[TwoDatasets]:
    """Where to begin.

    A tie that becomes a record, among ties or where others hold θ̂ near −B·e₁.  Where a record is
    replaced also: a mirrored record while others pin θ₁ at −B; a flipped label; on a line the two
    records that are farthest apart where others hold θ̂ best.
    Labels along the last axis are even, or lean so that θ_d is near 0 where the noise tells most.
    """
    d = world.dimension
    added = [
        TwoDatasets((1 / d,) * d, (TINY,) * d, (0.5,) * d, (1.0, 0.0), (0.0, 0.0)),
        held(world, calibration, -NEAR_THE_BALL * world.radius, (1.0, 0.0)),
    ]
    if world.adjacency == ADD_REMOVE:
        return added
    if d == 1:
        leaning = (pinned(world, calibration, epsilon, 0.0, math.pi / 2, lean) for lean in LEANS)
        return [*added, *leaning, held(world, calibration, *farthest_on_a_line(world.radius))]
    angles = (_angle(world.radius), math.pi / 2)
    pins = (pinned(world, calibration, epsilon, *pin) for pin in product(PINNED, angles, LEANS))
    return [*added, *pins, mirrored(world, angles[0])]


def held(
    world: World, calibration: Calibration, place: float, norms: tuple[float, float]
) -> TwoDatasets:
    """Common records on all axes, whose labels hold θ̂ at ``place``·e₁; versions along e₁.

    Args:
        world: n, B and d.
        calibration: noise and ridge.
        place: θ₁ of the minimiser without noise.
        norms: of the two versions, over R; with a sign in d = 1.
    """
    d = world.dimension
    wins = np.full(d, 0.5)
    wins[0] = expit(LONGEST * place) + calibration.ridge * place * d / (LONGEST * world.n_pairs)
    even = (1 / d,) * d
    return TwoDatasets(even, (LONGEST,) * d, tuple(np.clip(wins, 0, 1)), norms, (0.0, 0.0))


def farthest_on_a_line(radius: float) -> tuple[float, tuple[float, float]]:
    """θ at which two records' gradients are farthest apart in d = 1, and their norms over R.

    >>> place, norms = farthest_on_a_line(5.0)
    >>> round(place, 1), round(2 * norms[0], 2), norms[1]
    (-2.0, -0.64, 1.0)
    """
    places = np.linspace(0, NEAR_THE_BALL * radius, ON_THE_WAY + 1)[1:]
    ends = [reach(np.array([angle]), LONGEST * places, 1) for angle in (0.0, math.pi)]
    best = float(places[int(np.argmax(ends[0] + ends[1]))])
    # Of the record that agrees with θ the gradient is largest at this length.
    return -best, (-min(1.0, PULLS_MOST / (LONGEST * best)), 1.0)


def mirrored(world: World, angle: float) -> TwoDatasets:
    """All common records pin θ̂ at −B·e₁, and the last one is mirrored in e₁."""
    d = world.dimension
    share, wins = np.zeros(d), np.full(d, 0.5)
    share[0], wins[0] = 1.0, 0.0
    return TwoDatasets(tuple(share), (LONGEST,) * d, tuple(wins), (1.0, 1.0), (angle, angle))


def _angle(radius: float) -> float:
    """At which a mirrored record's gradients are farthest apart."""
    angles = np.linspace(0.5, math.pi / 2, 200)
    force = np.sin(angles) * expit(LONGEST * radius * np.cos(angles))
    return float(angles[int(np.argmax(force))])


def pinned(
    world: World, calibration: Calibration, epsilon: float, pinned: float, angle: float, lean: float
) -> TwoDatasets:
    """A share pins θ₁ at −B, the others lean against the noise b_d that tells most."""
    d = world.dimension
    share = np.array([pinned, *[(1 - pinned) / (d - 1)] * (d - 1)]) if d > 1 else np.ones(1)
    length, wins = np.full(d, LONGEST), np.full(d, 0.5)
    if d > 1:
        length[0], wins[0] = min(LONGEST, PULLS_MOST / world.radius), 0.0
    wins[-1] += _lean(world, calibration, epsilon, lean) / (LONGEST * share[-1] * world.n_pairs)
    return TwoDatasets(
        tuple(share), tuple(length), tuple(np.clip(wins, 0, 1)), (1.0, -1.0 if d == 1 else 1.0),
        (angle, angle),
    )  # fmt: skip


def _lean(world: World, calibration: Calibration, epsilon: float, lean: float) -> float:
    """b_d at which the privacy loss of a shift of about 3L (2L in d = 1) is ε, times ``lean``."""
    shift = LONGEST * (1 if world.dimension == 1 else 1.5) / calibration.sigma
    return lean * calibration.sigma * epsilon / shift
