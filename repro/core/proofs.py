"""Proofs by interval arithmetic: an inequality at every point of a box, or a point where it fails.

The box is cut until the enclosure of every piece says that the ratio is at most 1; rounding is
outward (mpmath), so nothing is left to chance.  A wrong version is refuted by one point, whose own
enclosure lies above 1.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, product
from typing import Any

import mpmath

MOST_PIECES = 20_000
"""A box that is not settled by then is left undecided."""
POINTS, STEPS = 5, tuple(number**0.5 for number in (2, 3, 5, 7, 11, 13))
"""Points of a box at which a claim is looked at besides, and their steps along its sides."""
NEAR = 100.0
"""Sides of a box are looked at up to there: beyond it one term drowns the others."""
ROUNDING = 1e-9
"""By how much a ratio may exceed 1: the tolerance of ``repro.core.claims.Inequality``."""

iv: Any = mpmath.iv
"""Interval arithmetic; its own types do not say that it takes floats and intervals."""
Interval = Any
"""A number of ``iv``: all numbers between two ends."""
Box = Sequence[tuple[float, float]]
"""Lower and upper end of each variable."""


@dataclass(frozen=True)
class Claimed:
    """Left over right side at every point of a box.

    Attributes:
        box: where it is claimed.
        ratio: intervals of the variables → an interval that holds every value there.
    """

    box: Box
    ratio: Callable[..., Interval]


def decided(claimed: Claimed, most_pieces: int = MOST_PIECES) -> float:
    """The largest ratio of a box: an upper bound of all points, or the value at one above 1.

    Returns:
        at most 1 + ``ROUNDING`` only where the whole box is proved; more only where a point is
        proved to exceed it; NaN where neither was found.
    """
    order, waiting, proved = count(), [], -math.inf
    at = cache(partial(_at, claimed))  # neighbours share corners
    pieces: list[Box] = [tuple(claimed.box)]
    for _ in range(most_pieces):
        for piece in pieces:
            above = float(claimed.ratio(*(iv.mpf(list(side)) for side in piece)).b)
            if above <= 1 + ROUNDING:
                proved = max(proved, above)
                continue
            ratio = max(at(point) for point in _points(piece))
            if ratio > 1 + ROUNDING:
                return ratio
            heapq.heappush(waiting, (-above, next(order), piece))
        if not waiting:
            return proved
        pieces = _halves(heapq.heappop(waiting)[2])
    return math.nan


def proof_of(world: Any, algorithm: Callable[[Any], Claimed], rng: Any, replicates: int) -> float:
    """What ``decided`` says of an algorithm's claim of a world; the ``of`` of a quantity."""
    return decided(algorithm(world))


def _beside(quantity: Any, world: Any, algorithm: Callable[[Any], Claimed]) -> float:
    return inside(algorithm(world))


proof_of.beside = _beside  # type: ignore[attr-defined]
"""See ``repro.study.slack``: what a run is pinned to besides the largest ratio."""


def inside(claimed: Claimed) -> float:
    """The mean of the ratio over some points of the box, most of them far from its largest.

    >>> round(inside(Claimed(((0.0, 1.0),), lambda x: x)), 6)
    0.442641
    """
    box = [(max(low, -NEAR), min(high, NEAR)) for low, high in claimed.box]
    sides = [STEPS[i % len(STEPS)] for i in range(len(box))]
    shares = [[k * step % 1 for step in sides] for k in range(1, POINTS + 1)]
    points = [
        [low + share * (high - low) for share, (low, high) in zip(at, box, strict=True)]
        for at in shares
    ]
    return sum(float(iv.mpf(claimed.ratio(*(iv.mpf(x) for x in at))).mid) for at in points) / POINTS


def _at(claimed: Claimed, point: tuple[float, ...]) -> float:
    """A lower bound of the ratio at one point; −∞ where it has none."""
    lower_end = float(claimed.ratio(*(iv.mpf(x) for x in point)).a)
    return lower_end if math.isfinite(lower_end) else -math.inf


def _points(piece: Box) -> list[tuple[float, ...]]:
    """Corners and middle of a piece."""
    return [*product(*piece), tuple((low + high) / 2 for low, high in piece)]


def _halves(piece: Box) -> list[Box]:
    """The piece cut across its widest side."""
    widest = max(range(len(piece)), key=lambda i: piece[i][1] - piece[i][0])
    low, high = piece[widest]
    middle = (low + high) / 2
    return [
        (*piece[:widest], side, *piece[widest + 1 :]) for side in ((low, middle), (middle, high))
    ]


def interval_sigmoid(x: Interval) -> Interval:
    """σ."""
    return 1 / (1 + iv.exp(-x))


def interval_inverse_slope(x: Interval) -> Interval:
    """1/σ′(x) = 2 + e^x + e^−x; x occurs as a whole, so nothing is lost."""
    grown = iv.exp(abs(x))
    return 2 + grown + 1 / grown


def slope_between(bound: float) -> Box:
    """Where the derivative stands for a slope between two points of [−B, B] (mean value)."""
    return ((-bound, bound),)
