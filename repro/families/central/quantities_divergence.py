"""δ(ε) = ∫(p − e^ε q)₊ of two densities in up to three dimensions, in logarithms.

A set S on which p is thought to exceed e^ε q is found by zooming in, and the integral over S is
taken by nested Gauss–Legendre rules.  P(S) − e^ε Q(S) is a lower bound of δ(ε) for every set S,
so a region that was missed makes the result smaller.  The rules are sharp where the privacy loss
changes along the last axis (relative error 1e-4 in d = 2, 1e-2 in d = 3); where S ends obliquely
they may be off by 1 % in d = 2 and d = 3, either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from repro.families.central.mechanisms_ball import OnBall

LogDensity = Callable[[np.ndarray], np.ndarray]
FAR = 45.0
"""Log units below the peak beyond which the integrand is left out."""
LINE = 33
"""Points on each line among which the ends of the region are bracketed."""
ZOOM_POINTS, ZOOMS, HALVINGS = {1: 257, 2: 33, 3: 17}, 40, 18


@dataclass(frozen=True)
class Rule:
    """Nodes of the nested Gauss–Legendre rules.

    Attributes:
        across: along each outer axis.
        along: along the axis on which the region's ends are found.
    """

    across: int
    along: int


FINE, COARSE = Rule(40, 40), Rule(16, 20)


def log_delta(one: OnBall, other: OnBall, epsilon: float, rule: Rule = FINE) -> float:
    """log δ(ε) of telling ``one`` from ``other``: the inside of the ball and its sphere."""
    box = np.array([[-one.radius, one.radius]] * one.dimension)
    inside = _log_integral(one.log_density, other.log_density, box, epsilon, rule)
    return float(np.logaddexp(inside, _log_on_sphere(one, other, epsilon, rule)))


@lru_cache(maxsize=4096)
def worst_log_delta(one: OnBall, other: OnBall, epsilon: float, rule: Rule = FINE) -> float:
    """The larger of both directions."""
    return max(log_delta(one, other, epsilon, rule), log_delta(other, one, epsilon, rule))


def _log_on_sphere(one: OnBall, other: OnBall, epsilon: float, rule: Rule) -> float:
    if one.dimension == 1:
        ends = np.array([[-1.0], [1.0]])
        return _log_sum(one.log_area_density(ends), other.log_area_density(ends), epsilon)
    box = {2: [[-np.pi, np.pi]], 3: [[0.0, np.pi], [-np.pi, np.pi]]}[one.dimension]
    log_one, log_other = _in_angles(one), _in_angles(other)
    return _log_integral(log_one, log_other, np.array(box), epsilon, rule)


def _in_angles(side: OnBall) -> LogDensity:
    """Density on the sphere with respect to its angles."""

    def log_density(angles: np.ndarray) -> np.ndarray:
        omega, log_volume = _sphere(angles)
        scale = (side.dimension - 1) * np.log(side.radius)
        return side.log_area_density(omega) + scale + log_volume

    return log_density


def _sphere(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω of one angle (circle), or of polar angle and longitude, and the log of its volume."""
    if angles.shape[-1] == 1:
        turn = angles[..., 0]
        return np.stack([np.cos(turn), np.sin(turn)], -1), np.zeros_like(turn)
    polar, turn = angles[..., 0], angles[..., 1]
    across = np.sin(polar)
    omega = np.stack([np.cos(polar), across * np.cos(turn), across * np.sin(turn)], -1)
    return omega, np.log(np.maximum(across, 1e-300))


def _log_sum(log_one: np.ndarray, log_other: np.ndarray, epsilon: float) -> float:
    return float(np.logaddexp.reduce(_log_excess(log_one, log_other, epsilon), axis=None))


def _log_excess(log_one: np.ndarray, log_other: np.ndarray, epsilon: float) -> np.ndarray:
    """log(p − e^ε q)₊."""
    with np.errstate(invalid="ignore", divide="ignore"):
        less = epsilon + log_other - log_one
        log = log_one + np.log(-np.expm1(np.minimum(less, 0.0)))
    return np.where(np.isfinite(log_one) & (less < 0), log, -np.inf)


def _log_integral(
    log_one: LogDensity, log_other: LogDensity, box: np.ndarray, epsilon: float, rule: Rule
) -> float:
    def log_excess(at: np.ndarray) -> np.ndarray:
        return _log_excess(log_one(at), log_other(at), epsilon)

    box, peak = _zoom(log_excess, box)
    if not np.isfinite(peak):
        return -np.inf
    return _nested(log_excess, box, peak, rule)


def _zoom(log_excess: LogDensity, box: np.ndarray) -> tuple[np.ndarray, float]:
    """The box outside of which the integrand is FAR below its peak, and the peak."""
    peak = -np.inf
    for _ in range(ZOOMS):
        axes = [np.linspace(low, high, ZOOM_POINTS[len(box)]) for low, high in box]
        values = log_excess(np.stack(np.meshgrid(*axes, indexing="ij"), -1))
        if not np.isfinite(values.max()):
            break
        peak = values.max()
        seen = np.nonzero(values > peak - FAR)
        smaller = np.array([_around(axis, at) for axis, at in zip(axes, seen, strict=True)])
        shrunk = np.ptp(smaller, axis=1) / np.ptp(box, axis=1)
        box = smaller
        if shrunk.min() > 0.8:
            break
    return box, float(peak)


def _around(axis: np.ndarray, at: np.ndarray) -> tuple[float, float]:
    """Ends of the grid cells that hold the points seen, and one cell more."""
    low, high = max(at.min() - 1, 0), min(at.max() + 1, len(axis) - 1)
    return float(axis[low]), float(axis[high])


def _nested(log_excess: LogDensity, box: np.ndarray, peak: float, rule: Rule) -> float:
    """Gauss–Legendre over all axes but the last, and along the last between the ends of S."""
    outer, weights = _outer(box[:-1], rule.across)
    low, high = _ends(log_excess, outer, box[-1], peak)
    nodes, along = np.polynomial.legendre.leggauss(rule.along)
    last = low[:, None] + (high - low)[:, None] * (nodes + 1) / 2
    at = np.concatenate([np.repeat(outer[:, None], rule.along, 1), last[..., None]], -1)
    with np.errstate(divide="ignore"):
        inner = np.log((np.exp(log_excess(at) - peak) * along).sum(1) * (high - low) / 2)
        return float(peak + np.logaddexp.reduce(np.log(weights) + inner))


def _outer(box: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(m, k) nodes and (m,) weights of a product rule; one empty node where k = 0."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    points, masses = np.zeros((1, 0)), np.ones(1)
    for low, high in box:
        axis = low + (high - low) * (nodes + 1) / 2
        repeated = np.repeat(points, count, 0)
        points = np.concatenate([repeated, np.tile(axis, len(points))[:, None]], 1)
        masses = np.outer(masses, weights * (high - low) / 2).ravel()
    return points, masses


def _ends(log_excess: LogDensity, outer: np.ndarray, side: np.ndarray, peak: float):
    """Where S begins and ends on each line, by bisection from a grid."""

    def seen(last: np.ndarray) -> np.ndarray:
        """(m, l) whether points of the lines are in S."""
        at = np.concatenate([np.repeat(outer[:, None], last.shape[1], 1), last[..., None]], -1)
        return np.asarray(log_excess(at) > peak - FAR)

    grid = np.linspace(side[0], side[1], LINE)
    inside = seen(np.repeat(grid[None], len(outer), 0))
    first, final = inside.argmax(1), LINE - 1 - inside[:, ::-1].argmax(1)
    out = grid[np.stack([np.maximum(first - 1, 0), np.minimum(final + 1, LINE - 1)], 1)]
    ends = _bisect(seen, out, grid[np.stack([first, final], 1)])
    ends = np.where(inside.max(1, keepdims=True), ends, side[0])
    return ends[:, 0], ends[:, 1]


def _bisect(seen: LogDensity, out: np.ndarray, within: np.ndarray) -> np.ndarray:
    """(m, 2) ends of S between points out of it and points within it."""
    for _ in range(HALVINGS):
        middle = (out + within) / 2
        hit = seen(middle)
        out, within = np.where(hit, out, middle), np.where(hit, middle, within)
    return within
