"""Calibrations of objective perturbation, for features of norm at most L = 1.

Certified ones are private when one record is replaced, and so when one is added or removed.

A pair's feature difference is then at most 2, its gradient at most 2 and its Hessian at most
1 (4·¼).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from repro.p3.objective_perturbation.gradients import Records
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound
from repro.p3.objective_perturbation.one_dimension import Items, ObjectivePerturbation, Perturbed

HESSIAN = 1.0
GRADIENT = 2.0
RIDGE_SHARE = 0.05
"""Share of ε that the corrected ridge spends on the change of volume."""
STEP = 2.0**-30
"""Of the logarithm of σ."""
MULTIPLES = round(math.log(1e-3) / STEP), round(math.log(1e9) / STEP)
"""Of ``STEP``, between which the logarithm of σ is sought."""
NARROWER = 4.0
"""What the slow part of the bound may save at most."""


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
    epsilon: float, dp_delta: float, records: Records, ridge_share: float = RIDGE_SHARE
) -> Calibration:
    """Smallest noise for which ``hockey_stick_bound`` certifies (ε, δ), on a fixed ridge.

    Logarithms of σ that are tried are multiples of ``STEP``: with a radius the bound is a sum over
    a mesh, which jumps up and down by a few per cent, and other numbers would be rounded otherwise
    on another processor.  The bound of the σ that is returned was seen to be at most δ.

    Args:
        epsilon: budget > 0.
        dp_delta: its δ, in (0, 1).
        records: what one record can do.
        ridge_share: of ε, in (0, 1), that the ridge spends on the change of volume.

    Raises:
        ValueError: no noise that is tried is enough.
    """
    share = ridge_share * epsilon / records.rank
    ridge = records.hessian / records.rank / math.expm1(share)

    def private(of: Records, multiple: int) -> bool:
        return hockey_stick_bound(of, math.exp(multiple * STEP), ridge, epsilon) <= dp_delta

    def smallest(of: Records, low: int, high: int) -> int:
        """Between ``low`` and ``high``, which is private, by halving."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if private(of, middle) else (middle, high)
        return high

    fast, (low, high) = replace(records, radius=None), MULTIPLES
    if not private(fast, high):
        raise ValueError(f"σ = {math.exp(high * STEP):.3g} is not enough for ε = {epsilon}")
    log_noise = smallest(fast, low, high)
    if records.radius is not None:
        log_noise = smallest(records, log_noise - round(math.log(NARROWER) / STEP), log_noise)
    return Calibration(math.exp(log_noise * STEP), ridge)


def tied_otherwise(
    calibration: Calibration, radius: float, first: Items, other: Items
) -> ObjectivePerturbation:
    """Two datasets on [−radius, radius] that differ as given; all other records are ties."""
    ridge, sigma = calibration.ridge, calibration.sigma
    sides = [Perturbed(items, ridge, sigma, radius) for items in (first, other)]
    return ObjectivePerturbation(*sides)
