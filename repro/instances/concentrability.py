"""Coverage of a policy by the data: D² of Definition 3.2 (P1)."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.instances.linear import LinearWorld, centred, feature_covariance
from repro.instances.two_arms import TwoArmWorld


def linear_concentrability(world: LinearWorld) -> Tensor:
    """(S, A) D²_F((s, a); π_ref) = φ̃ᵀΣ⁻¹φ̃ of a linear class, φ̃ centred under π_ref.

    Definition 3.2 as printed takes an infimum over b inside the supremum, which makes D² zero;
    as in the proof, b(s) is the mean of g − h under π_ref.
    """
    c = centred(world, world.reference)
    covariance = feature_covariance(world, world.reference)
    solved = torch.linalg.solve(covariance, c.reshape(-1, c.shape[-1]).T)
    return (c.reshape(-1, c.shape[-1]).T * solved).sum(0).reshape(c.shape[:2])


def two_arm_concentrability(world: TwoArmWorld) -> Tensor:
    """(S, 2) D²_F of the tabular class: (1/π_ref − 1)/d₀."""
    return (1 / world.policies - 1) / world.state_prob[:, None]


def policy_concentrability(distance: Tensor, policy: Tensor, state_prob: Tensor) -> float:
    """D²_π = E_{s~d₀, a~π} D²(s, a) (P1, Definition 3.3); distance and policy are (S, A)."""
    return float((distance * policy).sum(-1) @ state_prob)
