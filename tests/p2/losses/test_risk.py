"""Sandwich variances and influence functions against simulation, search and each other."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.labels.corruption.orders import Order
from repro.p2.losses.label_losses import (
    LOSSES,
    DebiasedLoss,
    MixtureLoss,
    NaiveLoss,
    SquareLoss,
)
from repro.p2.losses.risk import LossRisk, always, simulate_risk
from repro.p2.losses.worlds import (
    LogisticWorld,
    gaussian_world,
    logistic_world,
    scalar_world,
)
from repro.worlds.instances.linear import random_linear_world

KINDS = {**LOSSES, "naive": NaiveLoss}

WORLD = scalar_world(4.0)
SETTINGS = [(0.0, Order.CTL), (0.01, Order.CTL), (0.01, Order.LTC)]


@pytest.mark.parametrize("name", LOSSES)
def test_predicted_risk_equals_simulation_within_three_standard_errors(name):
    rng = np.random.default_rng(7)
    for epsilon, (alpha, order) in itertools.product([0.3, 1.0, 2.0, 4.0], SETTINGS):
        risk = LossRisk(WORLD, KINDS[name], epsilon, alpha, order)
        seen = simulate_risk(risk, 10**8, rng, 200)
        error = seen.std(ddof=1) / math.sqrt(200)
        assert abs(seen.mean() - risk.risk(10**8)) < 3.5 * error


def test_losses_meet_at_both_ends_of_epsilon():
    small = {n: LossRisk(WORLD, KINDS[n], 0.01).variance for n in LOSSES}
    large = {n: LossRisk(WORLD, KINDS[n], 20.0).variance for n in LOSSES}
    assert small["square"] == pytest.approx(small["mixture"], rel=1e-3)
    assert large["debiased"] == pytest.approx(large["mixture"], rel=1e-3)
    assert small["debiased"] > 1.3 * small["mixture"]
    assert large["square"] > 1.2 * large["mixture"]


@pytest.mark.parametrize("name", LOSSES)
def test_no_loss_beats_the_mixture_without_corruption(name):
    for epsilon in (0.2, 1.0, 3.0):
        mixture = LossRisk(gaussian_world(6.0), MixtureLoss, epsilon).variance
        assert LossRisk(gaussian_world(6.0), KINDS[name], epsilon).variance >= mixture * (1 - 1e-9)


def test_the_adversary_found_is_the_worst_of_all_on_a_small_world():
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.standard_normal((7, 2)))
    share = torch.full((7,), 1 / 7, dtype=torch.float64)
    world = LogisticWorld(x, share, torch.tensor([0.8, -0.4]).double(), 9.0)
    risk = LossRisk(world, SquareLoss, 1.0, 0.01, Order.LTC)

    def size(bad):
        bias = risk.influence(bad)
        return float(bias @ world.metric @ bias)

    every = [torch.tensor(b).double() for b in itertools.product([-1.0, 1.0], repeat=7)]
    assert size(risk.first_order_bad_mean) == pytest.approx(max(map(size, every)))


@pytest.mark.parametrize(("kind", "order"), [(SquareLoss, Order.LTC), (DebiasedLoss, Order.CTL)])
def test_at_a_large_share_no_adversary_of_a_small_world_is_worse(kind, order):
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.standard_normal((6, 2)))
    share = torch.full((6,), 1 / 6, dtype=torch.float64)
    world = LogisticWorld(x, share, torch.tensor([1.6, -0.8]).double(), 9.0)
    every = [torch.tensor(b).double() for b in itertools.product([-1.0, 1.0], repeat=6)]
    biases = [LossRisk(world, kind, 1.0, 0.1, order, adversary=always(b)) for b in every]
    found = LossRisk(world, kind, 1.0, 0.1, order)
    assert found.squared_bias() == pytest.approx(max(b.squared_bias() for b in biases), rel=1e-6)


def test_the_adversary_of_first_order_gains_by_turning_round_and_the_one_used_does_not():
    def bias(share):
        risk = LossRisk(WORLD, DebiasedLoss, 0.5, 0.05, Order.LTC)
        bad = share * getattr(risk, "worst_bad_mean" if used else "first_order_bad_mean")
        return LossRisk(
            WORLD, DebiasedLoss, 0.5, 0.05, Order.LTC, adversary=always(bad)
        ).squared_bias()

    for used in (False, True):
        assert (bias(-1) > 2 * bias(1)) != used


def test_the_pull_at_another_parameter_is_that_of_a_world_with_it():
    world = scalar_world(4.0)
    other = replace(world, theta=world.theta / 2)
    pull, _ = LossRisk(world, DebiasedLoss, 1.0)._pull(other.theta)
    expected, _ = LossRisk(other, DebiasedLoss, 1.0)._pull()
    assert torch.equal(pull, expected)
    assert not torch.equal(pull, LossRisk(world, DebiasedLoss, 1.0)._pull()[0])


def test_the_influence_is_the_derivative_of_the_limit():
    for order in (Order.CTL, Order.LTC):
        risk = LossRisk(WORLD, DebiasedLoss, 1.0, 1e-4, order)
        assert risk.squared_bias() == pytest.approx(risk.first_order_squared_bias(), rel=5e-3)
        assert LossRisk(WORLD, DebiasedLoss, 1.0).squared_bias() < 1e-20


def test_a_naive_likelihood_is_far_from_the_truth():
    assert LossRisk(WORLD, NaiveLoss, 1.0).squared_bias() > 1.0
    assert math.isfinite(LossRisk(WORLD, NaiveLoss, 1.0).variance)


def test_the_pairs_of_a_linear_world_keep_their_rewards():
    linear = random_linear_world(3, 3, 2, kl_weight=0.5, radius=1.0, theta_share=0.6)
    world = logistic_world(linear)
    assert torch.equal(world.reward_diff, linear.reward_diff)
    assert float(world.cell_prob.sum()) == pytest.approx(1.0)
