"""Floors where no coverage is assumed: the worst mass of a rare pair, of n → ∞ labels.

A rare pair of mass m has a margin that the strong adversary moves by ζα/m of its win rate, so the
worst m is ∝ ζα and every floor here is ∝ √(ζα).  The ladder of masses is the same for both orders
and every ε: nothing is built around ζα.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.corruption_floors.closed_forms import (
    rare_dpo,
    rare_estimation,
    rare_greedy,
    rare_pessimism,
)
from repro.p4.corruption_floors.rare_cell import rare_cell_floors
from repro.p4.debiased_mle.estimation import fitted
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.label_cells.rare_cell import RareCell

MARGIN_SHARES = np.array([0.25, 0.5, 0.75, 1.0])
"""t/B′ of margins that a policy has to read."""
FINE = 48
"""Masses tried between the two neighbours of the worst one."""
PLENTY = 0.25
"""Mass of the pair that shows θ₀, and half the probability of the state where DPO chooses."""
WEIGHT = 0.5
"""What θ₀ weighs in that state."""

Floors = Callable[[np.ndarray], np.ndarray]
"""(L,) masses → (L,) floors."""


@dataclass(frozen=True)
class Uncovered:
    """Rare pairs of every mass.

    Attributes:
        reward_bound: B′, the largest margin.
        masses: smallest and largest mass.
        ratio: between rungs.
        kl_weight: β of DPO.
    """

    reward_bound: float
    masses: tuple[float, float]
    ratio: float
    kl_weight: float

    def under_uniform_reference(self) -> Uncovered:
        """The rare pair as likely as the other one."""
        return replace(self, masses=(PLENTY, PLENTY))

    def ladder(self) -> np.ndarray:
        """(L,) masses, the smallest first."""
        low, high = self.masses
        return low * self.ratio ** np.arange(int(np.log(high / low) / np.log(self.ratio)) + 1)

    def supremum(self, floors: Floors) -> float:
        """Largest floor, refined between the rungs beside the worst one; NaN at an end."""
        ladder = self.ladder()
        worst = int(floors(ladder).argmax())
        if not 0 < worst < len(ladder) - 1:
            return math.nan
        return float(floors(np.geomspace(ladder[worst - 1], ladder[worst + 1], FINE)).max())


def uncovered_estimation(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """sup over m of ‖θ̂ − θ_true‖_Σ̂ of Algorithm 1, the truth at the far end (P4, Theorem 5.4)."""
    world = case.world
    cell = RareCell(world.reward_bound, -world.reward_bound, world.masses, world.ratio, 1.0)
    return world.supremum(lambda masses: rare_cell_floors(case, masses, cell))


def uncovered_greedy(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """sup over m and margins t of SubOpt/√κ = √m·t of Algorithm 2 with η = 0.

    κ(π*, π_ref) = 1/m, π_ref the worse response; t is lost where the attacked estimate is not
    positive.
    """
    margin = MARGIN_SHARES * case.world.reward_bound
    return case.world.supremum(lambda masses: _lost(masses, _attacked(case, masses), 0.0, margin))


def uncovered_pessimism(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """The same of Algorithm 2 with η = 1 (P4, Theorem 6.1).

    Γ is calibrated: the largest ‖θ̂ − θ_true‖_Σ̂ that the case's own attack reaches at any mass and
    margin.  The margin is lost where the estimate does not exceed the set's reach Γ/√m.
    """
    margin = MARGIN_SHARES * case.world.reward_bound

    def errors(masses: np.ndarray) -> np.ndarray:
        return (np.sqrt(masses)[:, None] * np.abs(_attacked(case, masses) - margin)).max(axis=1)

    width = case.world.supremum(errors)
    return case.world.supremum(lambda masses: _lost(masses, _attacked(case, masses), width, margin))


def uncovered_dpo(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """sup over m of |J(π*) − J(π̂)| of rDPO in ``rare_direction`` (P4, Theorem 6.3)."""
    return case.world.supremum(lambda masses: _dpo_floors(case, torch.from_numpy(masses)))


def covered_dpo(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """The same where no mass is below the smallest: λ_min(Σ) ≥ ξ, and the worst may be ξ itself."""
    return float(_dpo_floors(case, torch.from_numpy(case.world.ladder())).max())


@dataclass(frozen=True)
class UnseenPair:
    """The rare pair of ``rare_direction``, and how much of it there is among the labels.

    Attributes:
        rare: the family; all its masses are the pair's own.
        seen: share of labels that are of the pair; 0 where chance left it out.
    """

    rare: Uncovered
    seen: float

    @property
    def mass(self) -> float:
        """m under the law of the data."""
        return self.rare.masses[0]


def unseen_dpo(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """|J(π*) − J(π̂)| of rDPO with n → ∞ labels of θ₀ and a given share of θ₁'s.

    Without labels of θ₁ every θ₁ of the class minimises Algorithm 1's loss, which has no ridge; the
    one of least norm is returned.
    """
    pair = case.world
    both = torch.tensor([[pair.mass], [pair.seen]], dtype=torch.float64)
    return float(_dpo_floors(case, *both, rare=pair.rare)[0])


def rare_direction(reward_bound: float) -> Tensor:
    """θ_true = (θ₁, θ₀) of a family in which κ_Π is at most 1.5 whatever m is.

    State 1 shows θ₁ with mass m and state 2 shows θ₀, both under an even π_sft.  In state 3 the
    features of the two responses differ by v = (√m, ½); π* is even there, so π_sft has log odds
    −⟨v, θ_true⟩/β and all but never shows a pair: e^−25 of the time, which is left out.  Σ of any
    policy is at most Σ_sft + ¼·v·vᵀ, and vᵀΣ_sft⁻¹v = 1 + ¼/.25 = 2.
    """
    share = 0.5**0.5
    return torch.tensor([-share * reward_bound, share * reward_bound], dtype=torch.float64)


def rare_estimation_at(moved: float, rare: Uncovered) -> float:
    """``rare_estimation`` on a ladder of masses; ``moved`` is Z = ζα here and below."""
    return rare_estimation(moved, rare.reward_bound, _heaviest(rare))


def rare_greedy_at(moved: float, rare: Uncovered) -> float:
    """``rare_greedy`` likewise."""
    return rare_greedy(moved, rare.reward_bound, _heaviest(rare))


def rare_pessimism_at(moved: float, rare: Uncovered) -> float:
    """``rare_pessimism`` at the margins that are tried."""
    margins = (MARGIN_SHARES * rare.reward_bound).tolist()
    return rare_pessimism(moved, rare.reward_bound, _heaviest(rare), margins)


def rare_dpo_at(moved: float, rare: Uncovered) -> float:
    """``rare_dpo`` in the family of ``rare_direction``."""
    end = -float(rare_direction(rare.reward_bound)[0])
    return rare_dpo(moved, end, WEIGHT * end, rare.kl_weight, rare.masses)


def _heaviest(rare: Uncovered) -> float:
    """The mass that has two rungs above it, so that it can be seen to be the worst."""
    return rare.masses[1] / rare.ratio**2


def largest_condition_number() -> float:
    """κ_Π of that family, at most."""
    return 1 + PLENTY * (1 + WEIGHT**2 / PLENTY)


def _dpo_floors(
    case: AttackedLabels, masses: Tensor, seen: Tensor | None = None, rare: Uncovered | None = None
) -> np.ndarray:
    """(L,) probability of state 3 · reward difference · |π̂ − ½|.

    Args:
        case: the stages that labels pass.
        masses: (L,) under the law of the data.
        seen: (L,) share of labels that are of the rare pair; the masses unless given.
        rare: the family; the case's world unless given.
    """
    world, x = rare or case.world, torch.eye(2, dtype=torch.float64)
    truth = rare_direction(world.reward_bound)
    chosen = torch.stack([masses.sqrt(), torch.full_like(masses, WEIGHT)], dim=1)
    labelled = masses if seen is None else seen
    mass = torch.stack([labelled, torch.full_like(masses, PLENTY)], dim=1)
    target = LogisticTarget(x, mass, truth, world.reward_bound, chosen[:, None, :])
    counts = LabelCounts(mass, mass * case.labels(torch.sigmoid(x @ truth)))
    off = (fitted(case, target, counts, None) - truth).mul(chosen).sum(1)
    wrong = (torch.sigmoid(off / world.kl_weight) - 0.5).abs()
    return (2 * PLENTY * (chosen @ truth) * wrong).numpy()


def _attacked(case: AttackedLabels, masses: np.ndarray) -> np.ndarray:
    """(L, T) margins as they are estimated under an attack that lowers them."""
    bound = case.world.reward_bound
    pairs = np.meshgrid(masses, MARGIN_SHARES * bound, indexing="ij")
    mass, margin = (torch.from_numpy(axis.ravel())[:, None] for axis in pairs)
    axis = torch.ones(1, 1, dtype=torch.float64)
    target = LogisticTarget.signed(axis, mass, bound, -axis[None])
    counts = LabelCounts(mass, mass * case.labels(torch.sigmoid(margin)))
    margins = fitted(case, target, counts, None, margin)
    return margins[:, 0].numpy().reshape(len(masses), -1)


def _lost(masses: np.ndarray, attacked: np.ndarray, width: float, margin: np.ndarray) -> np.ndarray:
    """(L,) √m·t of the largest margin that a set of width Γ gives up at each mass; 0 is greedy."""
    root = np.sqrt(masses)[:, None]
    return np.where(attacked <= width / root, root * margin, 0.0).max(axis=1)
