"""Assumptions of the offline theorems: hold on the shipped worlds, fail where they should."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from repro.instances.arms import bad_arms_world
from repro.instances.assumptions import realizable_and_covered
from repro.instances.linear import LinearWorld, random_linear_world
from repro.instances.two_arms import hypercube_world, large_difference_world


def linear(seed: int = 1) -> LinearWorld:
    return random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=seed)


def verdicts(world) -> tuple[bool, bool]:
    realizable, covered = realizable_and_covered(world)
    assert realizable[0].startswith("rewards in the class")
    assert covered[0] == "single-policy concentrability"
    return realizable[1], covered[1]


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(linear(), id="linear"),
        pytest.param(bad_arms_world(1000, 10, 0.5, 2.5, 0.0625), id="bad arms"),
        pytest.param(hypercube_world(8, 16, 1 / 32, 2.0, 1.0), id="hypercube"),
        pytest.param(large_difference_world(4.0, 0.5, 4.0), id="large difference"),
    ],
)
def test_hold_on_the_built_worlds(world):
    assert verdicts(world) == (True, True)


def test_truth_outside_the_ball():
    world = linear()
    assert verdicts(replace(world, theta=2 * world.theta)) == (False, True)


def test_class_outside_the_bound():
    world = linear()
    assert verdicts(replace(world, reward_bound=0.5 * world.reward_bound)) == (False, True)


@pytest.mark.parametrize(
    ("kl_weight", "holds"),
    [pytest.param(0.5, True, id="b + a = 1.85"), pytest.param(0.7, False, id="b + a = 2.60")],
)
def test_hypercube_outside_the_bound(kl_weight, holds):
    """kl_weight·(log 15 + 1) against B = 2."""
    assert verdicts(hypercube_world(8, 16, kl_weight, 2.0, 1.0)) == (holds, True)


def constant_column(features):
    features[..., 3] = 0.3


def repeated_column(features):
    features[..., 3] = features[..., 0]


def dependent_column(features):
    features[..., 3] = features[..., 0] + 0.5 * features[..., 1]


def state_column(features):
    """A feature of the state alone differs between no two responses."""
    features[..., 3] = torch.arange(6)[:, None] / 10


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "spoil", [constant_column, repeated_column, dependent_column, state_column]
)
def test_features_of_deficient_rank_are_not_covered(spoil, seed):
    world = linear(seed)
    features = world.features.clone()
    spoil(features)
    theta = torch.tensor([0.1, 0.1, 0.0, 0.0], dtype=torch.float64)
    spoiled = replace(world, features=0.5 * features, theta=theta)
    assert verdicts(spoiled) == (True, False)


def test_detail_is_the_number():
    (_, _, reward), (_, _, coverage) = realizable_and_covered(hypercube_world(1, 3, 1.0, 5.0, 1.0))
    assert reward == "differences ≤ 1.69"  # log 2 + 1
    # odds of π* are e/2·2 = e; D² = (2, 1/2) under π* = (e, 1)/(1 + e)
    assert coverage == "D² = 1.6"
