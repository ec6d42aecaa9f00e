"""Counts of rankings and their loss against enumeration of all rankings and autograd."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from repro.p3.curator.comparison_losses import (
    PairLoss,
    RankingLoss,
    choice_sets,
    draw_rankings,
)
from theorems.kwise_gap import (
    automatic_derivatives,
    claimed_gradient,
    claimed_hessian,
    ranking_loss,
)

RNG = np.random.default_rng(3)


def probability(ranking, reward):
    left, p = list(ranking), 1.0
    for item in ranking:
        p *= math.exp(reward[item]) / sum(math.exp(reward[i]) for i in left)
        left.remove(item)
    return p


def test_choice_sets_have_at_least_two():
    members = choice_sets(4)
    assert len(members) == 2**4 - 4 - 1
    assert members.sum(1).min() == 2


def test_counts_have_the_frequencies_of_all_rankings():
    reward, n = np.array([0.3, -0.8, 1.1]), 10**12
    met, chosen = draw_rankings(RNG, np.full((1, 1), n), reward[None])
    expected_met, expected = dict.fromkeys(range(4), 0.0), np.zeros(3)
    members = [frozenset(np.flatnonzero(row)) for row in choice_sets(3)]
    for ranking in itertools.permutations(range(3)):
        p = probability(ranking, reward)
        for j in range(2):
            expected_met[members.index(frozenset(ranking[j:]))] += p
            expected[ranking[j]] += p
    np.testing.assert_allclose(met[0, 0] / n, list(expected_met.values()), atol=1e-5)
    np.testing.assert_allclose(chosen[0, 0] / n, expected, atol=1e-5)


def test_every_ranking_makes_one_choice_less_than_it_has_responses():
    met, chosen = draw_rankings(RNG, np.array([[50, 0], [7, 3]]), RNG.standard_normal((2, 5)))
    np.testing.assert_array_equal(chosen.sum(-1), 4 * np.array([[50, 0], [7, 3]]))
    np.testing.assert_array_equal(met.sum(-1), chosen.sum(-1))


def one_ranking(features, ranking):
    """The loss on counts of a single ranking."""
    members = [frozenset(np.flatnonzero(row)) for row in choice_sets(len(ranking))]
    met, chosen = torch.zeros(1, 1, len(members)).double(), torch.zeros(1, 1, len(ranking)).double()
    for j in range(len(ranking) - 1):
        met[0, 0, members.index(frozenset(ranking[j:]))] += 1
        chosen[0, 0, ranking[j]] += 1
    return RankingLoss(features[None], met, chosen)


@pytest.mark.parametrize("ranking", [(0, 1, 2, 3), (2, 0, 3, 1)])
def test_counts_give_the_loss_of_the_ranking_and_its_derivatives(ranking):
    features = torch.from_numpy(RNG.standard_normal((4, 2)))
    theta = torch.from_numpy(RNG.standard_normal((1, 2)))
    loss, ordered = one_ranking(features, ranking), features[list(ranking)]
    assert loss.num_features == 2
    torch.testing.assert_close(loss.value(theta)[0], ranking_loss(theta, ordered[None])[0])
    expected = automatic_derivatives(theta, ordered[None])
    for found, wanted in zip(loss.derivatives(theta), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("size", [2, 3, 6, 10])
def test_corrected_claims_agree_with_autograd_and_printed_ones_do_not(size):
    theta = torch.from_numpy(RNG.standard_normal((20, 3)))
    features = torch.from_numpy(RNG.standard_normal((20, size, 3)))
    gradient, hessian = automatic_derivatives(theta, features)
    torch.testing.assert_close(
        claimed_gradient(theta, features, False), gradient, rtol=0, atol=1e-13
    )
    torch.testing.assert_close(claimed_hessian(theta, features, False), hessian, rtol=0, atol=1e-13)
    assert (claimed_gradient(theta, features, True) - gradient).abs().max() > 0.1
    assert (claimed_hessian(theta, features, True) - hessian).abs().max() > 0.1


def test_the_root_of_the_printed_gradient_is_minus_theta():
    """K = 2: the mean over labels of B.1 as printed vanishes at −θ*, not at θ*."""
    theta = torch.tensor([[0.7]]).double()
    up = torch.tensor([[[1.0], [-1.0]]]).double()
    win = torch.sigmoid(2 * theta[0, 0])

    def mean(at):
        return win * claimed_gradient(at, up, True) + (1 - win) * claimed_gradient(at, -up, True)

    assert float(mean(-theta)) == pytest.approx(0, abs=1e-15)
    assert abs(float(mean(theta))) > 0.5


def test_choice_sets_come_in_the_order_of_their_bits():
    expected = [[True, True, False], [True, False, True], [False, True, True], [True] * 3]
    assert choice_sets.__wrapped__(3).tolist() == expected


def test_rewards_far_apart_leave_no_choice():
    met, chosen = draw_rankings(RNG, np.array([[5]]), np.array([[2000.0, 2300.0, 1589.0]]))
    assert chosen[0, 0].tolist() == [5, 5, 0]
    assert met[0, 0].tolist() == [0, 5, 0, 5]


def test_datasets_and_states_do_not_mix():
    """Two datasets on three states are six single ones, each with its own value."""
    features = torch.from_numpy(RNG.standard_normal((3, 4, 2)))
    met, chosen = draw_rankings(RNG, np.array([[9, 4, 0], [7, 2, 5]]), RNG.standard_normal((3, 4)))
    theta = torch.from_numpy(RNG.standard_normal((2, 2)))
    together = RankingLoss(features, met, chosen)
    for row in range(2):
        alone = [
            RankingLoss(
                features[s : s + 1], met[row : row + 1, s : s + 1], chosen[row : row + 1, s : s + 1]
            )
            for s in range(3)
        ]
        own = theta[row : row + 1]
        torch.testing.assert_close(together.value(theta)[row], sum(a.value(own)[0] for a in alone))
        for place in (0, 1):
            parts = sum(a.derivatives(own)[place][0] for a in alone)
            torch.testing.assert_close(together.derivatives(theta)[place][row], parts)


@pytest.mark.parametrize("size", [2, 4])
def test_the_printed_hessian_by_its_sums(size):
    """Σ_j Σ_{k,l≥j} p_{j|j}·x_kl·x_klᵀ, for one ranking."""
    theta = torch.from_numpy(RNG.standard_normal((1, 2)))
    features = torch.from_numpy(RNG.standard_normal((1, size, 2)))
    reward = (features[0] @ theta[0]).exp()
    expected = torch.zeros(2, 2).double()
    for j in range(size):
        for k, m in itertools.product(range(j, size), repeat=2):
            x = features[0, k] - features[0, m]
            expected += reward[j] / reward[j:].sum() * x.outer(x)
    torch.testing.assert_close(claimed_hessian(theta, features, True)[0], expected)
    torch.testing.assert_close(
        claimed_hessian(theta, features, False), automatic_derivatives(theta, features)[1]
    )


X = torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]]).double()
SHARE = torch.tensor([[0.5, 0.3, 0.2]]).double()
WINS = torch.tensor([[0.1, 0.3, 0.05]]).double()
LOSS = PairLoss(X, SHARE, WINS)
THETA = torch.tensor([[0.3, -0.7]]).double()


def test_value_by_hand():
    one = PairLoss(X[:1], torch.ones(1, 1).double(), torch.full((1, 1), 0.25).double())
    expected = -(0.25 * math.log(1 / (1 + math.exp(-3))) + 0.75 * math.log(1 / (1 + math.exp(3))))
    assert math.isclose(float(one.value(torch.ones(1, 2).double())), expected, rel_tol=1e-14)


def test_derivatives_agree_with_autograd():
    gradient, hessian = LOSS.derivatives(THETA)
    flat = THETA[0].clone().requires_grad_()
    automatic = torch.autograd.functional.jacobian(lambda t: LOSS.value(t[None])[0], flat)
    curved = torch.autograd.functional.hessian(lambda t: LOSS.value(t[None])[0], flat)
    torch.testing.assert_close(gradient[0], automatic, rtol=1e-14, atol=1e-15)
    torch.testing.assert_close(hessian[0], curved, rtol=1e-13, atol=1e-15)


def test_covariance_is_the_mean_outer_product():
    expected = 0.5 * X[0].outer(X[0]) + 0.3 * X[1].outer(X[1]) + 0.2 * X[2].outer(X[2])
    torch.testing.assert_close(LOSS.covariance[0], expected)
    assert LOSS.num_features == 2


def test_every_dataset_has_its_covariance():
    loss = PairLoss(X, torch.cat([SHARE, SHARE.flip(1)]), torch.cat([WINS, WINS]))
    assert loss.covariance.shape == (2, 2, 2)
    expected = 0.2 * X[0].outer(X[0]) + 0.3 * X[1].outer(X[1]) + 0.5 * X[2].outer(X[2])
    torch.testing.assert_close(loss.covariance[1], expected)
