"""Upper bound of δ(ε) where the difference of gradients turns with the noise, but not freely.

The noise b moves θ̂ by at most ‖b − b′‖/A and within the ball, which turns the difference of two
records' gradients by no more than their Hessians allow.  So of all noises of one length, those that
tell most lie in a cap of the sphere (docs/explanations/objective_perturbation.md, part 3).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, gammaincc

from repro.families.central.bounds_gradients import Records

LENGTHS, LOSSES, ROUNDS = 120, 120, 12
BEYOND = 3.0
"""Lengths further than this from the shortest, and 4 or 0.8 times it, are counted whole."""


def turning_bound(records: Records, sigma: float, ridge: float, left: float) -> float:
    """Upper bound of δ(ε), c = ``left`` = ε − κ ≥ μ²/2; θ̂ may go anywhere where ``radius`` is None.

    Upper sums: each cell of (length of the noise, privacy loss) has the largest cap in it.

    Args:
        records: what one record can do.
        sigma: of b.
        ridge: A = 2nα.
        left: c.
    """
    shift = records.distance / sigma
    start = left / shift - shift / 2
    # Finer at the near ends, where most of both integrals lies.
    beyond = max(0.8 * start, 4.0) + BEYOND
    length = start + beyond * np.linspace(0, 1, LENGTHS + 1) ** 2
    loss = left + shift * beyond * np.linspace(0, 1, LOSSES + 1) ** 2
    share = _cap(_half_angle(records, sigma, ridge, length[1:], loss[:-1]), records.span)
    weight = np.exp(left - loss[:-1]) * -np.expm1(loss[:-1] - loss[1:])
    above = gammaincc(records.span / 2, length**2 / 2)
    return float((above[:-1] - above[1:]) @ share @ weight + above[-1])


def _half_angle(
    records: Records, sigma: float, ridge: float, length: np.ndarray, loss: np.ndarray
) -> np.ndarray:
    """(lengths, losses) half of the largest angle between two noises of that length and loss.

    π/2 where they can be opposite; 0 where there are none.  Each round starts from an upper bound.
    """
    shift = records.distance / sigma
    farthest = math.inf if records.radius is None else 2 * records.radius
    cosine = (loss - shift**2 / 2) / (length[:, None] * shift)
    aside, found = np.arccos(np.minimum(cosine, 1.0)), np.full(cosine.shape, math.pi / 2)
    for _ in range(ROUNDS):
        apart = 2 * sigma * length[:, None] * np.sin(found) / ridge
        moved = turn(records.hessian, np.minimum(apart, farthest))
        half = moved / (2 * records.distance)
        within = np.minimum(aside + np.arcsin(np.minimum(half, 1.0)), math.pi / 2)
        found = np.where(half < cosine, within, math.pi / 2)
    return np.where(cosine < 1, found, 0.0)


def turn(hessian: float, apart: np.ndarray) -> np.ndarray:
    """Largest ‖v(θ) − v(θ′)‖ of two records at ‖θ − θ′‖ ≤ ``apart``, with h = ``hessian``.

    h·s, as both Hessians lie between 0 and h; less where a record's gradient, which moves by
    at most 2h·tanh(s/2), cannot move by h·s/√2.

    >>> turn(2.0, np.array([0.5, 10.0])).round(2)
    array([1.  , 7.84])
    """
    steep = hessian * np.maximum(apart, 1e-300)
    single = 2 * hessian * np.tanh(apart / 2)
    share = np.minimum(single / steep, 1.0)
    return np.where(share**2 >= 0.5, steep, 2 * single * np.sqrt(1 - share**2))


def _cap(half_angle: np.ndarray, span: int) -> np.ndarray:
    """Share of the sphere in ``span`` dimensions within an angle of a point; all of it at π/2."""
    full = half_angle >= math.pi / 2
    if span == 1:
        return np.where(full, 1.0, np.where(half_angle > 0, 0.5, 0.0))
    return np.where(full, 1.0, betainc((span - 1) / 2, 0.5, np.sin(half_angle) ** 2) / 2)
