"""How often a bound of P1's eq. (19) fails, on the class of two rewards where it is worst."""

from __future__ import annotations

import math

import numpy as np
import torch

from repro.labels.preferences.label_counts import LabelCounts, private_win_prob
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.worlds.instances.two_arms import TwoArmWorld

JUST_ABOVE = 1.1
"""Squared distance of the two rewards over the bound, at the mean number of pairs."""


def bound_fails(
    world: TwoArmWorld,
    counts: LabelCounts,
    n_pairs: int,
    epsilon: float,
    allowed: float,
    estimate: Estimate = as_fitted,
) -> np.ndarray:
    """1.0 where Σ(Δ_r* − Δ_r̄)² exceeds a bound, r̄ the private MLE in a class of two rewards.

    The class holds the truth and a reward just far enough away to break the bound if chosen, so
    no class of two is worse for it.  Its N is 2, and τ = 0: the class is its own net.

    Args:
        world: one state, two responses.
        counts: (R, 1) privatised labels of n pairs.
        n_pairs: n.
        epsilon: budget of the labels.
        allowed: what the bound says.
        estimate: (1 or −1 as the truth or the other was fitted, 1) → which is returned.
    """
    distance = math.sqrt(JUST_ABOVE * allowed / (n_pairs * float(world.cell_prob[0])))
    pairs, wins = counts.pairs[:, 0], counts.wins[:, 0]
    true, other = (
        float(private_win_prob(world.reward_diff - shift, epsilon)[0]) for shift in (0, distance)
    )
    step = other - true
    gain = wins * math.log1p(step / true) + (pairs - wins) * math.log1p(-step / (1 - true))
    fitted = torch.where(gain <= 0, torch.ones_like(gain), -1.0)  # 1 stands for the truth
    wrong = estimate(fitted, torch.ones_like(fitted)) < 0
    return (wrong & ~(pairs * distance**2 <= allowed)).double().cpu().numpy()
