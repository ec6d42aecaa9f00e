"""Coverage D² of Definition 3.2 (P1) and the assumptions of its theorems, executed on a world."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from repro.worlds.instances.linear import LinearWorld, centred, feature_covariance
from repro.worlds.instances.two_arms import TwoArmWorld


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


RANK_TOLERANCE = 1e-12
"""Eigenvalues below this share of the largest are rounding, not coverage."""
Assumption = tuple[str, bool, str]
"""Name, whether it holds, and the number behind it."""


def realizable_and_covered(world: LinearWorld | TwoArmWorld) -> tuple[Assumption, ...]:
    """Realizability (Assumption 3.8) and finite D²_π* (Definition 3.3) of P1."""
    if isinstance(world, LinearWorld):
        return _linear_realizable(world), _linear_covered(world)
    return _table_realizable(world), _covered(two_arm_concentrability(world), world)


def _linear_realizable(world: LinearWorld) -> Assumption:
    norm = float(world.theta.norm())
    spread = float(world.feature_diff.norm(dim=1).max()) * world.radius
    inside = norm <= world.radius and spread <= world.reward_bound * (1 + 1e-9)
    detail = f"‖θ‖ = {norm:.3g} of {world.radius:.3g}, reward differences ≤ {spread:.3g}"
    return "rewards in the class and in [0, B]", inside, detail


def _table_realizable(world: TwoArmWorld) -> Assumption:
    largest = float(world.reward_diff.abs().max())
    inside = largest <= world.reward_bound
    return "rewards in the class and in [0, B]", inside, f"differences ≤ {largest:.3g}"


def _linear_covered(world: LinearWorld) -> Assumption:
    eigenvalues = torch.linalg.eigvalsh(feature_covariance(world, world.reference))
    if float(eigenvalues[0]) <= RANK_TOLERANCE * float(eigenvalues[-1]):
        return "single-policy concentrability", False, "π_ref does not identify the reward"
    return _covered(linear_concentrability(world), world)


def _covered(distance: torch.Tensor, world: LinearWorld | TwoArmWorld) -> Assumption:
    value = policy_concentrability(distance, world.optimal_policy, world.state_prob)
    return "single-policy concentrability", math.isfinite(value), f"D² = {value:.3g}"
