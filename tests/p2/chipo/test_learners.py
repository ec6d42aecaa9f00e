"""Algorithms 1 and 3 of P2 on their worlds: closed forms against search and simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins
from repro.p2.chipo.labels import (
    epsilon_overstated,
    fixed_kl_weight,
    label_flip,
    naive_likelihood,
)
from repro.p2.chipo.linear import LinearReward, _sized
from repro.p2.chipo.offset import OffsetReward
from repro.p2.chipo.statistical_error import statistical_error
from repro.p2.chipo.tabular import RareGoodResponse, margin_differences, worst_difference
from repro.worlds.instances.choices import LinearChoice
from theorems.private_chipo import private_chipo
from theorems.square_chipo import adaptive_tuning

TABLE = RareGoodResponse(epsilon=1.0, n_pairs=10**6, num_states=4, coverage=4.0, reward_bound=1.0)
SMALL = LinearReward(
    epsilon=1.0,
    n_pairs=10**6,
    instance=LinearChoice(
        kind="linear", num_states=3, num_actions=3, num_features=2, kl_weight=0.5, radius=1.0,
        theta_share=0.6, seed=0,
    ),
)  # fmt: skip
OFFSET = (private_chipo, naive_likelihood, epsilon_overstated, label_flip)


@pytest.mark.parametrize("wins", [350, 500, 520])
def test_the_estimate_minimises_the_mixture_log_loss_and_the_square_loss(wins):
    def win(difference):
        return flip_prob(1.0) + label_signal(1.0) / (1 + np.exp(-difference))

    def log_loss(difference):
        return -(wins * np.log(win(difference)) + (1000 - wins) * np.log(1 - win(difference)))

    def square_loss(difference):
        h, c = np.tanh(difference / 2), privacy_cost(1.0)
        return wins * (h - c) ** 2 + (1000 - wins) * (h + c) ** 2

    found = TABLE.fitted(np.array([(2 * wins - 1000) / 1000]), np.array(0))
    for loss in (log_loss, square_loss):
        best = minimize_scalar(loss, bounds=(-2, 2), method="bounded", options={"xatol": 1e-9}).x
        assert found[0] == pytest.approx(best, abs=1e-4)


def test_quadrature_predicts_the_simulated_gap_of_every_variant():
    learners = [told(TABLE) for told in OFFSET[:3]]
    for learner in (*learners, replace(TABLE, finite_class=True)):
        worst, interior = worst_difference(learner)
        predicted = learner.expected_gaps(np.array([worst]))[0]
        gaps = learner.simulate(np.array(worst), np.random.default_rng(1), 4000)
        assert interior
        assert gaps.mean() == pytest.approx(predicted, rel=0.03)


def test_flipped_labels_choose_the_worse_response_and_fixed_weights_do_not_learn():
    far = replace(TABLE, n_pairs=10**10)
    assert worst_difference(label_flip(far)) == (1.0, False)
    for told, ratio in ((private_chipo, 0.01), (fixed_kl_weight, 1.0)):
        both = told(TABLE), told(far)
        gaps = [one.expected_gaps(np.array([worst_difference(one)[0]]))[0] for one in both]
        assert gaps[1] / gaps[0] == pytest.approx(ratio, rel=0.02)


def test_the_tuning_knows_corruption_unless_it_is_adaptive():
    corrupted = replace(TABLE, corruption=0.01, order=Order.LTC, believed_order=Order.LTC)
    assert corrupted.kl_weight == pytest.approx(TABLE.kl_weight + 0.01 * privacy_cost(1.0) / 2)
    assert adaptive_tuning(corrupted).kl_weight == TABLE.kl_weight
    assert replace(corrupted, order=Order.CTL).kl_weight == corrupted.kl_weight


def test_the_error_of_theorem_c1_by_hand():
    error = statistical_error(0.5, np.array([[0.3, 0.5]]), np.array(0.1))
    assert error == pytest.approx([0.5 * (0.04 + 0.16) / 2])


@pytest.mark.parametrize("told", OFFSET)
def test_the_offset_estimate_maximises_its_likelihood(told):
    learner = told(OffsetReward(epsilon=1.0, n_pairs=10**4))
    wins, pairs = np.array([1200.0, 1080.0]), np.array([2200.0, 2250.0])
    epsilon = 1.0 * learner.budget_share
    seen = pairs - wins if learner.sign < 0 else wins

    def loss(x):
        clean = 1 / (1 + np.exp(-(x - np.array([0.0, 0.4]))))
        q = flip_prob(epsilon) + label_signal(epsilon) * clean
        return -(seen * np.log(q) + (pairs - seen) * np.log(1 - q)).sum()

    best = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    assert learner.fitted(wins, pairs) == pytest.approx(best, abs=1e-5)


def test_a_clean_likelihood_stays_stuck_on_the_offset():
    late = OffsetReward(epsilon=1.0, n_pairs=10**9)
    rng = np.random.default_rng(0)
    gap = {told.__name__: told(late).gaps(rng, 50).mean() for told in OFFSET[:2]}
    assert gap["private_chipo"] < 1e-4 < 0.1 < gap["naive_likelihood"]


def test_the_linear_class_learns_at_its_worst_size():
    rng, sizes = np.random.default_rng(2), (10**6, 10**8)
    _, interior = SMALL.worst_multiple
    gaps = [replace(SMALL, n_pairs=n).gaps(rng, 200).mean() for n in sizes]
    stuck = [fixed_kl_weight(replace(SMALL, n_pairs=n)).gaps(rng, 50).mean() for n in sizes]
    assert interior
    assert gaps[1] / gaps[0] == pytest.approx(0.1, rel=0.15)
    assert stuck[1] / stuck[0] == pytest.approx(1.0, rel=0.05)
    assert float(_sized(SMALL.world, 0.3).theta.norm()) == pytest.approx(0.3)
    assert torch.equal(_sized(SMALL.world, 0.3).features, SMALL.world.features)


def test_margin_differences_have_the_stated_distribution():
    drawn, weight = margin_differences(np.random.default_rng(3), (200_000,), 2.0, 1.0)
    assert weight.mean() == pytest.approx(1.0, rel=0.02)
    assert (weight * (drawn <= 0.5)).mean() == pytest.approx(0.25, rel=0.03)


def test_labels_that_know_nothing_are_worst_at_the_largest_rewards():
    """So a gap's rate in n is lost when the labels are, however the ladder is scaled."""
    assert worst_difference(replace(TABLE, labels=fair_coins)) == (1.0, False)
    where, interior = replace(SMALL, labels=fair_coins).worst_multiple
    assert (interior, where > 100) == (False, True)
