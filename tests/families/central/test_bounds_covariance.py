"""Largest norms and the noisy covariance against values known in closed form."""

import math

import numpy as np
import pytest
import torch

from repro.families.central import bounds_covariance as lemmas


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("longest", [2.0, 6.0])
def test_pair_norms_reach_the_length_and_a_quarter_of_its_square(rng, longest):
    gradient, hessian = lemmas.pair_norms(rng, 50, 3, longest)
    assert float(gradient.max()) == pytest.approx(longest, rel=1e-12)
    assert float(hessian.max()) == pytest.approx(longest**2 / 4)


@pytest.mark.parametrize("num_ranked", [2, 3, 6])
def test_ranking_norms_reach_two_l_at_every_choice(rng, num_ranked):
    gradient, hessian = lemmas.ranking_norms(rng, 10, num_ranked, 1.5)
    assert float(gradient.max()) == pytest.approx(2 * (num_ranked - 1) * 1.5, rel=1e-12)
    assert float(hessian.max()) <= (num_ranked - 1) * 1.5**2 + 1e-12


def test_hessian_of_three_by_hand(rng):
    """Signs +, −, + at θ = 0: variances 8/9 and 1."""
    _, hessian = lemmas.ranking_norms(rng, 2, 3, 1.0)
    assert float(hessian[0]) == pytest.approx(8 / 9 + 1)


def test_the_least_eigenvalue_and_operator_norms_of_large_noise(rng):
    whole, symmetric = lemmas.operator_norms(rng, 20, 100)
    assert float(whole.mean()) == pytest.approx(2 * math.sqrt(100), rel=0.05)
    assert float(symmetric.mean()) == pytest.approx(math.sqrt(2 * 100), rel=0.05)
    least = lemmas.least_eigenvalue(rng, 20, 100)
    assert float(least.mean()) == pytest.approx(-math.sqrt(2 * 100), rel=0.05)


def test_a_9_fails_exactly_where_the_least_eigenvalue_says(rng):
    """Σ̃+λI − (Σ+λI/2) = G + λI/2, whatever Σ."""
    noise = rng.standard_normal((4, 4))
    symmetric, root = (noise + noise.T) / 2, rng.standard_normal((4, 4))
    covariance, ridge = root @ root.T, 3.0
    margin = covariance + symmetric + ridge * np.eye(4) - (covariance + ridge / 2 * np.eye(4))
    least = torch.linalg.eigvalsh(torch.from_numpy(symmetric))[0]
    assert (np.linalg.eigvalsh(margin)[0] < 0) == bool(least < -ridge / 2)
