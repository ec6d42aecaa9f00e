"""The steps of P3's Lemmas A.4–A.6 and A.11 as ratios: the smaller side over the larger.

A step holds on an instance where its ratio is at most 1.  Each function takes what the paper
prints as an argument, so that the printed and the corrected form share one code path.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import draw_noise
from repro.families.central.algorithms_losses import PairLoss
from repro.families.central.algorithms_minimiser import minimise_in_ball
from repro.privacy.central_noise import GAUSSIAN, CentralNoise


def ridge_step(budget: CentralBudget, n_pairs: float, printed: bool) -> Tensor:
    """(1,) ‖θ_MLE − θ'‖ in Σ + (α/γ)I over the right side of (12), √(2αB/γ) or √(2αB²/γ).

    One rare pair whose labels all agree, so the MLE sits on the ball and the ridge moves it.
    """
    ridge, gamma = budget.ridge(n_pairs, 1), budget.curvature
    x = torch.full((1, 1), 2 * budget.feature_norm, dtype=torch.float64)
    share = torch.full((1, 1), 1 / n_pairs, dtype=torch.float64)
    loss = PairLoss(x, share, share)
    moved = minimise_in_ball(loss, ridge, torch.zeros(1, 1, dtype=torch.float64), budget.radius)
    left = (share * x**2 + ridge / gamma).sqrt() * (budget.radius - moved)
    power = 1 if printed else 2
    return left[:, 0] / math.sqrt(2 * ridge * budget.radius**power / gamma)


def noise_step(
    rng: np.random.Generator,
    replicates: int,
    budget: CentralBudget,
    n_pairs: float,
    d: int,
    printed: bool,
    noise: CentralNoise = GAUSSIAN,
) -> Tensor:
    """(R,) 1 where ‖θ̂ − θ'‖ in Σ + (α/γ)I is above the right side of (13), else 0.

    No pair distinguishes anything (Σ = 0), so θ' = 0 and θ̂ = −b/(2αn), cut to the ball.
    Printed: (σ/n)√(2dγ·log(2/η)/α).  From the line above it: (σ/n)√(2d·log(2/η)/(γα)), which is of
    the right size: 1 also where a twentieth of it suffices.
    """
    ridge, gamma = budget.ridge(n_pairs, d), budget.curvature
    b = budget.noise_std * (noise.multiple * draw_noise(rng, replicates, d).linear)
    moved = (b.norm(dim=-1) / (2 * ridge * n_pairs)).clamp(max=budget.radius)
    left = math.sqrt(ridge / gamma) * moved
    factor = gamma if printed else 1 / gamma
    logs = 2 * d * factor * math.log(2 / budget.failure_prob)
    right = budget.noise_std / n_pairs * math.sqrt(logs / ridge)
    low = 0.0 if printed else right / 20
    return ((left > right) | (left < low)).double()


def output_step(
    rng: np.random.Generator, replicates: int, budget: CentralBudget, ridge: float, printed: bool
) -> Tensor:
    """(R,) ‖w‖ in Σ + λI over (4L²+λ)‖w‖ as before (14), or over √(4L²+λ)‖w‖; d = 1."""
    w = torch.from_numpy(rng.standard_normal(replicates)).abs()
    largest = 4 * budget.feature_norm**2 + ridge
    return math.sqrt(largest) * w / ((largest if printed else math.sqrt(largest)) * w)
