"""Finite reward classes around a truth (P1, Remark 5.1)."""

from __future__ import annotations

import numpy as np
import torch

from repro.algorithms.pokl_finite import FiniteClass
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
