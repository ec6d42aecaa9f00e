"""How far apart the gradients of two rankings can be, all stages together (features of norm ≤ 1).

``bounds_gradients.rankings`` adds the largest distances of the stages, which one ranking cannot
attain together.  Here all K features are searched at once: it is enough to have them on the unit
circle of the plane of θ and of the direction in which gradients differ, so a ranking is K angles.
A grid of angles and what second derivatives allow between its points give an upper bound
(docs/explanations/objective_perturbation.md, Lemma 6).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from repro.families.central.bounds_gradients import Records, rankings

SLACK = 0.015
"""Of the distance: what the grids of angles and of ‖θ‖ may each add to it."""
MOST_POINTS = 2_000_000
"""Rankings on one grid."""
DIRECTIONS, CORNERS = 361, 13


@lru_cache(maxsize=64)
def joint_rankings(ranked: int, reward_bound: float, dimension: int) -> Records:
    """``rankings`` with the distance of whole rankings.

    Args:
        ranked: K ≥ 2; up to 4 takes seconds.
        reward_bound: LB, finite.
        dimension: d.
    """
    apart = rankings(ranked, reward_bound, dimension)
    joint = joint_distance(ranked, reward_bound)
    return replace(apart, distance=min(apart.distance, joint))


@lru_cache(maxsize=64)
def joint_distance(ranked: int, reward_bound: float) -> float:
    """Upper bound of ‖∇ℓ_z(θ) − ∇ℓ_z′(θ)‖ over two rankings and ‖θ‖ ≤ LB, in any dimension.

    Gradients move by at most K − 1 per unit of ‖θ‖, so each value bounds those a little below.

    >>> 4.6 < joint_distance(3, 1.0) < 4.8
    True
    """
    at, limit = reward_bound, 0.0
    while at >= 0:
        found = distance_at(ranked, at)
        limit = max(limit, (1 + SLACK) * found)
        at -= (limit - found) / (ranked - 1)
    return limit


def distance_at(ranked: int, size: float) -> float:
    """The same at ‖θ‖ = ``size``."""
    count = angles_for(ranked, size)
    across, along = _widths(*gradients_on_grid(ranked, size, count))
    between = bend(ranked, size) * ranked * (2 * math.pi / count) ** 2 / 4
    # A direction between two of those tried is at most half a step off.
    return float((across + along).max() / math.cos(math.pi / (DIRECTIONS - 1) / 2)) + between


def bend(ranked: int, size: float) -> float:
    """Bound of the second derivative of one component of a gradient by the angles."""
    return (ranked - 1) * (2 + 6 * size + 6 * size**2)


def angles_for(ranked: int, size: float) -> int:
    """Even number of angles on the grid, as many as ``SLACK`` asks for and memory allows."""
    wanted = math.sqrt(SLACK * 8 * (ranked - 1) / (bend(ranked, size) * ranked))
    most = (2 * MOST_POINTS) ** (1 / ranked)
    return 2 * math.ceil(min(2 * math.pi / wanted, most) / 2)


def gradients_on_grid(ranked: int, size: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gradients along θ and across it of rankings at all angles, the last response's in [0, π].

    Axes of the grid: the last response first, the winner last.
    """
    turn = 2 * math.pi * np.arange(count) / count
    x, y = np.cos(turn), np.sin(turn)
    weight = np.exp(size * x)
    half = slice(count // 2 + 1)
    points = np.stack([x, y], -1)
    total, mean, found = weight[half], points[half], np.zeros_like(points[half])
    for _ in range(ranked - 1):
        rest, total = total[..., None], total[..., None] + weight
        ahead = points - mean[..., None, :]
        # The mean with the winner, less the winner, is −(share of the rest)·(winner − their mean).
        found = found[..., None, :] - (rest / total)[..., None] * ahead
        mean = mean[..., None, :] + (weight / total)[..., None] * ahead
    return found[..., 0], found[..., 1]


def _widths(along: np.ndarray, across: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest component in directions of the half plane, and opposite to them."""
    along, across = _outer(along.ravel(), np.abs(across).ravel())
    turn = np.linspace(0, math.pi, DIRECTIONS)
    found = (np.outer(np.cos(turn), along) + np.outer(np.sin(turn), across)).max(1)
    return found, found[::-1]


def _outer(along: np.ndarray, across: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points outside of a polygon of some of them: all that can be extreme, and its corners."""
    turn = np.linspace(0, math.pi, CORNERS)
    ends = [(np.cos(t) * along + np.sin(t) * across).argmax() for t in turn]
    kept = np.zeros(len(along), dtype=bool)
    kept[ends] = True
    for one, other in pairwise(ends):
        c, s = across[other] - across[one], along[one] - along[other]
        kept |= c * along + s * across > c * along[one] + s * across[one]
    return along[kept], across[kept]


@lru_cache(maxsize=64)
def farthest_ranking(ranked: int, size: float, count: int = 60) -> tuple[float, ...]:
    """Angles to θ, best first, of a ranking whose mirror image pulls apart most (on a grid)."""
    _, across = gradients_on_grid(ranked, size, count)
    place = np.unravel_index(int(np.abs(across).argmax()), across.shape)
    return tuple(2 * math.pi * float(one) / count for one in reversed(place))
