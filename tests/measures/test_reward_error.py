"""Left side of P1's Lemma B.1, by brute force."""

from pathlib import Path

import pytest
import torch

from repro.families.offline_kl.quantities_gap import (
    linear_reward_error,
    private_fisher_information,
    reward_error_constant,
    two_arm_reward_error,
)
from repro.instances.build import build_world
from repro.instances.choices import LinearChoice
from repro.instances.two_arms import hypercube_world


@pytest.fixture
def world():
    return build_world(
        LinearChoice(
            kind="linear", num_states=3, num_actions=4, num_features=5, radius=1.0,
            theta_share=0.6, kl_weight=0.5, seed=1,
        ),
        Path("unused"),
        "cpu",
    )  # fmt: skip


def test_linear_error_is_the_mean_variance_of_the_reward_error(world):
    theta = torch.randn(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    error = torch.einsum("sad,rd->rsa", world.features, theta - world.theta)
    shift = (world.reference * error).sum(-1, keepdim=True)
    brute = (world.reference * (error - shift) ** 2).sum(-1) @ world.state_prob
    assert linear_reward_error(world, theta) == pytest.approx(brute)


def test_two_arm_error_is_the_mean_variance_of_the_reward_error():
    world = hypercube_world(3, 6.0, 0.2, 3.0, 0.5)
    error = torch.tensor([[0.3, -0.2, 1.0]], dtype=torch.float64)
    both = torch.stack([error, torch.zeros_like(error)], dim=-1)
    shift = (world.policies * both).sum(-1, keepdim=True)
    brute = (world.policies * (both - shift) ** 2).sum(-1) @ world.state_prob
    assert two_arm_reward_error(world, world.reward_diff + error) == pytest.approx(brute)


def test_constant_by_an_explicit_inverse(world):
    inverse = torch.linalg.inv(private_fisher_information(world, 1.0))
    draws = torch.randn(200_000, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    theta = world.theta + draws @ torch.linalg.cholesky(inverse).T
    mean = linear_reward_error(world, theta).mean()
    assert reward_error_constant(world, 1.0) == pytest.approx(float(mean), rel=0.02)
