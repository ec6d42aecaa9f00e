"""The floor without coverage: the worst mass of a rare cell, up a ladder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from repro.corruption.budget import flip_budget
from repro.corruption.debiasing import READINGS
from repro.corruption.orders import Order, Randomize, binomial, channel
from repro.families.robust.adversaries_strong import StrongAdversary
from repro.families.robust.attack_targets import LogisticTarget
from repro.preferences.label_counts import LabelCounts


@dataclass(frozen=True)
class RareCell:
    """One cell of unknown mass; all other pairs have two equal responses.

    Attributes:
        reward_bound: B′, radius of the class of ⟨x, θ⟩.
        reward_diff: the truth, in [−B′, B′].
        masses: smallest and largest mass.
        ratio: between rungs.
    """

    reward_bound: float
    reward_diff: float
    masses: tuple[float, float]
    ratio: float

    def ladder(self) -> np.ndarray:
        """(L,) masses."""
        low, high = self.masses
        return low * self.ratio ** np.arange(int(np.log(high / low) / np.log(self.ratio)) + 1)


def rare_cell_floors(
    cell: RareCell,
    masses: np.ndarray,
    order: Order,
    epsilon: float,
    corruption: float,
    n_pairs: int,
    rng: np.random.Generator,
    reading: str = "debiased",
) -> np.ndarray:
    """(L,) ‖θ̂ − θ_true‖_Σ̂ = √m·|θ̂ − θ| under the strong adversary, one dataset a mass.

    Args:
        cell: truth and class.
        masses: (L,) probability of the cell.
        order: CTL or LTC.
        epsilon: privacy budget.
        corruption: α.
        n_pairs: n, so large that noise is negligible.
        rng: simulation stream.
        reading: how labels are read.
    """
    n = torch.full((len(masses), 1), float(n_pairs), dtype=torch.float64)
    pairs = binomial(rng, n, torch.from_numpy(masses)[:, None])
    wins = binomial(rng, pairs, 1 / (1 + np.exp(-cell.reward_diff)))
    mass = pairs / n_pairs
    truth = torch.tensor([cell.reward_diff], dtype=torch.float64)
    x = torch.ones(1, 1, dtype=torch.float64)
    target = LogisticTarget(x, mass, truth, cell.reward_bound, torch.sqrt(mass)[:, :, None])
    adversary = StrongAdversary(flip_budget(corruption, n_pairs), target)
    read = READINGS[reading](epsilon)
    stages = channel(order, Randomize.response(epsilon), adversary)
    seen = stages.apply(rng, LabelCounts(pairs, wins), read)
    return target.damage(read(seen)).numpy()


def worst_rare_cell(cell: RareCell, **scene) -> float:
    """Largest floor over the ladder; NaN where the worst mass is an end of it."""
    floors = rare_cell_floors(cell, cell.ladder(), **scene)
    worst = int(floors.argmax())
    return float(floors[worst]) if 0 < worst < len(floors) - 1 else float("nan")
