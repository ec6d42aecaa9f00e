"""Two responses that π* plays alike, whatever the divergence, and rewards that are all alike."""

from __future__ import annotations

import torch

from repro.worlds.instances.linear import LinearWorld
from repro.worlds.instances.two_arms import TwoArmWorld
from repro.worlds.policies.regularisers import Regulariser


def fixed_policy_world(
    coverage: float, difference: float, reward_bound: float, regulariser: Regulariser
) -> TwoArmWorld:
    """One state with π_ref(first) = 1/C and π* = ½, at one reward difference whatever C is.

    kl_weight = difference/(f′(C/2) − f′(C/(2(C−1)))), so that what a label tells stays as it is
    while C grows.

    Args:
        coverage: C > 2, twice the density ratio π*/π_ref of the first response.
        difference: of the two rewards, below ``reward_bound``.
        reward_bound: B.
        regulariser: f.
    """
    ratios = torch.tensor([coverage / 2, coverage / (2 * (coverage - 1))], dtype=torch.float64)
    first, second = regulariser.slope(ratios).tolist()
    return TwoArmWorld(
        state_prob=torch.ones(1, dtype=torch.float64),
        reference=torch.full((1,), 1 / coverage, dtype=torch.float64),
        reward_diff=torch.full((1,), difference, dtype=torch.float64),
        reward_bound=reward_bound,
        kl_weight=difference / (first - second),
    )


def level_world(num_states: int, kl_weight: float, reward_bound: float) -> TwoArmWorld:
    """Two responses as good as each other, both drawn half of the time: π* = π_ref for every f."""
    return TwoArmWorld(
        state_prob=torch.full((num_states,), 1 / num_states, dtype=torch.float64),
        reference=torch.full((num_states,), 0.5, dtype=torch.float64),
        reward_diff=torch.zeros(num_states, dtype=torch.float64),
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )


def either_order_world(difference: float, reward_bound: float, device: str = "cpu") -> LinearWorld:
    """Two responses that a labeller sees in either order, alike likely; one parameter, Δ.

    Each order is a state of its own, with the responses' places exchanged.  π_ref draws both alike,
    and the weight of KL is 1.

    Args:
        difference: Δ, the first response's reward less the second's.
        reward_bound: B > |Δ|.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    return LinearWorld(
        features=torch.tensor([[[1.0], [0.0]], [[0.0], [1.0]]], **options),
        state_prob=torch.full((2,), 0.5, **options),
        reference=torch.full((2, 2), 0.5, **options),
        theta=torch.tensor([difference], **options),
        radius=reward_bound,
        reward_bound=reward_bound,
        kl_weight=1.0,
    )
