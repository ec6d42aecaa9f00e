"""Largest norms and the noisy covariance against values known in closed form."""

import math

import numpy as np
import pytest
import torch

from repro.families.central import bounds_covariance as lemmas


@pytest.fixture
def rng():
    return np.random.default_rng(5)


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
