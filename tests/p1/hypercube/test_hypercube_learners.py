"""Estimators on the hypercube, against independent forms."""

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.label_counts import LabelCounts
from repro.p1.hypercube import learners as learner
from repro.p1.hypercube.learners import HypercubeLabels
from repro.p1.hypercube.prior import HypercubePrior
from repro.worlds.estimators.two_arm_mle import two_arm_mle

PRIOR = HypercubePrior(1, 6.0, 0.2, 3.0, 0.4, 1.0)
PAIRS = np.array([0.0, 10.0, 10.0, 50.0])
WINS = np.array([0.0, 7.0, 2.0, 30.0])


def mle(prior, pairs, wins):
    return learner.mle(HypercubeLabels(prior, pairs, wins))


def pessimistic(prior, pairs, wins, bonus=1.0):
    return learner.pessimistic(HypercubeLabels(prior, pairs, wins, bonus))


LABELS = HypercubeLabels(PRIOR, PAIRS, WINS)


def posterior_by_bayes(epsilon):
    """Posterior mean tilt over kl_weight, from products of likelihoods."""
    above, below = PRIOR.win_prob(epsilon)
    plus = above**WINS * (1 - above) ** (PAIRS - WINS)
    minus = below**WINS * (1 - below) ** (PAIRS - WINS)
    return (plus - minus) / (plus + minus) * 0.4 / 0.2


def test_posterior_mean_is_bayes_rule():
    assert learner.posterior_mean(LABELS) == pytest.approx(posterior_by_bayes(1.0))


def test_naive_posterior_ignores_the_randomizer():
    assert learner.naive_posterior(LABELS) == pytest.approx(posterior_by_bayes(math.inf))


def test_mle_agrees_with_the_two_arm_estimator():
    counts = LabelCounts(torch.tensor(PAIRS[None, 1:]), torch.tensor(WINS[None, 1:]))
    expected = (two_arm_mle(counts, 1.0, 3.0).numpy()[0] - PRIOR.base) / 0.2
    assert mle(PRIOR, PAIRS, WINS)[1:] == pytest.approx(expected)


def test_pessimism_only_lowers_and_vanishes_with_data():
    few = mle(PRIOR, PAIRS, WINS) - pessimistic(PRIOR, PAIRS, WINS)
    assert (few > 0).all()
    many = np.array([1e12])
    assert mle(PRIOR, many, many / 2) - pessimistic(PRIOR, many, many / 2) == pytest.approx(
        0, abs=1e-4
    )


def test_no_data_is_the_prior_mean():
    assert (learner.no_data(LABELS) == 0).all()


def test_what_is_wrong_about_privacy_alone_is_marked():
    wrong = (learner.naive_posterior, learner.naive_mle, learner.no_data)
    assert [hasattr(one, "privacy_mistake") for one in wrong] == [True, True, False]


def test_naive_mle_is_the_clean_likelihood():
    expected = np.log(WINS[1:] / (PAIRS[1:] - WINS[1:])) - PRIOR.base
    assert learner.naive_mle(LABELS)[1:] == pytest.approx(expected / 0.2)


def test_mle_at_its_edges():
    """No pairs: the middle of the class; a share above keep or below flip: its ends."""
    pairs, wins = np.array([0.0, 1.0, 1.0, 9.0]), np.array([0.0, 1.0, 0.0, 9.0])
    expected = (np.array([0.0, 3.0, -3.0, 3.0]) - PRIOR.base) / 0.2
    assert mle(PRIOR, pairs, wins) == pytest.approx(expected)


def test_the_bonus_by_hand():
    """One standard error of the difference by the delta method, at most B, over kl_weight."""
    p = 1 / (1 + math.exp(-PRIOR.base))
    flip = 1 / (1 + math.e)
    q = flip + (1 - 2 * flip) * p
    slope = (1 - 2 * flip) * p * (1 - p)
    pairs = np.array([0.0, 1.0, 400.0, 1e6])
    bonus = np.minimum(math.sqrt(q * (1 - q)) / slope / np.sqrt([1, 1, 400, 1e6]), 3.0)
    assert bonus[2] < 3 < math.sqrt(q * (1 - q)) / slope
    lowered = mle(PRIOR, pairs, pairs / 2) - pessimistic(PRIOR, pairs, pairs / 2)
    assert lowered == pytest.approx(bonus / 0.2)
    for multiple in (0.0, -1.0):
        other = mle(PRIOR, pairs, pairs / 2) - pessimistic(PRIOR, pairs, pairs / 2, multiple)
        assert other == pytest.approx(multiple * bonus / 0.2)


@pytest.mark.parametrize("pairs", [1.0, 2.0])
def test_the_bonus_of_few_pairs_where_it_is_not_cut(pairs):
    wide = HypercubePrior(1, 6.0, 0.2, 300.0, 0.4, 1.0)
    few = np.array([pairs])
    lowered = mle(wide, few, few / 2) - pessimistic(wide, few, few / 2)
    many = np.array([1e4])
    at_many = mle(wide, many, many / 2) - pessimistic(wide, many, many / 2)
    assert lowered == pytest.approx(at_many * 100 / math.sqrt(pairs))
