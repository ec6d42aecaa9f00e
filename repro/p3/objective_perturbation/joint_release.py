"""Upper bound of δ(ε) of θ̃ and Σ̃ released together, over all neighbours, in any dimension.

``docs/explanations/joint_release.md`` proves it: the privacy loss of Σ̃ is a Gaussian one of its
own, independent of the noise b, so it joins the functionals of the hockey-stick bound of θ̃.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr, ndtr, roots_legendre

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.calibration import RIDGE_SHARE, Calibration
from repro.p3.objective_perturbation.gradients import Records
from repro.p3.objective_perturbation.hockey_stick import log_volume

NODES, WEIGHTS = roots_legendre(400)
LAST = 90.0
"""Log units over which the tail of the arc is integrated."""
SMALLEST, LARGEST, HALVINGS = 1e-6, 1e3, 60
"""Bracket of D/σ, and bisections of its logarithm."""


def joint_bound(
    records: Records, sigma: float, ridge: float, shift: float, epsilon: float
) -> float:
    """Upper bound of δ(ε) over all n and all datasets that differ in one record, both ways.

    Args:
        records: what one record can do to the gradient.
        sigma: of b.
        ridge: A.
        shift: largest ‖Σ_D − Σ_D'‖_F over the deviation of the noise on Σ_D.
        epsilon: the budget of both together.
    """
    left = epsilon - log_volume(records, ridge)
    if left <= 0:
        return 1.0
    points = sum(
        count * float(gaussian_delta(math.hypot(length / sigma, shift), left))
        for length, count in records.points
    )
    origin = float(gaussian_delta(shift, left))
    arc = records.sector / math.pi * _arc(records.distance / sigma, shift, left)
    return min(1.0, points + origin + (arc if records.sector else 0.0))


def _arc(turning: float, fixed: float, left: float) -> float:
    """E[(1 − e^(c − L))₊] for L = μr + μ'g + (μ² + μ'²)/2, r of Rayleigh's law, g normal.

    By parts ∫ e^(c − l)·P(L > l) dl from c on; the tail of μr + μ'g is a closed form.
    """
    both = math.hypot(turning, fixed)
    # e^(c − l)·P(L > l) falls at least as fast as e^(c − l), and as the tail of both.
    length = min(LAST, 12 * both * (1 + both + left / both))
    loss = left + length * (NODES + 1) / 2
    s = loss - both**2 / 2
    normal = np.exp(left - loss + log_ndtr(-s / fixed))
    log_rest = left - loss - s**2 / (2 * both**2) + math.log(turning / both)
    rest = np.exp(log_rest) * ndtr(s * turning / (fixed * both))
    return float(length / 2 * (WEIGHTS * (normal + rest)).sum())


def jointly_certified(
    epsilon: float, dp_delta: float, records: Records, share: float
) -> tuple[Calibration, float]:
    """Noise and ridge of θ̃, and the shift of Σ̃, that are (ε, δ)-private together.

    Args:
        epsilon: of both.
        dp_delta: of both.
        records: what one record can do to the gradient.
        share: of the squared shift that Σ̃ has, in (0, 1): (shift of Σ̃)² = share·(both)².
    """
    jacobian = RIDGE_SHARE * epsilon / records.rank
    ridge = records.hessian / records.rank / math.expm1(jacobian)

    def release(both: float) -> tuple[Calibration, float]:
        sigma = records.distance / (both * math.sqrt(1 - share))
        return Calibration(sigma, ridge), both * math.sqrt(share)

    low, high = math.log(SMALLEST), math.log(LARGEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        calibration, shift = release(math.exp(middle))
        bound = joint_bound(records, calibration.sigma, calibration.ridge, shift, epsilon)
        low, high = (low, middle) if bound > dp_delta else (middle, high)
    return release(math.exp(low))
