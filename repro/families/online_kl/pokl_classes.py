"""Finite reward classes around a truth (P1, Remark 5.1)."""

from __future__ import annotations

import numpy as np
import torch

from repro.families.online_kl.algorithms_finite import FiniteClass
from repro.instances.linear import LinearWorld


def random_finite_class(world: LinearWorld, class_size: int, seed: int) -> FiniteClass:
    """The world's reward and class_size − 1 others ⟨φ, θ⟩, θ uniform on half the class's sphere.

    Args:
        world: whose reward comes first.
        class_size: N ≥ 1.
        seed: of the class, not of the run.
    """
    rng = np.random.Generator(np.random.Philox(key=seed))
    directions = rng.standard_normal((class_size - 1, world.theta.shape[0]))
    directions *= 0.5 * world.radius / np.linalg.norm(directions, axis=1, keepdims=True)
    others = torch.as_tensor(directions, dtype=world.theta.dtype, device=world.theta.device)
    theta = torch.cat([world.theta[None], others])
    rewards = theta @ world.features.flatten(0, 1).T
    return FiniteClass(world, rewards.reshape(class_size, *world.reference.shape))


def two_rewards(reward_bound: float, kl_weight: float, device: str = "cpu") -> FiniteClass:
    """One state, two responses, rewards (B, 0) and (0, B), the first of them true.

    Until the labels tell them apart, least squares may pick the wrong one; then r* − r̄ − c
    reaches nearly 2B on the response that the policy has given up (P1, Lemma C.4).

    Args:
        reward_bound: B.
        kl_weight: weight of KL.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    world = LinearWorld(
        features=torch.tensor([[[1.0], [0.0]]], **options),
        state_prob=torch.ones(1, **options),
        reference=torch.full((1, 2), 0.5, **options),
        theta=torch.full((1,), reward_bound, **options),
        radius=reward_bound,
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )
    rewards = torch.tensor([[[reward_bound, 0.0]], [[0.0, reward_bound]]], **options)
    return FiniteClass(world, rewards)
