"""The floor without coverage: the worst mass of a rare cell, up a ladder, of n → ∞ labels."""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import expit, logit

from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.debiased_mle.estimation import fitted
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.label_cells.rare_cell import RareCell


def rare_cell_floors(
    case: AttackedLabels, masses: np.ndarray, cell: RareCell | None = None
) -> np.ndarray:
    """(L,) ‖θ̂ − θ_true‖_Σ̂ = √m·|θ̂ − θ| under attack, exactly, for each mass.

    Args:
        case: of infinitely many labels.
        masses: (L,) probability of the cell.
        cell: the cell; the case's world unless given.
    """
    cell = case.world if cell is None else cell
    assert cell is not None
    mass = torch.from_numpy(masses)[:, None]
    truth = torch.tensor([cell.reward_diff], dtype=torch.float64)
    x = torch.ones(1, 1, dtype=torch.float64)
    target = LogisticTarget(x, mass, truth, cell.reward_bound, torch.sqrt(mass)[:, :, None])
    counts = LabelCounts(mass, mass * case.labels(torch.sigmoid(truth)))
    return target.distance(fitted(case, target, counts, None)).numpy()


def worst_rare_cell(case: AttackedLabels) -> float:
    """Largest floor over the ladder; NaN where the worst mass is an end of it."""
    return _interior(rare_cell_floors(case, case.world.ladder()))


def fixed_rare_cell(case: AttackedLabels) -> float:
    """The floor at one mass, whatever the others are like."""
    return float(rare_cell_floors(case, np.array([case.world.fixed_mass]))[0])


def claimed_worst(cell: RareCell, corruption: float, worth: float) -> float:
    """K·√(ζα): the same supremum from the attacked win rate σ(θ) ± ζα/m, cut off at σ(±B′)."""
    masses, moved = cell.ladder(), corruption * worth
    ends, shift = expit([-cell.reward_bound, cell.reward_bound]), moved / masses
    win = expit(cell.reward_diff) + np.stack([shift, -shift])
    error = np.abs(logit(np.clip(win, *ends)) - cell.reward_diff).max(axis=0)
    return _interior(np.sqrt(masses) * error)


def claimed_at_fixed_mass(cell: RareCell, corruption: float, worth: float) -> float:
    """ζα/(√m·σ′(θ)): the floor at one mass, to first order."""
    win = expit(cell.reward_diff)
    return corruption * worth / (np.sqrt(cell.fixed_mass) * win * (1 - win))


def _interior(floors: np.ndarray) -> float:
    worst = int(floors.argmax())
    return float(floors[worst]) if 0 < worst < len(floors) - 1 else float("nan")
