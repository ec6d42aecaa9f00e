"""How far apart the gradients of two rankings can be, all stages together (features of norm ≤ 1).

``gradients.rankings`` adds the largest distances of the stages, which one ranking cannot
attain together.  Here all K features are searched at once: it is enough to have them on the unit
circle of the plane of θ and of the direction in which gradients differ.  Of the responses behind a
winner only their total weight and their mean count, so the search is a dynamic programme over
these two; grids and what second derivatives allow between their points give an upper bound
(docs/explanations/objective_perturbation.md, Lemma 6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.special import expit

from repro.p3.objective_perturbation.gradients import Records, Tilt, rankings

SLACK = 0.006
"""Of the distance: what the values of ‖θ‖ that are skipped may add to it."""
TILT, TILTED_FROM = 0.05, 2.5
"""λ, over what the stages' distances add up to per stage, near σ/A for what σ and A will be; and
the LB below which records that are far apart are curved as well, so that λ gains nothing (nor does
it on a line)."""
STEEPEST = 1 / (3 * math.sqrt(3))
"""Largest second derivative of a mean of values in [−1, 1] by one logit, 2·max p(1−p)(1−2p)."""


@dataclass(frozen=True)
class Mesh:
    """How finely rankings are searched.

    Attributes:
        ways: directions on a quarter circle; 1 on a line.
        angles: what the grid of angles may add, over K − 1.
        weights: points of the log of a group's total weight.
        means: points of a group's mean.
    """

    ways: int
    angles: float
    weights: int
    means: int


MOST_POINTS = 500_000
"""Rankings on the grid that ``farthest_ranking`` looks at, about twice."""
COARSE, FINE = Mesh(7, 0.05, 25, 21), Mesh(16, 0.006, 61, 61)


@dataclass(frozen=True, eq=False)
class NextResponses:
    """Responses that one may place next, by their angle to θ.

    Attributes:
        reward: (N,) ⟨φ, θ⟩.
        value: (N,) component in the direction in which gradients are measured.
    """

    reward: np.ndarray
    value: np.ndarray


@lru_cache(maxsize=64)
def joint_rankings(ranked: int, reward_bound: float, dimension: int) -> Records:
    """``rankings`` with the distances of whole rankings, and how little a noise can turn them.

    Args:
        ranked: K ≥ 2; up to 4 takes seconds.
        reward_bound: LB, finite.
        dimension: d.
    """
    apart = rankings(ranked, reward_bound, dimension)
    gains = dimension > 1 and reward_bound >= TILTED_FROM
    weight = TILT * apart.distance / (ranked - 1) if gains else 0.0
    joint, tilted = joint_distances(ranked, reward_bound, dimension > 1, weight)
    return replace(
        apart,
        distance=min(apart.distance, joint),
        radius=reward_bound,
        tilt=Tilt(weight, tilted) if weight else None,
    )


@lru_cache(maxsize=64)
def joint_distances(
    ranked: int, reward_bound: float, planar: bool, tilt: float
) -> tuple[float, float]:
    """D, and the same with λ times the trace of ∇²ℓ_z added, λ = ``tilt`` ≤ 1.

    Both move by at most K − 1 per unit of ‖θ‖, so each value bounds those a little below.
    """
    fine, coarse = (FINE, COARSE) if planar else (replace(FINE, ways=1), replace(COARSE, ways=1))
    distances = distances_at(ranked, reward_bound, fine, tilt)
    limit, at = (1 + SLACK) * distances, reward_bound - SLACK * float(distances[0]) / (ranked - 1)
    while at >= 0:
        distances = distances_at(ranked, at, coarse, tilt)
        if (distances > (1 - SLACK) * limit).any():
            distances = distances_at(ranked, at, fine, tilt)
            limit = np.maximum(limit, (1 + SLACK) * distances)
        at -= float((limit - distances).min()) / (ranked - 1)
    return float(limit[0]), float(limit[1])


def distances_at(ranked: int, size: float, mesh: Mesh, tilt: float) -> np.ndarray:
    """(2,) the same at ‖θ‖ = ``size``: the diameter of the gradients of single rankings, and D_λ.

    Gradients are symmetric about θ, so in the direction opposite to a way they reach as far as at π
    less it, and a quarter circle of ways is enough.
    """
    ways = np.linspace(0, math.pi / 2, mesh.ways)
    widths = []
    for way in ways:
        ends = float(way), math.pi - float(way)
        plain = [support(ranked, size, end, mesh) for end in ends]
        tilted = [support(ranked, size, end, mesh, tilt) for end in ends] if tilt else plain
        widths.append((sum(plain), max(tilted[0] + plain[1], plain[0] + tilted[1])))
    # A direction between two of those tried is at most half a step off; on a line there is one.
    return np.max(widths, axis=0) / (math.cos(ways[1] / 2) if mesh.ways > 1 else 1.0)


def support(ranked: int, size: float, way: float, mesh: Mesh, tilt: float = 0.0) -> float:
    """Upper bound of the component of a ranking's gradient at an angle ``way`` ∈ [0, π] to θ.

    With λ = ``tilt`` that of the gradient plus λ times the trace of the Hessian: a stage's is at
    most 1 − m̄² ≤ 2(1 − m̄), m̄ its mean in that direction, and this is linear in the features too.
    """
    count, between = angles_for(ranked, size, mesh.angles)
    turn = 2 * math.pi * np.arange(count) / count
    placed = NextResponses(size * np.cos(turn), np.cos(turn - way))
    # K steps more than weights can be: interpolation may ask a step beyond them at each stage.
    step = (2 * size + math.log(ranked - 1)) / (mesh.weights - 1 - ranked)
    weight, mean = -size + step * np.arange(mesh.weights), np.linspace(-1, 1, mesh.means)
    table = np.zeros((mesh.weights, mesh.means))
    for stages in range(1, ranked - 1):
        rest = _with_winner(weight, mean[None], placed, table, (weight, mean), tilt)
        table = rest.max(-1) + stages * STEEPEST * step**2 / 8
    own = placed.reward, placed.value[:, None]
    first = _with_winner(*own, placed, table, (weight, mean), tilt)
    return float(first.max()) + between


def _with_winner(
    weight: np.ndarray,
    mean: np.ndarray,
    placed: NextResponses,
    table: np.ndarray,
    grid: tuple[np.ndarray, np.ndarray],
    tilt: float,
) -> np.ndarray:
    """(S, M, N) what the stage of a winner adds, and what the later ones can.

    Args:
        weight: (S,) log of the total weight of those behind it.
        mean: (S, M) or (1, M) mean of their values.
        placed: N winners.
        table: (weights, means) what the rest can add, on ``grid``.
        grid: ascending logs of weights and means.
        tilt: λ.
    """
    share = expit(weight[:, None] - placed.reward)[:, None, :]
    ahead = mean[..., None] - placed.value
    total = np.logaddexp(weight[:, None], placed.reward)
    gained = (1 - 2 * tilt) * share * ahead + 2 * tilt * (1 - placed.value)
    if not table.any():
        return gained
    row, up = _place(total, grid[0])
    column, right = _place(placed.value + share * ahead, grid[1])
    cell, up = row[:, None, :] * len(grid[1]) + column, up[:, None, :]
    near, far = table.ravel()[:-1], table.ravel()[1:]
    # Linear in the mean, of which the table is convex, and in the logarithm of the weight.
    low = near.take(cell) * (1 - right) + far.take(cell) * right
    cell += len(grid[1])
    high = near.take(cell) * (1 - right) + far.take(cell) * right
    return gained + low * (1 - up) + high * up


def _place(at: np.ndarray, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left neighbour on an even grid, and the share of the way to the next."""
    exact = (at - grid[0]) / (grid[1] - grid[0])
    left = np.clip(np.floor(exact).astype(int), 0, len(grid) - 2)
    return left, np.clip(exact - left, 0.0, 1.0)


def angles_for(ranked: int, size: float, most: float) -> tuple[int, float]:
    """Even number of angles on the grid, and what those between them can add.

    Args:
        ranked: K.
        size: ‖θ‖.
        most: that they may add, over K − 1.
    """
    steepest = (ranked * (ranked + 1) / 2 - 1) * bend(size) + ranked - 1
    count = 2 * math.ceil(math.pi / math.sqrt(8 * most * (ranked - 1) / steepest))
    return count, steepest * (2 * math.pi / count) ** 2 / 8


def bend(size: float) -> float:
    """Bound of the second derivative of a stage's mean feature by the angle of one response."""
    return 1 + 4 * size + 2 * size**2


@lru_cache(maxsize=64)
def farthest_ranking(ranked: int, size: float) -> tuple[float, ...]:
    """Angles to θ, best first, of a ranking whose mirror image pulls apart most (on a grid)."""
    count = 2 * round(MOST_POINTS ** (1 / ranked) / 2)
    across = np.abs(gradients_on_grid(ranked, size, count))
    place = np.unravel_index(int(across.argmax()), across.shape)
    return tuple(2 * math.pi * float(place_on_grid) / count for place_on_grid in reversed(place))


def gradients_on_grid(ranked: int, size: float, count: int) -> np.ndarray:
    """Gradients across θ of rankings at all angles, the last response's in [0, π].

    Axes of the grid: the last response first, the winner last.
    """
    turn = 2 * math.pi * np.arange(count) / count
    value, weight = np.sin(turn), np.exp(size * np.cos(turn))
    half = slice(count // 2 + 1)
    total, mean, gradients = weight[half], value[half], np.zeros(count // 2 + 1)
    for _ in range(ranked - 1):
        rest, total = total[..., None], total[..., None] + weight
        ahead = value - mean[..., None]
        # The mean with the winner, less the winner, is −(share of the rest)·(winner − their mean).
        gradients = gradients[..., None] - rest / total * ahead
        mean = mean[..., None] + weight / total * ahead
    return gradients
