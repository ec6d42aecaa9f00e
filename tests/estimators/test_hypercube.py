"""Estimators on the hypercube, against independent forms."""

import math

import numpy as np
import pytest
import torch

from repro.estimators.hypercube import (
    ESTIMATORS,
    mle,
    naive_posterior,
    no_data,
    pessimistic,
    posterior_mean,
)
from repro.estimators.two_arm_mle import two_arm_mle
from repro.instances.hypercube_prior import HypercubePrior
from repro.preferences.label_counts import LabelCounts

PRIOR = HypercubePrior(1, 6.0, 0.2, 3.0, 0.4, 1.0)
PAIRS = np.array([0.0, 10.0, 10.0, 50.0])
WINS = np.array([0.0, 7.0, 2.0, 30.0])


def posterior_by_bayes(epsilon):
    """Posterior mean tilt over kl_weight, from products of likelihoods."""
    above, below = PRIOR.win_prob(epsilon)
    plus = above**WINS * (1 - above) ** (PAIRS - WINS)
    minus = below**WINS * (1 - below) ** (PAIRS - WINS)
    return (plus - minus) / (plus + minus) * 0.4 / 0.2


def test_posterior_mean_is_bayes_rule():
    assert posterior_mean(PRIOR, PAIRS, WINS) == pytest.approx(posterior_by_bayes(1.0))


def test_naive_posterior_ignores_the_randomizer():
    assert naive_posterior(PRIOR, PAIRS, WINS) == pytest.approx(posterior_by_bayes(math.inf))


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
    assert (no_data(PRIOR, PAIRS, WINS) == 0).all()
    assert set(ESTIMATORS) >= {"posterior_mean", "mle", "pessimistic", "no_data"}
