"""Implicit rewards against the exact policies whose reward they must give back."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.base.notation import flip_prob, label_signal
from repro.llm.training.losses import log_loss, mixture_loss, square_loss
from repro.llm.training.objectives import chipo_reward_difference, dpo_reward_difference
from repro.p2.chipo.policy import chipo_policy
from repro.worlds.policies.gibbs import gibbs_policy

REFERENCE = np.array([0.7, 0.3])
REWARD = np.array([0.9, 0.2])
KL_WEIGHT = 0.4


def log_ratios(policy) -> tuple[torch.Tensor, torch.Tensor]:
    ratio = torch.log(torch.as_tensor(policy) / torch.as_tensor(REFERENCE))
    return ratio[:1], ratio[1:]


def test_the_gibbs_policy_implies_its_reward():
    policy = gibbs_policy(torch.from_numpy(REFERENCE)[None], torch.from_numpy(REWARD), KL_WEIGHT)
    found = dpo_reward_difference(*log_ratios(policy[0]), KL_WEIGHT)
    assert float(found) == pytest.approx(0.7, abs=1e-9)


def test_the_chipo_policy_implies_its_reward_and_the_dpo_link_does_not():
    policy = chipo_policy(REFERENCE, REWARD, np.array(KL_WEIGHT))
    found = chipo_reward_difference(*log_ratios(policy), KL_WEIGHT, reward_bound=1.0)
    assert float(found) == pytest.approx(0.7, abs=1e-9)
    wrong = dpo_reward_difference(*log_ratios(policy), KL_WEIGHT)
    assert abs(float(wrong) - 0.7) > 0.05


def logit_slope(loss, logit: float, epsilon: float, assumed: float | None = None) -> float:
    """Slope, in the policy's logit, of the loss in the mean over private labels."""
    at = torch.tensor(logit, dtype=torch.float64, requires_grad=True)
    policy = torch.stack([torch.sigmoid(at), torch.sigmoid(-at)])
    difference = chipo_reward_difference(*log_ratios(policy), KL_WEIGHT, reward_bound=1.0)
    win = flip_prob(epsilon) + label_signal(epsilon) / (1 + math.exp(-0.7))
    one = torch.ones_like(difference)
    budget = () if loss is log_loss else (assumed or epsilon,)
    mean = win * loss(difference, one, *budget) + (1 - win) * loss(difference, -one, *budget)
    return float(torch.autograd.grad(mean.sum(), at)[0])


@pytest.mark.parametrize("loss", [mixture_loss, square_loss])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_privchipo_and_squarechipo_are_stationary_at_the_exact_policy(loss, epsilon):
    policy = chipo_policy(REFERENCE, REWARD, np.array(KL_WEIGHT))
    logit = math.log(policy[0] / policy[1])
    assert logit_slope(loss, logit, epsilon) == pytest.approx(0, abs=1e-9)
    assert logit_slope(loss, logit - 0.2, epsilon) < -1e-6
    assert logit_slope(loss, logit + 0.2, epsilon) > 1e-6


def test_chipo_that_ignores_privacy_pulls_towards_the_reference():
    policy = chipo_policy(REFERENCE, REWARD, np.array(KL_WEIGHT))
    logit = math.log(policy[0] / policy[1])
    assert logit_slope(log_loss, logit, 0.5) > 1e-2
    assert logit_slope(square_loss, logit, 0.5, assumed=math.inf) > 1e-2


def test_slope_of_the_link_is_one_plus_the_ratio():
    first = torch.tensor([math.log(1.5)], dtype=torch.float64, requires_grad=True)
    second = torch.tensor([math.log(0.8)], dtype=torch.float64, requires_grad=True)
    found = chipo_reward_difference(first, second, 0.1, reward_bound=1.0)
    assert found.item() == pytest.approx(0.1 * (1.5 - 0.8 + math.log(1.5 / 0.8)))
    slopes = torch.autograd.grad(found.sum(), (first, second))
    assert [float(s) for s in slopes] == pytest.approx([0.1 * 2.5, -0.1 * 1.8])


@pytest.mark.parametrize("reward_bound", [0.1, 1.0])
def test_the_difference_is_clipped_at_twice_the_reward_bound(reward_bound):
    first = torch.tensor([3.0, -3.0, 0.0], requires_grad=True)
    found = chipo_reward_difference(first, -first.detach(), 1.0, reward_bound)
    assert found.tolist() == pytest.approx([2 * reward_bound, -2 * reward_bound, 0.0])
    (slope,) = torch.autograd.grad(found.sum(), first)
    assert slope.tolist() == pytest.approx([0.0, 0.0, 2.0])


def test_enormous_ratios_stay_finite_in_single_precision():
    first = torch.tensor([200.0, 200.0, -200.0], requires_grad=True)
    second = torch.tensor([300.0, -200.0, 200.0])
    found = chipo_reward_difference(first, second, 0.1, reward_bound=1.0)
    assert found.tolist() == pytest.approx([-2.0, 2.0, -2.0])
    (slope,) = torch.autograd.grad(found.sum(), first)
    assert bool(torch.isfinite(slope).all())
