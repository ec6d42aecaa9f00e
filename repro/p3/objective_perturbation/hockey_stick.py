"""Upper bounds of δ(ε) of objective perturbation over all neighbours, noise and volume together."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincc, log_ndtr, roots_legendre

from repro.p3.objective_perturbation.gradients import Records
from repro.p3.objective_perturbation.turning import turning_bound

NODES, WEIGHTS = roots_legendre(200)
LAST = 100.0
"""Log units that the tail of the noise falls by before its integral is cut."""


def log_volume(records: Records, ridge: float) -> float:
    """κ = r·log(1 + h/(rA)): what one record adds to the log of the Jacobian, at most."""
    return records.rank * math.log1p(records.hessian / (records.rank * ridge))


def hockey_stick_bound(
    records: Records, sigma: float, ridge: float, epsilon: float, jacobian: bool = True
) -> float:
    """Upper bound of δ(ε) over all n and all datasets that differ in one replaced record.

    Both ways.  The smallest of four, with c = ε − κ: that of the points that gradients differ by,
    that of a shift of length D wherever the noise points in ``span`` dimensions, that of a shift
    which turns with the noise no more than it can, and the last with the change of volume counted
    only where it happens.

    Args:
        records: what one record can do.
        sigma: of b.
        ridge: A = 2nα.
        epsilon: the budget.
        jacobian: whether κ is counted; without it this is no bound.

    Returns:
        1 where c < (D/σ)²/2, which the theorem does not cover.
    """
    left = epsilon - jacobian * log_volume(records, ridge)
    shift = records.distance / sigma
    if left < shift**2 / 2:
        return 1.0
    points = sum(count * _shifted(length / sigma, left) for length, count in records.points)
    arc = records.sector / math.pi * turned(shift, left, 2) if records.sector else 0.0
    free = min(1.0, points + arc, turned(shift, left, records.span))
    if records.radius is None:
        return free
    bound = min(free, turning_bound(records, sigma, ridge, left))
    tilt = records.tilt if jacobian else None
    if tilt is None or epsilon < (tilt.distance / sigma) ** 2 / 2:
        return bound
    return min(bound, turning_bound(records, sigma, ridge, epsilon, tilt))


def _shifted(shift: float, left: float) -> float:
    """δ_μ(c) of a Gaussian shift μ."""
    first, second = log_ndtr(shift / 2 - left / shift), left + log_ndtr(-shift / 2 - left / shift)
    return math.exp(first) * -math.expm1(min(second - first, 0.0))


def turned(shift: float, left: float, span: int) -> float:
    """E[(1 − e^(c − μ²/2 − μχ))₊], χ the norm of ``span`` standard normals, c ≥ μ²/2.

    A shift μ that points wherever the noise does.  By parts ∫ μ·e^(−μ(t−t₀))·P(χ > t) dt from
    t₀ = c/μ − μ/2 on.
    """
    start = left / shift - shift / 2
    length = math.sqrt((start + shift) ** 2 + 2 * LAST) - start - shift
    t = start + length * (NODES + 1) / 2
    above = gammaincc(span / 2, t**2 / 2) * np.exp(-shift * (t - start))
    return float(shift * length / 2 * (WEIGHTS * above).sum())
