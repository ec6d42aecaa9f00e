"""What noise costs DPO in a family of bounded κ_Π, whatever the mass of a rare pair: no draws.

The family of ``quantities_uncovered.rare_direction``: m shows θ₁, ¼ shows θ₀, and what is chosen
has the features (√m, ½).  θ₁ is missed by ∝ 1/√(nm), so √m of it by ∝ 1/√n, at every m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from repro.families.robust.quantities_two_arms import (
    CalibratedCase,
    MarginCase,
    TwoArmStates,
    exact_error,
    likely_errors,
)
from repro.families.robust.quantities_uncovered import PLENTY, WEIGHT

OUTCOMES = 200
"""Equally likely errors of each of the two coordinates."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RareNoise(MarginCase):
    """Labels of the family, nobody corrupting: −θ₁ = θ₀ = −margin, inside the class.

    Attributes:
        kl_weight: β.
        width: not read.
    """

    width: float = 0.0
    kl_weight: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyTail(CalibratedCase):
    """Two responses of one state between which π* is even; the margin is what they differ by.

    Attributes:
        kl_weight: β.
    """

    kl_weight: float


def worst_noise(case: RareNoise, rng: Any = None, replicates: int = 1) -> float:
    """sup over m of E|J(π*) − J(π̂)|, with n·m = 1, 2, 4, … labels of the rare pair up to n/4.

    NaN where n/4 is less than 2.
    """
    if case.n_pairs * PLENTY < 2:
        return math.nan
    known = _errors(case, PLENTY, -case.margin)
    most = int(math.log2(case.n_pairs * PLENTY))
    return max(_mean_gap(case, 2**k / case.n_pairs, known) for k in range(most))


def gap_exceeded(case: PolicyTail, rng: Any = None, replicates: int = 1) -> float:
    """What |J(π*) − J(π̂)| exceeds with probability δ."""
    return case.margin * (float(expit(exact_error(case) / case.kl_weight)) - 0.5)


def _mean_gap(case: RareNoise, mass: float, known: np.ndarray) -> float:
    """E of probability of state 3 · reward difference · |π̂ − ½|."""
    root = math.sqrt(mass)
    off = root * _errors(case, mass, case.margin)[:, None] + WEIGHT * known
    reward = (root - WEIGHT) * case.margin
    return 2 * PLENTY * reward * float(np.abs(expit(off / case.kl_weight) - 0.5).mean())


def _errors(case: RareNoise, mass: float, margin: float) -> np.ndarray:
    """(OUTCOMES,) errors of a coordinate that a share of the labels shows."""
    return likely_errors(replace(case, world=TwoArmStates(1, mass), margin=margin), OUTCOMES)
