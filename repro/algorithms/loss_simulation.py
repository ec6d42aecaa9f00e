"""Simulated error of a loss in a setting, for comparison with ``repro.measures.loss_risk``."""

from __future__ import annotations

import numpy as np
import torch

from repro.estimators.label_losses import LabelLoss, LossName, minimise_loss
from repro.measures.loss_risk import LossRisk
from repro.preferences.label_counts import LabelCounts


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
    pairs = rng.multinomial(n_pairs, world.cell_prob.numpy(), size=replicates)
    wins = rng.binomial(pairs, risk.win_prob.numpy())
    counts = LabelCounts(
        torch.from_numpy(pairs.astype(np.float64)), torch.from_numpy(wins.astype(np.float64))
    )
    loss = LabelLoss(fitted or risk.name, risk.epsilon)
    error = minimise_loss(loss, counts, world.feature_diff, world.radius) - world.theta
    return torch.einsum("ri,ij,rj->r", error, world.second_moment, error).numpy()
