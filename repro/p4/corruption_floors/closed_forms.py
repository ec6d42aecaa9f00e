"""Rare pairs of every mass at any α: what corruption costs without coverage, in closed form.

A rare pair of mass m has its win rate moved by u = Z/m, Z = ζα, so a floor is sup over m of
√m·f(u) = √Z·sup over u of f(u)/√u: **exactly ∝ √Z at every Z** for which the worst mass Z/u* is a
possible one.  NaN where it is not.  f is what the margin loses (`one_cell`), and DPO's floor bends
as well: it is a share of half a reward difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from scipy.special import expit, logit

from repro.p4.corruption_floors.bounds import curvature
from repro.p4.minimax.modulus import hidden_pair, modulus, saturation

RUNGS = 400
"""Masses on which DPO's worst one is looked for before it is refined."""


def rare_estimation(moved: float, reward_bound: float, heaviest: float) -> float:
    """√(Z·g): sup √m·|θ̂ − θ| of Algorithm 1, the truth at the far end of the class.

    Args:
        moved: Z = ζα.
        reward_bound: B′.
        heaviest: largest mass of a pair.

    >>> round(rare_estimation(4e-4, 2.0, 0.5) / rare_estimation(1e-4, 2.0, 0.5), 12)
    2.0
    """
    mass, _ = hidden_pair(moved, reward_bound)
    return modulus(moved, reward_bound) if mass <= heaviest else math.nan


def rare_greedy(moved: float, reward_bound: float, heaviest: float) -> float:
    """B′·√(2Z/tanh(B′/2)): sup √m·t of margins that greedy RLHF gets wrong, σ(t) − Z/m = ½."""
    mass = 2 * moved / math.tanh(reward_bound / 2)
    return reward_bound * math.sqrt(mass) if mass <= heaviest else math.nan


def rare_pessimism(
    moved: float, reward_bound: float, heaviest: float, margins: Sequence[float]
) -> float:
    """sup √m·t of margins that pessimism gives up: θ̂ ≤ Γ/√m with Γ = √(Z·g).

    Γ is the largest error, and by Lemma 1(a) of docs/explanations/sharper_floor.md that is the one
    at the end of the class; Γ/√m = √(g·u), so whether t is given up depends on u alone.
    """
    scale = saturation(reward_bound)

    def excess(share: float, margin: float) -> float:
        attacked = max(expit(margin) - share, expit(-reward_bound))
        return float(logit(attacked)) - math.sqrt(scale * share)

    shares: list[Any] = [
        scipy.optimize.brentq(excess, 0.0, 1.0, args=(t,), xtol=1e-14) for t in margins
    ]
    lost = [t * math.sqrt(moved / u) for t, u in zip(margins, shares, strict=True)]
    best = int(np.argmax(lost))
    return lost[best] if moved / shares[best] <= heaviest else math.nan


def rare_dpo(
    moved: float, end: float, reward: float, kl_weight: float, masses: tuple[float, float]
) -> float:
    """sup over m of ½·(reward − √m·end)·|σ(√m·F(Z/m)/β) − ½|, F what θ₁ = −end is moved by.

    Exponent of Z: ½·x/sinh x at x = √m·F/β while √m is small beside the reward, so ½ while x is
    small, and 0 once half the reward difference is lost.

    Args:
        moved: Z = ζα.
        end: B′/√2, the largest |θ₁| beside θ₀.
        reward: what two responses differ by in the state that is not seen, at m → 0.
        kl_weight: β.
        masses: smallest and largest mass.
    """

    def lost(log_mass: float) -> float:
        mass = math.exp(log_mass)
        reached = min(expit(-end) + moved / mass, expit(end))
        swing = math.sqrt(mass) * (float(logit(reached)) + end) / kl_weight
        return (reward - math.sqrt(mass) * end) / 2 * abs(float(expit(swing)) - 0.5)

    ladder = np.linspace(math.log(masses[0]), math.log(masses[1]), RUNGS)
    best = int(np.argmax([lost(candidate) for candidate in ladder]))
    if not 0 < best < RUNGS - 1:
        return math.nan
    around = (ladder[best - 1], ladder[best + 1])
    optimum: Any = scipy.optimize.minimize_scalar(
        lambda m: -lost(m), bounds=around, method="bounded"
    )
    return -float(optimum.fun)


def straight_rare_dpo(moved: float, end: float, reward: float, kl_weight: float) -> float:
    """``rare_dpo`` at Z → 0: ½·reward·√(Z·g)/(4β), g of a class that ends at θ₁ = ±end."""
    return reward / 2 * modulus(moved, end) / (4 * kl_weight)


def covered_dpo(
    moved: float, coverage: float, end: float, reward: float, kl_weight: float
) -> float:
    """The same at Z/ξ → 0 where no mass is below ξ: ½·(reward − √ξ·end)·Z/(γ√ξ)/(4β).

    Args:
        moved: Z = ζα.
        coverage: ξ, the worst mass.
        end: the largest |θ₁|; γ = σ′(end).
        reward: what two responses differ by in the state that is not seen, at m → 0.
        kl_weight: β.
    """
    root = math.sqrt(coverage)
    return (reward - root * end) / 2 * moved / (curvature(end) * root) / (4 * kl_weight)


def unseen_dpo(mass: float, end: float, reward: float, kl_weight: float) -> float:
    """The same of a pair without labels, θ₁ = −end taken as 0, at m → 0: ½·reward·√m·end/(4β)."""
    root = math.sqrt(mass)
    return (reward - root * end) / 2 * root * end / (4 * kl_weight)
