"""Simulated error of a loss in a setting, for comparison with ``LossRisk``."""

from __future__ import annotations

import numpy as np
import torch

from repro.families.losses.algorithms_losses import LabelLoss, LossName, minimise_loss
from repro.families.losses.quantities_risk import LossRisk
from repro.preferences.label_counts import LabelCounts


def draw_counts(
    risk: LossRisk, n_pairs: int, rng: np.random.Generator, replicates: int
) -> LabelCounts:
    """Datasets of n labels under the setting's adversary; ties are drawn and dropped."""
    prob = risk.world.cell_prob.numpy()
    rest = max(0.0, 1.0 - float(prob.sum()))
    pairs = rng.multinomial(n_pairs, np.append(prob, rest), size=replicates)[:, :-1]
    wins = rng.binomial(pairs, risk.win_prob.numpy())
    return LabelCounts(
        torch.from_numpy(pairs.astype(np.float64)), torch.from_numpy(wins.astype(np.float64))
    )


def simulate_risk(
    risk: LossRisk,
    n_pairs: int,
    rng: np.random.Generator,
    replicates: int,
    fitted: LossName | None = None,
) -> np.ndarray:
    """(R,) squared error of reward differences on datasets of n labels.

    Args:
        risk: the setting, with the adversary against its own loss.
        n_pairs: n.
        rng: the block's stream.
        replicates: R.
        fitted: the loss that is minimised, the setting's unless given.
    """
    world = risk.world
    counts = draw_counts(risk, n_pairs, rng, replicates)
    loss = LabelLoss(fitted or risk.name, risk.epsilon)
    error = minimise_loss(loss, counts, world.feature_diff, world.radius) - world.theta
    return torch.einsum("ri,ij,rj->r", error, world.metric, error).numpy()
