"""Upper bound of δ(ε) where the difference of gradients turns with the noise, but not freely.

The noise b moves θ̂ by at most ‖b − b′‖/A and within the ball, which turns the difference of two
records' gradients by no more than their Hessians allow.  So of all noises of one length, those that
tell most lie in a cap of the sphere (docs/explanations/objective_perturbation.md, part 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaincc

from repro.p3.objective_perturbation.gradients import Records, Tilt

LENGTHS, LOSSES, ROUNDS = 170, 170, 6
NEAREST, FARTHEST, FINENESS, POINTS, MOVES = 1e-2, 1e3, 0.01, 1200, 200
"""Distances of θ at which turns are tabulated, and cells of each."""
BEYOND = 3.0
"""Lengths further than this from the shortest, and 4 or 0.8 times it, are counted whole."""


def turning_bound(
    records: Records, sigma: float, ridge: float, left: float, tilt: Tilt | None = None
) -> float:
    """Upper bound of δ(ε) for c = ``left`` ≥ μ²/2; θ̂ may go anywhere where ``radius`` is None.

    Upper sums: each cell of (length of the noise, privacy loss) has the largest cap in it.

    Args:
        records: what one record can do.
        sigma: of b.
        ridge: A = 2nα.
        left: c, that is ε − κ; ε itself with a ``tilt``.
        tilt: counts the change of volume where it happens, not everywhere.
    """
    distance = records.distance if tilt is None else tilt.distance
    shift = distance / sigma
    start = left / shift - shift / 2
    spared = 0.0 if tilt is None else records.hessian / (ridge * shift)
    # Finer at the near ends, where most of both integrals lies.
    beyond = max(0.8 * start, 4.0) + BEYOND
    first = max(start - spared, 0.0)
    length = first + (start + beyond - first) * np.linspace(0, 1, LENGTHS + 1) ** 2
    loss = left + shift * (beyond + spared) * np.linspace(0, 1, LOSSES + 1) ** 2
    noise = Noise(sigma, ridge, distance, spared, 0.0 if tilt is None else tilt.weight)
    share = _cap(_half_angle(records, noise, length[1:], loss[:-1]), records.span)
    weight = np.exp(left - loss[:-1]) * -np.expm1(loss[:-1] - loss[1:])
    above = gammaincc(records.span / 2, length**2 / 2)
    return float((above[:-1] - above[1:]) @ share @ weight + above[-1])


@dataclass(frozen=True)
class Noise:
    """How b moves what a record does.

    Attributes:
        sigma: of b.
        ridge: A; θ̂ moves by at most 1/A times as much as b.
        distance: D or D_λ.
        spared: h/(Aμ), by how much shorter noise may be where the record's Hessian is largest.
        weight: λ; 0 where the change of volume is counted elsewhere.
    """

    sigma: float
    ridge: float
    distance: float
    spared: float
    weight: float

    def with_volume(self, length: np.ndarray, cosine: np.ndarray | float) -> np.ndarray:
        """What the Hessian adds to ⟨ω, u⟩/μ at most, less what its weight takes from it."""
        lost = self.weight * self.ridge / self.sigma * length * cosine
        return self.spared / length * np.maximum(1 - lost, 0.0)


def _half_angle(records: Records, noise: Noise, length: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """(lengths, losses) half of the largest angle between two noises of that length and loss.

    π/2 where they can be opposite; 0 where there are none.  Each round starts from an upper bound.
    """
    farthest = math.inf if records.radius is None else 2 * records.radius
    length, shift = length[:, None], noise.distance / noise.sigma
    cosine = (loss - shift**2 / 2) / (length * shift)
    some = cosine - noise.with_volume(length, 1.0) < 1
    cosine, length = cosine[some], np.broadcast_to(length, some.shape)[some]
    angles_now = np.array(math.pi / 2)
    for _ in range(ROUNDS):
        apart = 2 * noise.sigma / noise.ridge * length * np.sin(angles_now)
        half = turn(records.hessian, apart, farthest) / (2 * noise.distance)
        least = cosine - noise.with_volume(length, np.cos(angles_now))
        aside = np.arccos(np.clip(least, 0.0, 1.0)) + np.arcsin(np.minimum(half, 1.0))
        angles_now = np.minimum(aside, math.pi / 2)
    angles = np.zeros(some.shape)
    angles[some] = angles_now
    return angles


def turn(hessian: float, apart: np.ndarray, farthest: float = math.inf) -> np.ndarray:
    """Largest ⟨v(θ) − v(θ′), n⟩ of two records, n the direction of b − b′, ``apart`` = ‖b − b′‖/A.

    At most h·``apart``, h = ``hessian``; and at most the next entry of ``_turns``.

    Args:
        hessian: h.
        apart: of any shape.
        farthest: that θ and θ′ can be apart.

    >>> turn(2.0, np.array([0.5, 2.0, 10.0]), 10.0).round(2)
    array([0.99, 3.07, 6.33])
    """
    place = np.ceil(np.log(np.maximum(apart, NEAREST) / NEAREST) / FINENESS).astype(int)
    return np.minimum(hessian * apart, _turns(hessian, farthest)[place.clip(0, POINTS)])


@lru_cache(maxsize=64)
def _turns(hessian: float, farthest: float) -> np.ndarray:
    """(POINTS + 1,) upper bounds of ``turn`` at distances that grow by e^FINENESS; last, of all.

    Of θ and θ′ a distance r apart, upper sums over r: the angle of θ′ − θ to n is at most
    arccos(r/s) at the cell's near end, and the lens of its far end holds those of the cell.
    """
    at = NEAREST * np.exp(FINENESS * np.arange(POINTS))[:, None]
    moved = np.minimum(at, farthest) * np.linspace(0, 1, MOVES + 1)
    wide = lens_width(hessian, moved[:, 1:], np.arccos(np.minimum(moved[:, :-1] / at, 1.0)))
    free = np.geomspace(NEAREST, min(farthest, FARTHEST), POINTS)
    most = lens_width(hessian, free, np.full(POINTS, math.pi / 2)).max()
    return np.append(wide.max(1), most * math.exp(FINENESS))


def lens_width(hessian: float, moved: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Width, at an angle ≤ π/2 to its axis, of where a record's gradient can go as θ moves by r.

    That is a lens: the ball with diameter [0, h·r] on the axis, for the Hessian lies between 0 and
    h, cut by the ball of radius 2h·tanh(r/2) about 0.
    """
    half, single = hessian * moved / 2, 2 * hessian * np.tanh(moved / 2)
    corner = np.arccos(np.minimum(single / np.maximum(2 * half, 1e-300), 1.0))

    def support(aside: np.ndarray) -> np.ndarray:
        cut = np.where(aside <= corner, single, single * np.cos(aside - corner))
        return np.where(aside / 2 >= corner, half * (1 + np.cos(aside)), cut)

    return support(angle) + support(math.pi - angle)


def _cap(half_angle: np.ndarray, span: int) -> np.ndarray:
    """Share of the sphere in ``span`` dimensions within an angle of a point; all of it at π/2."""
    full = half_angle >= math.pi / 2
    if span == 1:
        return np.where(full, 1.0, np.where(half_angle > 0, 0.5, 0.0))
    return np.where(full, 1.0, betainc((span - 1) / 2, 0.5, np.sin(half_angle) ** 2) / 2)
