"""Assumptions of P1's offline theorems, executed on a world."""

from __future__ import annotations

import math

import torch

from repro.instances.concentrability import (
    linear_concentrability,
    policy_concentrability,
    two_arm_concentrability,
)
from repro.instances.linear import LinearWorld, feature_covariance
from repro.instances.two_arms import TwoArmWorld

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
