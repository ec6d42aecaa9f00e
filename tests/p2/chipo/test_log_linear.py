"""Algorithms 1 and 3 over policies: against row-wise code, other starts and the fast paths."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize, root
from scipy.special import expit

from repro.base.notation import privacy_cost
from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts
from repro.p2.chipo.log_linear import (
    LOSSES,
    SHAPE,
    CellCounts,
    LossMinimiser,
    finite_directions,
    policies_of,
)
from repro.p2.chipo.log_linear_policies import log_linear
from repro.p2.chipo.policy import chipo_policy, link
from repro.p2.losses.label_losses import SquareLoss, minimise_loss
from repro.worlds.estimators.mixture_mle import mixture_mle

SMALL = log_linear(num_states=2, num_actions=3, num_features=2, seed=4, reward_bound=1.0)
SETTINGS = [(0.0, Order.CTL), (0.03, Order.CTL), (0.03, Order.LTC)]
EPSILON = 1.0


def one_label(name, difference, report):
    """The printed loss of one label, its implicit difference clipped already (line 3)."""
    keep = expit(EPSILON)
    if name == "log":
        return -math.log((2 * keep - 1) * expit(report * difference) + 1 - keep)
    return (2 * expit(difference) - 1 - report / (2 * keep - 1)) ** 2


def row_wise(name, policies, policy, kl_weight, data):
    """The printed loss of a policy (S, A), label by label."""
    total = 0.0
    limit = 2 * policies.reward_bound
    for cell, (s, a, b) in enumerate(zip(*policies.pairs, strict=True)):
        ratios = policy[s] / policies.reference[s]
        difference = kl_weight * (link(ratios[a]) - link(ratios[b]))
        difference = min(max(difference, -limit), limit)
        wins, pairs = data.wins[0, cell], data.pairs[0, cell]
        total += wins * one_label(name, difference, 1)
        total += (pairs - wins) * one_label(name, difference, -1)
    return total


def drawn(policies, difference, n_pairs, alpha=0.0, order=Order.CTL, seed=0):
    """One dataset of corrupted and privatised labels."""
    rng = np.random.default_rng(seed)
    pairs = rng.binomial(n_pairs, policies.cell_prob)
    mean = HuberReports(EPSILON, alpha, order).mean(np.tanh(difference / 2))
    return CellCounts(pairs[None], rng.binomial(pairs, (1 + mean) / 2)[None])


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_of_the_losses(name):
    loss, cost = LOSSES[name], privacy_cost(EPSILON)
    pairs, wins, mean = np.array([900.0]), np.array([500.0]), np.array([0.3])

    def value(m):
        return loss.value(pairs, wins, m, cost)

    numeric = (value(mean + 1e-5) - value(mean - 1e-5)) / 2e-5
    assert loss.slope(pairs, wins, mean, cost)[0] == pytest.approx(numeric, rel=1e-6)
    expected = pairs * (1 + mean / cost) / 2
    second = (loss.slope(pairs, expected, mean + 1e-5, cost)
              - loss.slope(pairs, expected, mean - 1e-5, cost)) / 2e-5  # fmt: skip
    assert loss.curvature(pairs, mean, cost) == pytest.approx(second, rel=1e-6)


def test_slopes_of_implicit_rewards():
    theta = np.array([0.7, -1.2])
    numeric = [
        (SMALL.differences(theta + h, 0.1) - SMALL.differences(theta - h, 0.1)) / 2e-6
        for h in 1e-6 * np.eye(2)
    ]
    assert np.allclose(SMALL.slopes(theta, 0.1), np.transpose(numeric), atol=1e-8)


def test_the_truth_is_in_the_class_and_its_reward_within_its_bound():
    size = 1.5
    implicit = 0.01 * link(SMALL.policy(size * SMALL.direction) / SMALL.reference)
    true = SMALL.reward(np.array(size), 0.01)
    assert np.allclose(implicit - implicit.min(-1, keepdims=True), true, atol=1e-14)
    largest = SMALL.largest_size(0.01)
    assert SMALL.reward(np.array(largest), 0.01).max() == pytest.approx(1.0)


def test_the_class_has_fewer_features_than_reward_differences():
    states, actions, features = SHAPE.values()
    assert features < states * (actions - 1)


@pytest.mark.parametrize(("alpha", "order"), SETTINGS)
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_no_other_start_finds_a_smaller_loss(name, alpha, order, seed):
    kl_weight, n_pairs = 0.05, 4000
    truth = SMALL.differences(1.5 * SMALL.direction, kl_weight)
    data = drawn(SMALL, truth, n_pairs, alpha, order, seed)
    minimiser = LossMinimiser(SMALL, LOSSES[name], kl_weight, privacy_cost(EPSILON))
    radius = SMALL.largest_size(kl_weight)
    found = minimiser.of_log_linear(data, radius)[0]

    def loss(theta):
        return row_wise(name, SMALL, SMALL.policy(theta), kl_weight, data)

    least = loss(found)
    assert np.linalg.norm(found) < radius
    rng = np.random.default_rng(seed)
    for start in (np.zeros(2), *rng.normal(scale=3, size=(8, 2))):
        other = minimize(loss, start, method="Nelder-Mead", options={"fatol": 1e-12})
        assert least <= other.fun + 1e-9 * abs(other.fun)


@pytest.mark.parametrize(("alpha", "order"), SETTINGS)
@pytest.mark.parametrize("name", LOSSES)
def test_a_finite_class_is_searched_completely(name, alpha, order):
    policies, kl_weight = policies_of(1.0), 0.01
    every = 2.0 * finite_directions(SHAPE["num_features"])
    truth = policies.differences(every[0], kl_weight)
    minimiser = LossMinimiser(policies, LOSSES[name], kl_weight, privacy_cost(EPSILON))
    for seed in range(5):
        data = drawn(policies, truth, 10**6, alpha, order, seed)
        losses = [row_wise(name, policies, policies.policy(t), kl_weight, data) for t in every]
        assert minimiser.of_finite(data, every)[0] == np.argmin(losses)


@pytest.mark.parametrize(("alpha", "order"), SETTINGS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_fast_path_of_linear_rewards_is_the_least_loss_over_their_policies(name, alpha, order):
    """Policies of mixed regularisation of linear rewards: their loss, through their ratios."""
    kl_weight, theta = 0.3, np.array([0.25, -0.1])
    state, first, second = SMALL.pairs
    x = SMALL.features[state, first] - SMALL.features[state, second]
    data = drawn(SMALL, x @ theta, 40_000, alpha, order)

    def implicit(t):
        policy = chipo_policy(SMALL.reference, SMALL.features @ t, np.array(kl_weight))
        reward = kl_weight * link(policy / SMALL.reference)
        return reward[state, first] - reward[state, second]

    def score(t):
        mean = np.tanh(implicit(t) / 2)
        slope = LOSSES[name].slope(data.pairs[0], data.wins[0], mean, privacy_cost(EPSILON))
        return (slope * (1 - mean**2) / 2) @ x / 40_000

    literal = root(score, np.zeros(2), tol=1e-14).x
    counts = LabelCounts(*(torch.from_numpy(a.astype(float)) for a in (data.pairs, data.wins)))
    tensor = torch.from_numpy(x)
    if name == "log":
        fast = mixture_mle(counts, tensor, EPSILON, 10.0, tolerance=1e-13)
    else:
        fast = minimise_loss(SquareLoss(EPSILON), counts, tensor, 10.0, tolerance=1e-13)
    assert implicit(literal) == pytest.approx(x @ fast[0].numpy(), rel=1e-9, abs=1e-10)
    policy = chipo_policy(SMALL.reference, SMALL.features @ literal, np.array(kl_weight))
    least = row_wise(name, SMALL, policy, kl_weight, data)
    for nearby in literal + 0.01 * np.random.default_rng(1).normal(size=(20, 2)):
        policy = chipo_policy(SMALL.reference, SMALL.features @ nearby, np.array(kl_weight))
        assert least <= row_wise(name, SMALL, policy, kl_weight, data)
