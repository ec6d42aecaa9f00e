"""Assumptions of the offline theorems: hold on the shipped worlds, fail where they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from repro.worlds.instances.arms import bad_arms_world
from repro.worlds.instances.assumptions import (
    linear_concentrability,
    policy_concentrability,
    realizable_and_covered,
    two_arm_concentrability,
)
from repro.worlds.instances.linear import (
    LinearWorld,
    centred,
    feature_covariance,
    random_linear_world,
)
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world, large_difference_world


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


def random_world(
    num_states: int, num_actions: int, num_features: int, seed: int = 1
) -> LinearWorld:
    return random_linear_world(num_states, num_actions, num_features, 0.5, 1.0, 0.6, seed=seed)


def two_arms() -> TwoArmWorld:
    columns = torch.tensor(
        [[0.2, 0.5, 0.3], [0.1, 0.5, 0.8], [1.0, -0.5, 0.2]], dtype=torch.float64
    )
    return TwoArmWorld(*columns, reward_bound=2.0, kl_weight=0.5)


def one_hot(world: TwoArmWorld) -> LinearWorld:
    """The same table as a linear world: φ(s, first) = e_s, φ(s, second) = 0."""
    states = len(world.state_prob)
    features = torch.zeros(states, 2, states, dtype=torch.float64)
    features[:, 0] = torch.eye(states, dtype=torch.float64)
    return LinearWorld(
        features, world.state_prob, world.policies, world.reward_diff, 4.0, 4.0, world.kl_weight
    )


def ratios(world: LinearWorld, differences: Tensor) -> Tensor:
    """(N, S, A) the quotient of Definition 3.2 for N parameters of g − h, b(s) its mean."""
    values = torch.einsum("sad,nd->nsa", world.features, differences)
    spread = values - (world.reference * values).sum(-1, keepdim=True)
    variance = (world.reference * spread.square()).sum(-1) @ world.state_prob
    return spread.square() / variance[:, None, None]


def random_differences(world: LinearWorld, count: int) -> Tensor:
    """(N, d) g − h for g, h uniform in direction and inside the ball of the class."""
    rng = np.random.Generator(np.random.Philox(2))
    g, h = rng.standard_normal((2, count, world.features.shape[-1]))
    for side in (g, h):
        side *= world.radius * rng.random((count, 1)) / np.linalg.norm(side, axis=1, keepdims=True)
    return torch.from_numpy(g - h)


@pytest.mark.parametrize(
    ("num_states", "num_actions", "num_features"), [(6, 4, 4), (1, 2, 1), (16, 4, 32), (3, 5, 12)]
)
def test_mean_under_the_reference_is_the_dimension(num_states, num_actions, num_features):
    """E_ref φ̃ᵀΣ⁻¹φ̃ = tr I = d."""
    world = random_world(num_states, num_actions, num_features)
    mean = policy_concentrability(linear_concentrability(world), world.reference, world.state_prob)
    assert mean == pytest.approx(num_features, rel=1e-9)


def test_two_responses_by_hand():
    """One state, π_ref = (1/4, 3/4): D² = (3, 1/3), as 1/π_ref − 1."""
    world = TwoArmWorld(
        torch.ones(1, dtype=torch.float64),
        torch.tensor([0.25], dtype=torch.float64),
        torch.zeros(1, dtype=torch.float64),
        1.0,
        1.0,
    )
    assert two_arm_concentrability(world)[0].tolist() == pytest.approx([3, 1 / 3])


def test_table_is_the_linear_formula_on_one_hot_features():
    world = two_arms()
    torch.testing.assert_close(
        two_arm_concentrability(world), linear_concentrability(one_hot(world))
    )


@pytest.mark.parametrize(
    "world",
    [random_world(6, 4, 4), random_world(3, 3, 2, seed=5), one_hot(two_arms())],
    ids=["d=4", "d=2", "table"],
)
def test_is_the_supremum_over_the_class(world):
    """No g, h of the ball exceeds it; many draws of them nearly reach it."""
    distance = linear_concentrability(world)
    reached = ratios(world, random_differences(world, 20_000)).amax(0)
    assert bool((reached <= distance * (1 + 1e-9)).all())
    assert float((reached / distance).min()) > 0.93


def test_supremum_is_attained():
    """By g − h ∝ Σ⁻¹φ̃(s, a), which the ball contains."""
    world = random_world(6, 4, 4)
    covariance = feature_covariance(world, world.reference)
    best = torch.linalg.solve(covariance, centred(world, world.reference).flatten(0, 1).T).T
    best = best / best.norm(dim=1, keepdim=True) * world.radius
    attained = ratios(world, best).flatten(1).diagonal()
    torch.testing.assert_close(attained, linear_concentrability(world).flatten())


def test_bias_inside_the_supremum_would_make_it_zero():
    """Definition 3.2 as printed: b(s) = g − h at the very (s, a) empties the quotient."""
    world = random_world(6, 4, 4)
    values = torch.einsum("sad,nd->nsa", world.features, random_differences(world, 10))
    bias = values[:, :, :1]
    assert float((values - bias)[..., 0].abs().max()) == 0
    assert float(linear_concentrability(world).min()) > 0


def test_does_not_depend_on_the_coordinates_of_features():
    world = random_world(6, 4, 4)
    rng = np.random.Generator(np.random.Philox(3))
    mixed = world.features @ torch.from_numpy(rng.standard_normal((4, 4)))
    shifted = mixed + torch.from_numpy(rng.standard_normal((6, 1, 4)))
    torch.testing.assert_close(
        linear_concentrability(replace(world, features=shifted)),
        linear_concentrability(world),
        rtol=1e-8,
        atol=1e-10,
    )


def test_policy_average_by_hand():
    distance = torch.tensor([[1.0, 3.0], [10.0, 0.0]], dtype=torch.float64)
    policy = torch.tensor([[0.5, 0.5], [0.1, 0.9]], dtype=torch.float64)
    state_prob = torch.tensor([0.25, 0.75], dtype=torch.float64)
    assert policy_concentrability(distance, policy, state_prob) == pytest.approx(0.5 + 0.75)


def test_rare_states_and_responses_are_harder():
    world = two_arms()
    rarer = replace(world, reference=world.reference / 10)
    assert float(two_arm_concentrability(rarer)[0, 0]) == pytest.approx(99 / 0.2)
    assert float(two_arm_concentrability(world)[0, 0]) == pytest.approx(9 / 0.2)
