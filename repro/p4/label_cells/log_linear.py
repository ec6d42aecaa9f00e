"""Log-linear policies (P4, Assumption 4.5): responses, a reference inside the class, β·KL."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from repro.p4.label_cells.pairs import complement_basis
from repro.worlds.instances.linear import LinearWorld


def three_arms(
    reference: Sequence[float],
    reward: Sequence[float],
    reward_bound: float,
    kl_weight: float,
    device: str = "cpu",
) -> LinearWorld:
    """One state, three responses; φ is one-hot, seen in the complement of the all-ones vector.

    One-hot features put every policy into the log-linear class, and ⟨1, θ⟩ = 0 holds in the
    coordinates used.  ‖φ‖² = 2/3 and ‖x‖ = √2.

    Args:
        reference: (3,) weights of π_sft, scaled to sum to 1.
        reward: (2,) θ_true in the basis of ``complement_basis(3)``.
        reward_bound: B′, radius of the class of θ_true.
        kl_weight: β.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    weights = torch.tensor(tuple(reference), **options)
    return LinearWorld(
        features=complement_basis(3).to(**options)[None],
        state_prob=torch.ones(1, **options),
        reference=(weights / weights.sum())[None],
        theta=torch.tensor(tuple(reward), **options),
        radius=reward_bound,
        reward_bound=reward_bound * 2**0.5,
        kl_weight=kl_weight,
    )


def two_arms(share: float, kl_weight: float, device: str = "cpu") -> LinearWorld:
    """One state, two responses, π_sft(first) = share, rewards such that π* is even.

    κ_Π of Proposition 4.6 is the largest variance of any policy over that of π_sft,
    ¼/(share·(1 − share)); the reward difference is β·ln((1 − share)/share).

    Args:
        share: π_sft of the first response, in (0, ½].
        kl_weight: β.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    difference = kl_weight * math.log((1 - share) / share)
    return LinearWorld(
        features=torch.tensor([[[0.5], [-0.5]]], **options),
        state_prob=torch.ones(1, **options),
        reference=torch.tensor([[share, 1 - share]], **options),
        theta=torch.tensor([difference], **options),
        radius=max(1.0, 2 * difference),
        reward_bound=max(1.0, 2 * difference),
        kl_weight=kl_weight,
    )


def lopsided_arms(coverage: float, kl_weight: float, device: str = "cpu") -> LinearWorld:
    """``two_arms`` whose κ_Π is ``coverage``, above 1."""
    share = (1 - math.sqrt(1 - 1 / coverage)) / 2
    return two_arms(share, kl_weight, device)


def uncovered_arms(
    share: float, rewards: tuple[float, float, float], reward_bound: float, kl_weight: float
) -> LinearWorld:
    """Three responses of given rewards, the third drawn with probability ``share`` only.

    Args:
        share: π_sft of the third response; the others halve the rest.
        rewards: of the three responses, the first the largest.
        reward_bound: B′.
        kl_weight: β.
    """
    arms = three_arms([1, 1, 1], [0, 0], reward_bound, kl_weight)
    theta = torch.tensor(rewards, dtype=torch.float64) @ arms.features[0]
    weights = [(1 - share) / 2, (1 - share) / 2, share]
    return three_arms(weights, theta.tolist(), reward_bound, kl_weight)
