"""Budgets that are private at their stated budget, by their own bounds."""

import math

import numpy as np
import pytest

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.curator.budget import CentralBudget, KwiseBudget
from repro.p3.curator.certified_budget import (
    PrivateBudget,
    PrivateKwiseBudget,
)
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound

LOG = 2 * math.log(1e6)
NUMBERS = (0.5, LOG, 0.05, 2.0, 0.25, 24.0)
N, D = 1e6, 9


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "budget", [PrivateBudget(*NUMBERS), PrivateKwiseBudget(*NUMBERS, num_ranked=4)]
)
def test_either_half_is_certified(budget):
    """θ̃ in the units of L = 1: σ/L, and a ridge 2nα/L² of at least the certified one."""
    half, delta = budget.epsilon / 2, math.exp(-LOG) / 2
    ridge = 2 * N * budget.ridge(N, D) / budget.feature_norm**2
    assert ridge >= budget.estimate.ridge * (1 - 1e-12)
    sigma = budget.noise_std / budget.feature_norm
    assert hockey_stick_bound(budget.records, sigma, ridge, half) <= delta
    shift = budget.feature_norm**2 * budget.largest_change / N / budget.covariance_std(N)
    assert float(gaussian_delta(shift, half)) == pytest.approx(delta, rel=1e-6)


def test_no_ranking_changes_the_covariance_by_more():
    rng = np.random.default_rng(0)

    def term(features):
        centred = features - features.mean(0)
        return 2 / (len(features) - 1) * centred.T @ centred

    for ranked in (3, 4):
        budget = PrivateKwiseBudget(*NUMBERS, num_ranked=ranked)
        apart = []
        for _ in range(300):
            features = rng.standard_normal((2, ranked, 3))
            features /= np.linalg.norm(features, axis=-1, keepdims=True)
            apart.append(np.linalg.norm(term(features[0]) - term(features[1])))
        assert max(apart) <= budget.largest_change
    split = np.outer([1, 1, -1, -1], [1, 0]), np.outer([1, 1, -1, -1], [0, 1])
    assert np.linalg.norm(term(split[0]) - term(split[1])) == pytest.approx(budget.largest_change)


def test_what_constant_privacy_costs():
    printed, private = CentralBudget(*NUMBERS), PrivateBudget(*NUMBERS)
    assert 1.6 < private.covariance_std(N) / printed.covariance_std(N) < 1.9
    assert private.confidence_ridge(N, D) / printed.confidence_ridge(N, D) == pytest.approx(
        private.covariance_std(N) / printed.covariance_std(N)
    )
    ranked = PrivateKwiseBudget(*NUMBERS, num_ranked=4)
    assert ranked.covariance_std(N) < KwiseBudget(*NUMBERS, num_ranked=4).covariance_std(N) / 30
