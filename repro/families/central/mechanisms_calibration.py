"""Calibrations of objective perturbation and a bound that certifies them (d = 1, ‖φ‖ ≤ 1).

All take features of norm at most L = 1, so that a record's feature difference is at most 2, its
gradient at most 2 and its Hessian at most 1 (4·¼).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from repro.families.central.mechanisms_objective import Items, ObjectivePerturbation, Perturbed

HESSIAN = 1.0
GRADIENT = 2.0
RIDGE_SHARE = 0.05
"""Share of ε that the corrected ridge spends on the change of volume."""


@dataclass(frozen=True)
class Calibration:
    """Noise σ of b and ridge A = 2nα, for the loss summed over records."""

    sigma: float
    ridge: float

    def weakened(self, factor: float) -> Calibration:
        """The same ridge with ``factor`` times less noise."""
        return Calibration(self.sigma / factor, self.ridge)


def curvature(reward_bound: float) -> float:
    """γ = 1/(2 + e^(2LB) + e^(−2LB)) of P3, eq. (6); ``reward_bound`` is LB."""
    return 1 / (2 + math.exp(2 * reward_bound) + math.exp(-2 * reward_bound))


def printed_constant(dimension: int, failure_prob: float) -> float:
    """A C/L² that Lemma A.9 asks for: ‖G‖ ≤ σ(2√d + √(2·log(1/η))) with probability 1−η."""
    log_failure = math.log(1 / failure_prob)
    operator_norm = 2 * math.sqrt(dimension) + math.sqrt(2 * log_failure)
    return 2 * 8 * operator_norm / math.sqrt(dimension * log_failure)


def printed(
    epsilon: float, dp_delta: float, gamma: float, dimension: int, failure_prob: float
) -> Calibration:
    """Algorithm 1 of P3: σ² = 40L²·log(1/δ)/ε² and α = 2Cγ√(d·log(1/δ)·log(1/η))/(εn)."""
    log_delta = math.log(1 / dp_delta)
    size = math.sqrt(dimension * log_delta * math.log(1 / failure_prob))
    ridge = 4 * printed_constant(dimension, failure_prob) * gamma * size / epsilon
    return Calibration(math.sqrt(40 * log_delta) / epsilon, ridge)


def kifer(epsilon: float, dp_delta: float) -> Calibration:
    """Kifer, Smith and Thakurta (2012), Theorem 2, at the given budget."""
    variance = GRADIENT**2 * (8 * math.log(2 / dp_delta) + 4 * epsilon) / epsilon**2
    return Calibration(math.sqrt(variance), 2 * HESSIAN / epsilon)


def corrected(
    epsilon: float, dp_delta: float, distance: float, hessian: float = HESSIAN
) -> Calibration:
    """Smallest noise for which ``hockey_stick_bound`` certifies (ε, δ), with a fixed ridge.

    Args:
        epsilon: budget.
        dp_delta: its δ.
        distance: largest difference of two records' gradients.
        hessian: largest second derivative of a record's loss.
    """
    ridge = hessian / math.expm1(RIDGE_SHARE * epsilon)

    def excess(log_sigma: float) -> float:
        calibration = Calibration(math.exp(log_sigma), ridge)
        bound = hockey_stick_bound(calibration, epsilon, distance, hessian)
        return math.log(max(bound, 1e-300)) - math.log(dp_delta)

    root = brentq(excess, math.log(1e-2), math.log(1e6), xtol=1e-12)
    return Calibration(math.exp(root), ridge)  # type: ignore[arg-type]


def gradient_distance(radius: float) -> float:
    """Largest |ℓ'(θ) − m'(θ)| of two records over |θ| ≤ radius, d = 1, on a fine grid."""
    theta = np.linspace(-radius, radius, 801)[:, None]
    signed = np.linspace(-2, 2, 2001)[None, :]
    gradients = -signed * expit(-signed * theta)
    return float((gradients.max(axis=1) - gradients.min(axis=1)).max()) * (1 + 1e-5)


def hockey_stick_bound(
    calibration: Calibration, epsilon: float, distance: float, hessian: float = HESSIAN
) -> float:
    """Upper bound on δ(ε) over all neighbours in d = 1 (in the manner of Redberg et al. 2023).

    Two densities at θ differ by a shift of b of at most ``distance`` and a ratio of Jacobians of at
    most κ = 1 + h/A, where h is ``hessian``.  The worst shift always points away from 0, so
    δ(ε) ≤ 2·E[(1 − e^(ε−log κ−μZ−μ²/2))₊; Z > 0] with μ = distance/σ.
    """
    shift = distance / calibration.sigma
    left = epsilon - math.log1p(hessian / calibration.ridge)
    start = max(0.0, left / shift - shift / 2)
    return 2 * float(ndtr(-start) - math.exp(left) * ndtr(-start - shift))


def tied_otherwise(
    calibration: Calibration, radius: float, one: Items, other: Items
) -> ObjectivePerturbation:
    """Two datasets on [−radius, radius] that differ as given; all other records are ties."""
    ridge, sigma = calibration.ridge, calibration.sigma
    sides = [Perturbed(items, ridge, sigma, radius) for items in (one, other)]
    return ObjectivePerturbation(*sides)
