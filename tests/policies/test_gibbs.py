"""The Gibbs policy: the direction of the temperature, eq. (5) by hand, and its optimality."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from repro.base.notation import kl_weight_of_inverse_temperature
from repro.policies.gibbs import gibbs_policy

REFERENCE = torch.tensor([[0.2, 0.5, 0.3], [0.7, 0.1, 0.2]], dtype=torch.float64)
REWARD = torch.tensor([[1.0, 0.2, -0.4], [0.0, 0.3, 0.9]], dtype=torch.float64)


def objective(policy: Tensor, kl_weight: float) -> Tensor:
    """J = E[r] − kl_weight·KL(π‖π_ref), states equally likely."""
    kl = (torch.xlogy(policy, policy) - torch.xlogy(policy, REFERENCE)).sum(-1)
    return ((policy * REWARD).sum(-1) - kl_weight * kl).mean(-1)


def random_policies(count: int) -> Tensor:
    rng = np.random.Generator(np.random.Philox(1))
    return torch.from_numpy(rng.dirichlet(np.ones(3), size=(count, 2)))


def test_heavy_kl_returns_the_reference():
    policy = gibbs_policy(REFERENCE, REWARD, 1e9)
    torch.testing.assert_close(policy, REFERENCE, atol=1e-8, rtol=0)


def test_light_kl_returns_the_argmax():
    policy = gibbs_policy(REFERENCE, REWARD, 1e-4)
    expected = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    torch.testing.assert_close(policy, expected, atol=1e-15, rtol=0)


@pytest.mark.parametrize("beta", [0.5, 4.0])
def test_inverse_temperature_of_the_paper(beta):
    """Eq. (5) as printed, π_ref·exp(β·r)/Z: P1's β multiplies the reward."""
    printed = REFERENCE * torch.exp(beta * REWARD)
    policy = gibbs_policy(REFERENCE, REWARD, kl_weight_of_inverse_temperature(beta))
    torch.testing.assert_close(policy, printed / printed.sum(-1, keepdim=True))


def test_two_responses_by_hand():
    """Odds 1/3 of the reference times e^{log 9} are 3: probabilities 3/4 and 1/4."""
    reference = torch.tensor([[0.25, 0.75]], dtype=torch.float64)
    reward = torch.tensor([[2 * math.log(9), 0.0]], dtype=torch.float64)
    policy = gibbs_policy(reference, reward, 2.0)
    torch.testing.assert_close(policy, torch.tensor([[0.75, 0.25]], dtype=torch.float64))


@pytest.mark.parametrize("kl_weight", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("mixed_in", [1e-3, 0.1, 1.0], ids=["near", "middling", "any policy"])
def test_no_perturbation_is_better(kl_weight, mixed_in):
    best = gibbs_policy(REFERENCE, REWARD, kl_weight)
    others = (1 - mixed_in) * best + mixed_in * random_policies(2000)
    shortfall = objective(best, kl_weight) - objective(others, kl_weight)
    assert float(shortfall.min()) > 0


@pytest.mark.parametrize("kl_weight", [0.05, 0.5, 5.0])
def test_shortfall_is_the_divergence(kl_weight):
    """J(π*) − J(π) = kl_weight·E KL(π‖π*), the identity behind P1's eq. (2)."""
    best, others = gibbs_policy(REFERENCE, REWARD, kl_weight), random_policies(200)
    divergence = (others * (torch.log(others) - torch.log(best))).sum(-1).mean(-1)
    shortfall = objective(best, kl_weight) - objective(others, kl_weight)
    torch.testing.assert_close(shortfall, kl_weight * divergence, rtol=1e-9, atol=1e-12)


def test_other_temperature_is_worse():
    best = objective(gibbs_policy(REFERENCE, REWARD, 0.5), 0.5)
    for wrong in (0.25, 0.45, 0.55, 2.0):
        assert float(objective(gibbs_policy(REFERENCE, REWARD, wrong), 0.5)) < float(best)


def test_shift_of_a_state_changes_nothing():
    shift = torch.tensor([[5.0], [-30.0]], dtype=torch.float64)
    torch.testing.assert_close(
        gibbs_policy(REFERENCE, REWARD + shift, 0.1), gibbs_policy(REFERENCE, REWARD, 0.1)
    )


def test_batch_of_rewards():
    rewards = torch.stack([REWARD, -REWARD, 1e5 * REWARD])
    policy = gibbs_policy(REFERENCE, rewards, 0.3)
    assert policy.shape == (3, 2, 3)
    for one, reward in zip(policy, rewards, strict=True):
        torch.testing.assert_close(one, gibbs_policy(REFERENCE, reward, 0.3))
    torch.testing.assert_close(policy.sum(-1), torch.ones(3, 2, dtype=torch.float64))
