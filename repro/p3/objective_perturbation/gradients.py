"""What one record can do to the perturbed objective on the ball: gradients and Hessians.

Features have norm at most L = 1 and ``reward_bound`` is LB, so a difference y of two features has
norm at most R = 2.  The gradient of a pair is sigmoid(⟨y, θ⟩)·y with y pointing from the preferred
response to the other.  At a stage of a ranking with m responses behind the winner, gradients lie in
the convex hull of all sigmoid(log m + ⟨y, θ⟩)·y.
``docs/explanations/objective_perturbation.md`` proves each statement.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import expit, lambertw

from repro.labels.privacy.adjacency import REPLACE, Adjacency

LONGEST = 2.0
"""R: norm of a pair's feature difference, over L."""
ANGLES, COARSE_ANGLES, NORMS, LINE_NORMS, OPENINGS = 1501, 181, 33, 2001, 20_001


@dataclass(frozen=True)
class Tilt:
    """A bound of a difference of gradients and of the first record's curvature together.

    Attributes:
        weight: λ, what a unit of the trace of that record's Hessian counts for.
        distance: D_λ, largest distance plus λ times that trace.
    """

    weight: float
    distance: float


@dataclass(frozen=True)
class Records:
    """Bounds that hold for every two neighbours' records and every θ of the ball.

    A record that is added differs from nothing at all: its gradient is the difference.

    Attributes:
        distance: D, largest difference of two records' gradients.
        span: largest dimension of the space that such differences lie in.
        points: (length, how many) of points whose convex hull, with 0, holds these differences.
        sector: half angle of the arc of radius D that takes the place of a point; 0 for a point.
        hessian: largest trace of a record's Hessian.
        rank: largest rank of a record's Hessian.
        radius: LB, where the bound is to count on how little a noise can turn such a difference;
            None leaves that out, which is as good for pairs and faster.
        tilt: that records cannot be far apart and curved at once; counts where ``radius`` does.
    """

    distance: float
    span: int
    points: tuple[tuple[float, int], ...]
    sector: float
    hessian: float
    rank: int
    radius: float | None = None
    tilt: Tilt | None = None


@lru_cache(maxsize=256)
def pairs(reward_bound: float, dimension: int) -> Records:
    """Labelled pairs; with HL in the place of L, pairs of trajectories.

    Args:
        reward_bound: LB ≥ 0; inf for the unconstrained minimiser.
        dimension: d ≥ 1; all d ≥ 2 give the same.
    """
    distance = gradient_distance(reward_bound, 1, dimension)
    single = LONGEST * float(expit(2 * reward_bound))
    if dimension == 1:
        return Records(distance, 1, ((distance, 2),), 0.0, 1.0, 1)
    points = ((distance, 1), (single, 2))
    return Records(distance, 2, points, arc(distance / single), 1.0, 1)


@lru_cache(maxsize=256)
def rankings(ranked: int, reward_bound: float, dimension: int) -> Records:
    """Full rankings of K = ``ranked`` responses; all d ≥ 2(K−1) give the same."""
    stages = range(1, ranked)
    distance = float(sum(gradient_distance(reward_bound, left, dimension) for left in stages))
    points = Counter({0.0: 1})
    for left in (*stages, *stages):
        points = _with_stage(points, LONGEST * _sigmoid(2 * reward_bound, left), left)
    span = min(dimension, 2 * (ranked - 1))
    return Records(distance, span, _kept(points), 0.0, ranked - 1.0, ranked - 1)


@lru_cache(maxsize=256)
def one_pair(reward_bound: float) -> Records:
    """A labelled pair that is added or removed, in any dimension: D = 2·sigmoid(2LB).

    Its gradient stays on one segment from 0 whatever θ is, so that it tells no more than a Gaussian
    shift of that length (docs/explanations/printed_privacy.md).

    >>> [round(one_pair(bound).distance, 2) for bound in (0.5, 1.0, 5.0)]
    [1.46, 1.76, 2.0]
    """
    single = LONGEST * float(expit(2 * reward_bound))
    return Records(single, 1, ((single, 1),), 0.0, 1.0, 1)


def pairs_under(adjacency: Adjacency, reward_bound: float, dimension: int) -> Records:
    """``pairs`` where one replaces another, ``one_pair`` where one is added or removed."""
    replaced = adjacency == REPLACE
    return pairs(reward_bound, dimension) if replaced else one_pair(reward_bound)


@lru_cache(maxsize=256)
def one_ranking(ranked: int, reward_bound: float, dimension: int) -> Records:
    """A full ranking of K = ``ranked`` responses that is added or removed."""
    stages = range(1, ranked)
    lengths = [LONGEST * float(_sigmoid(2 * reward_bound, left)) for left in stages]
    points = Counter({0.0: 1})
    for length, left in zip(lengths, stages, strict=True):
        points = _with_stage(points, length, left)
    span = min(dimension, ranked - 1)
    return Records(sum(lengths), span, _kept(points), 0.0, ranked - 1.0, ranked - 1)


def _kept(points: Counter[float]) -> tuple[tuple[float, int], ...]:
    """Those that are not 0, the shortest first."""
    return tuple(sorted((length, count) for length, count in points.items() if length > 0))


def _with_stage(points: Counter[float], length: float, left: int) -> Counter[float]:
    """Each point stays, or moves by ``length`` in one of ``left`` ways."""
    moved = Counter(points)
    for point, count in points.items():
        moved[round(point + length, 9)] += left * count
    return moved


def _sigmoid(losing: np.ndarray | float, left: int):
    return expit(losing + math.log(left))


@lru_cache(maxsize=256)
def gradient_distance(reward_bound: float, left: int, dimension: int) -> float:
    """Largest distance of two gradients at one θ of the ball, of a stage with ``left`` behind it.

    The largest on grids, plus what gradients move between their points; at most 2R·s̄.

    >>> [round(gradient_distance(bound, 1, 2), 2) for bound in (0.5, 1.0, 5.0, float("inf"))]
    [2.23, 2.54, 3.65, 4.0]
    >>> round(gradient_distance(5.0, 1, 1), 2)
    2.11
    """
    largest = 2 * reward_bound
    if math.isinf(largest):
        return 2 * LONGEST
    distance = _on_a_line(largest, left) if dimension == 1 else _in_the_plane(largest, left)
    return float(min(distance, 2 * LONGEST * _sigmoid(largest, left)))


def _on_a_line(largest: float, left: int) -> float:
    norms = np.linspace(0, largest, LINE_NORMS)
    ends = [reach(np.array([angle]), norms, left) for angle in (0.0, math.pi)]
    return float((ends[0] + ends[1]).max()) + LONGEST * norms[1] / 4


def _in_the_plane(largest: float, left: int) -> float:
    return max(_both_losing(largest, left), _one_winning(largest, left))


def _both_losing(largest: float, left: int) -> float:
    """Both records at most a right angle from θ: there gradients grow with ‖θ‖."""
    angle = np.linspace(0, math.pi / 2, ANGLES)
    return _largest(angle, angle, largest, left) + LONGEST * angle[1] * _turning(largest)


def _one_winning(largest: float, left: int) -> float:
    """A record beyond a right angle, on a coarser grid that ‖θ‖ = K/R is part of."""
    norms, angle = np.linspace(0, largest, NORMS), np.linspace(0, math.pi, COARSE_ANGLES)
    distance = max(_largest(angle, angle[COARSE_ANGLES // 2 :], k, left) for k in norms)
    return distance + LONGEST * (angle[1] * _turning(largest) + norms[1] / 4)


def _turning(largest: float) -> float:
    """Bound of ‖∂∇ℓ/∂angle‖/R."""
    return math.sqrt(1 + largest**2 / 16)


def _largest(first: np.ndarray, other: np.ndarray, k: float, left: int) -> float:
    """Largest distance of gradients of records at these angles, on either side of θ."""
    a, b = reach(first, k, left)[:, None], reach(other, k, left)
    return float(np.sqrt((a**2 + b**2 - 2 * a * b * np.cos(first[:, None] + other)).max()))


def reach(angle: np.ndarray, k: np.ndarray | float, left: int) -> np.ndarray:
    """Largest sigmoid(log m + ⟨y, θ⟩)·‖y‖ over ‖y‖ ≤ R at an angle to θ, ‖θ‖ = k/R.

    Where y points away from θ, it is largest at ‖y‖ < R once k is large.
    """
    losing = k * np.cos(angle)
    peak = 1 + float(lambertw(left / math.e).real)
    shorter = LONGEST * (peak - 1) / np.maximum(-losing, peak)
    return np.where(losing >= -peak, LONGEST * _sigmoid(losing, left), shorter)


@lru_cache(maxsize=256)
def arc(ratio: float) -> float:
    """Half angle under which a circle of radius ``ratio`` ∈ [1, 2] meets a rhombus of side 1.

    The largest over all rhombi, seen from the corner at the circle's centre, to their diagonal.

    >>> arc(2.0), 0.1 < arc(1.45) < 0.15
    (0.0, True)
    """
    if ratio <= 1:
        return math.pi / 2
    opening = np.linspace(0, math.pi - 1e-9, OPENINGS)
    root = np.sqrt(ratio**2 - np.sin(opening) ** 2)
    rest = root - np.cos(opening)
    met = rest <= 1
    deviation = np.arctan((1 - rest) * np.tan(opening / 2) / (1 + rest))
    return 1.001 * float(deviation[met].max(initial=0.0))
