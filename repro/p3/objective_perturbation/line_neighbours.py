"""Neighbouring datasets in d = 1 whose common records hold θ̂ where two records tell most.

Records of whatever kind: pairs or rankings, with scalar features of norm at most L = 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.one_dimension import (
    Items,
    LogisticRecords,
    ObjectivePerturbation,
    Perturbed,
    Ranking,
)

COMMON = 100_000
"""Records that both datasets hold."""
NEAR_THE_BALL, PLACES = 0.99, 50
"""How far out θ̂ is held at most, over B, and places from 0 to there that are looked at."""
Record = LogisticRecords | Ranking


@dataclass(frozen=True)
class Neighbours:
    """Two datasets that differ in one record.

    Attributes:
        common: what both hold.
        one, other: the record of either; nothing for a tie.
    """

    common: Items
    one: Items
    other: Items

    def released(self, calibration: Calibration, radius: float) -> ObjectivePerturbation:
        """θ̂ of either."""
        rest = calibration.ridge, calibration.sigma, radius
        sides = (Perturbed((*self.common, *last), *rest) for last in (self.one, self.other))
        return ObjectivePerturbation(*sides)

    @property
    def moved(self) -> float:
        """|Σ − Σ'| times n."""
        return abs(second_moment(self.one) - second_moment(self.other))


def second_moment(items: Items) -> float:
    """n·Σ of records without counts: x² of a pair, the mean over all pairs of a ranking."""
    return sum(_second_moment(item) for item in items)


def _second_moment(record: Record) -> float:
    if isinstance(record, LogisticRecords):
        return record.slope**2
    squares = [(feature - other) ** 2 for feature, other in combinations(record.features, 2)]
    return math.fsum(squares) / len(squares)


def candidates(ranked: int) -> Sequence[Record]:
    """Records that are tried: pairs of all lengths for 2, else rankings of features −1, …, 1."""
    if ranked == 2:
        return [LogisticRecords(float(x)) for x in np.linspace(-2, 2, 201) if x]
    grid = np.linspace(-1, 1, 5)
    return [Ranking(tuple(map(float, features))) for features in product(grid, repeat=ranked)]


def held(ranked: int, radius: float, ridge: float, adjacency: Adjacency) -> Neighbours:
    """The two records, or the one, whose gradients are farthest apart where θ̂ can be held.

    Args:
        ranked: K; 2 for pairs.
        radius: B, with L = 1.
        ridge: A.
        adjacency: whether one record replaces another or a tie.
    """
    places = NEAR_THE_BALL * radius * np.linspace(1 / PLACES, 1, PLACES)
    tried = candidates(ranked)
    # Records mirrored in 0 have mirrored gradients, so that one sign of θ is enough.
    gradients = np.array([record.gradient(places) for record in tried])
    low, high = gradients.argmin(0), gradients.argmax(0)
    at = np.arange(PLACES)
    if adjacency == REPLACE:
        best = int((gradients[high, at] - gradients[low, at]).argmax())
        other: Items = (tried[low[best]],)
    else:
        best, other = int(gradients[high, at].argmax()), ()
    common = held_at(ranked, float(places[best]), ridge)
    return Neighbours(common, (tried[high[best]],), other)


def held_at(ranked: int, place: float, ridge: float) -> Items:
    """``COMMON`` records with labels both ways whose minimiser is ``place``, if they can."""
    even = tuple(np.linspace(1, -1, ranked).tolist())
    up = LogisticRecords(2.0) if ranked == 2 else Ranking(even)
    down = LogisticRecords(-2.0) if ranked == 2 else Ranking(even[::-1])
    rises, falls = (float(record.gradient(np.array([place]))[0]) for record in (up, down))
    won = round(COMMON * float(np.clip((-ridge * place / COMMON - falls) / (rises - falls), 0, 1)))
    return tuple(
        _counted(record, float(count))
        for record, count in ((up, won), (down, COMMON - won))
        if count
    )


def _counted(record: Record, count: float) -> Record:
    if isinstance(record, LogisticRecords):
        return LogisticRecords(record.slope, count)
    return Ranking(record.features, count)
