"""What noise costs DPO in a family of bounded κ_Π, whatever the mass of a rare pair: no draws.

The family of ``quantities_uncovered.rare_direction``: m shows θ₁, ¼ shows θ₀, and what is chosen
has the features (√m, ½).  θ₁ is missed by ∝ 1/√(nm), so √m of it by ∝ 1/√n, at every m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from repro.base.schema import Positive, Share
from repro.p4.corruption_floors.rare_pairs import PLENTY, WEIGHT
from repro.p4.debiased_mle.labels import built_pairs
from repro.p4.label_cells.choices import LopsidedChoice
from repro.p4.linear_rlhf.two_arms import (
    InformativePairs,
    MarginLabels,
    TwoArmStates,
    exact_error,
    likely_errors,
)

OUTCOMES = 200
"""Equally likely errors of each of the two coordinates."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RareNoise(InformativePairs):
    """Labels of the family, nobody corrupting: −θ₁ = θ₀ = B′/2, inside the class.

    Attributes:
        reward_bound: B′.
        kl_weight: β.
        mass: of the pair whose labels are looked at.
    """

    reward_bound: Positive
    kl_weight: Positive
    mass: Share = PLENTY

    @property
    def states(self) -> TwoArmStates:
        """As stated, since every mass is looked at."""
        return self.stated

    @property
    def ball(self) -> float:
        return self.reward_bound / math.sqrt(2)


@dataclass(frozen=True, eq=False, kw_only=True)
class LopsidedLabels(MarginLabels):
    """Labels of two responses of one state between which π* is even; the margin is what they
    differ by.

    Attributes:
        instance: the numbers that the state is built from.
    """

    instance: LopsidedChoice

    @property
    def stated(self) -> TwoArmStates:
        return TwoArmStates(1, float(built_pairs(self.instance).cell_prob[0]))

    @property
    def margin(self) -> float:
        """h."""
        return float(built_pairs(self.instance).reward_diff[0])

    @property
    def kl_weight(self) -> float:
        """β."""
        return built_pairs(self.instance).policies.kl_weight


def worst_noise(world: RareNoise) -> float:
    """sup over m of E|J(π*) − J(π̂)|, with n·m = 1, 2, 4, … labels of the rare pair up to n/4.

    NaN where n/4 is less than 2.
    """
    if world.n_pairs * PLENTY < 2:
        return math.nan
    known = _errors(world, PLENTY, world.reward_bound / 2)
    most = int(math.log2(world.n_pairs * PLENTY))
    return max(_mean_gap(world, 2**k / world.n_pairs, known) for k in range(most))


def gap_exceeded(world: LopsidedLabels, margin: float) -> float:
    """What |J(π*) − J(π̂)| exceeds with probability δ."""
    return margin * (float(expit(exact_error(world, margin) / world.kl_weight)) - 0.5)


def _mean_gap(world: RareNoise, mass: float, known: np.ndarray) -> float:
    """E of probability of state 3 · reward difference · |π̂ − ½|."""
    margin, root = -world.reward_bound / 2, math.sqrt(mass)
    off = root * _errors(world, mass, margin)[:, None] + WEIGHT * known
    reward = (root - WEIGHT) * margin
    return 2 * PLENTY * reward * float(np.abs(expit(off / world.kl_weight) - 0.5).mean())


def _errors(world: RareNoise, mass: float, margin: float) -> np.ndarray:
    """(OUTCOMES,) errors of a coordinate that a share of the labels shows."""
    return likely_errors(replace(world, mass=mass), margin, OUTCOMES)
