"""The floor without coverage: the worst mass of a rare cell, up a ladder."""

from __future__ import annotations

import numpy as np
import torch

from repro.corruption.orders import binomial
from repro.families.robust.algorithms_estimation import fitted
from repro.families.robust.attack_targets import LogisticTarget
from repro.families.robust.cases import RobustCase
from repro.families.robust.worlds_rare_cell import RareCell
from repro.preferences.label_counts import LabelCounts

RareCase = RobustCase[RareCell]


def rare_cell_floors(case: RareCase, masses: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(L,) ‖θ̂ − θ_true‖_Σ̂ = √m·|θ̂ − θ| under attack, one dataset for each mass.

    Args:
        case: n is so large that noise is negligible.
        masses: (L,) probability of the cell.
        rng: simulation stream.
    """
    cell = case.world
    counts = _counts(case, masses, rng)
    mass = counts.pairs / case.n_pairs
    truth = torch.tensor([cell.reward_diff], dtype=torch.float64)
    x = torch.ones(1, 1, dtype=torch.float64)
    target = LogisticTarget(x, mass, truth, cell.reward_bound, torch.sqrt(mass)[:, :, None])
    return target.distance(fitted(case, target, counts, rng)).numpy()


def worst_rare_cell(case: RareCase, rng: np.random.Generator) -> float:
    """Largest floor over the ladder; NaN where the worst mass is an end of it."""
    floors = rare_cell_floors(case, case.world.ladder(), rng)
    worst = int(floors.argmax())
    return float(floors[worst]) if 0 < worst < len(floors) - 1 else float("nan")


def fixed_rare_cell(case: RareCase, rng: np.random.Generator) -> float:
    """The floor at one mass, whatever the others are like."""
    return float(rare_cell_floors(case, np.array([case.world.fixed_mass]), rng)[0])


def _counts(case: RareCase, masses: np.ndarray, rng: np.random.Generator) -> LabelCounts:
    """(L, 1) true labels."""
    n = torch.full((len(masses), 1), float(case.n_pairs), dtype=torch.float64)
    pairs = binomial(rng, n, torch.from_numpy(masses)[:, None])
    win = torch.tensor(1 / (1 + np.exp(-case.world.reward_diff)), dtype=torch.float64)
    return LabelCounts(pairs, binomial(rng, pairs, case.labels(win)))
