"""Search for the two neighbouring datasets that tell most: it refutes claims and controls bounds.

Common records lie along the d axes; their shares, lengths and labels are free.  One more record is
replaced; in d ≥ 2 its two versions lie in the plane of the first and the last axis, on two sides of
the first, at free angles and of free length (a tie where the length is 0, the mirrored record where
both are equal); in d = 1 they are free numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax

from repro.objective_perturbation.ball import OnBall
from repro.objective_perturbation.calibration import Calibration
from repro.objective_perturbation.divergence import worst_log_delta
from repro.objective_perturbation.gradients import LONGEST
from repro.objective_perturbation.neighbours import OnBallNeighbours
from repro.objective_perturbation.planar_divergence import COARSE
from repro.objective_perturbation.records import Pair

TINY = 1e-9
"""Shares, lengths and angles stay this far from the ends of their ranges."""
PULLS_MOST = 1.2785
"""argmax of z·sigmoid(−z): the length, times ‖θ‖, at which a record pulls most against θ."""
PINNED, LEANS = (0.3, 0.9), (-1.0, 0.0)


@dataclass(frozen=True)
class World:
    """Where neighbours are sought.

    Attributes:
        n_pairs: n, the replaced record included.
        radius: B, with L = 1.
        dimension: d, 1 to 3.
    """

    n_pairs: int
    radius: float
    dimension: int


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

    def datasets(self, world: World, made: Calibration) -> tuple[OnBall, OnBall]:
        """Objective perturbation of either, with whole counts of records."""
        common = tuple(self.common(world))
        one, other = (Pair(x) for x in self._versions(world.dimension))
        rest = (made.ridge, made.sigma, world.radius, world.dimension)
        return OnBall((*common, one), *rest), OnBall((*common, other), *rest)

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
    world: World, made: Calibration, epsilon: float, steps: int = 0
) -> OnBallNeighbours:
    """The best of ``guesses``, and of a local search from the best of them.

    Args:
        world: n, B and d.
        made: noise and ridge.
        epsilon: of δ(ε).
        steps: evaluations of the local search; 0 for none.
    """

    def log_delta(found: TwoDatasets) -> float:
        return worst_log_delta(*found.datasets(world, made), epsilon, COARSE)

    best = max(guesses(world, made, epsilon), key=log_delta)
    if steps:
        best = max(best, climbed(log_delta, best, steps), key=log_delta)
    return OnBallNeighbours(*best.datasets(world, made))


def climbed(
    log_delta: Callable[[TwoDatasets], float], start: TwoDatasets, steps: int
) -> TwoDatasets:
    """Where a local search of so many evaluations ends."""
    centre = start.coordinates
    simplex = np.concatenate([centre[None], centre + 0.3 * np.eye(len(centre))])
    found = minimize(
        lambda at: -max(log_delta(TwoDatasets.at(at)), -1e3), centre, method="Nelder-Mead",
        options={"maxfev": steps, "initial_simplex": simplex},
    )  # fmt: skip
    return TwoDatasets.at(found.x)


def guesses(world: World, made: Calibration, epsilon: float) -> list[TwoDatasets]:
    """Where to begin.

    A mirrored record while others pin θ₁ at −B; a flipped label; a tie that becomes a record.
    Labels along the last axis are even, or lean so that θ_d is near 0 where the noise tells most.
    """
    d = world.dimension
    tie = TwoDatasets((1 / d,) * d, (TINY,) * d, (0.5,) * d, (0.0, 1.0), (0.0, 0.0))
    if d == 1:
        return [tie, *(pinned(world, made, epsilon, 0.0, math.pi / 2, lean) for lean in LEANS)]
    angles = (_angle(world.radius), math.pi / 2)
    return [
        tie, *(pinned(world, made, epsilon, *one) for one in product(PINNED, angles, LEANS))
    ]  # fmt: skip


def _angle(radius: float) -> float:
    """At which a mirrored record's gradients are farthest apart."""
    angles = np.linspace(0.5, math.pi / 2, 200)
    force = np.sin(angles) * expit(LONGEST * radius * np.cos(angles))
    return float(angles[int(np.argmax(force))])


def pinned(
    world: World, made: Calibration, epsilon: float, pinned: float, angle: float, lean: float
) -> TwoDatasets:
    """A share pins θ₁ at −B, the others lean against the noise b_d that tells most."""
    d = world.dimension
    share = np.array([pinned, *[(1 - pinned) / (d - 1)] * (d - 1)]) if d > 1 else np.ones(1)
    length, wins = np.full(d, LONGEST), np.full(d, 0.5)
    if d > 1:
        length[0], wins[0] = min(LONGEST, PULLS_MOST / world.radius), 0.0
    wins[-1] += _lean(world, made, epsilon, lean) / (LONGEST * share[-1] * world.n_pairs)
    return TwoDatasets(
        tuple(share), tuple(length), tuple(np.clip(wins, 0, 1)), (1.0, -1.0 if d == 1 else 1.0),
        (angle, angle),
    )  # fmt: skip


def _lean(world: World, made: Calibration, epsilon: float, lean: float) -> float:
    """b_d at which the privacy loss of a shift of about 3L (2L in d = 1) is ε, times ``lean``."""
    shift = LONGEST * (1 if world.dimension == 1 else 1.5) / made.sigma
    return lean * made.sigma * epsilon / shift
