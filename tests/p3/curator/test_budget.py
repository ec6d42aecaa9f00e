"""The printed constants of P3's Algorithms 1 and 2, by hand."""

from __future__ import annotations

import math

import pytest

from repro.p3.curator.budget import CentralBudget, KwiseBudget

BUDGET = CentralBudget(0.5, 40.0, math.exp(-3), feature_norm=2.0, radius=0.25, ridge_scale=10.0)


def test_curvature_is_the_sigmoids_least_slope():
    sigmoid = 1 / (1 + math.exp(-1.0))
    assert pytest.approx(sigmoid * (1 - sigmoid)) == BUDGET.curvature


def test_noise_levels():
    assert BUDGET.noise_std**2 == pytest.approx(40 * 4 * 40 / 0.25)
    assert BUDGET.covariance_std(100) ** 2 == pytest.approx(64 * 40 * 16 / (0.25 * 1e4))
    assert BUDGET.output_std(1e-6, 0.1) ** 2 == pytest.approx(40 * 1e-6 * 40 / (0.1 * 0.25))


def test_ridges():
    root = 10 * 4 * math.sqrt(5 * 3 * 40)
    assert BUDGET.confidence_ridge(100, 5) == pytest.approx(root / 50)
    assert BUDGET.text_ridge(100, 5) == pytest.approx(root / math.sqrt(50))
    assert BUDGET.ridge(100, 5) == pytest.approx(2 * BUDGET.curvature * root / 50)


def test_error_bound():
    expected = 3 * (math.sqrt(5 / 100) + (5 * 3 * 40) ** 0.25 / math.sqrt(50))
    assert BUDGET.error_bound(100, 5, scale=3) == pytest.approx(expected)


PAIRS = CentralBudget(0.5, 40.0, 0.05, 1.0, 1.0, 24.0)


def kwise(num_ranked, sharp=False):
    return KwiseBudget(0.5, 40.0, 0.05, 1.0, 1.0, 24.0, num_ranked, sharp)


def test_printed_constants_grow_like_k_squared_and_cubed():
    assert kwise(3).noise_std == pytest.approx(9 * PAIRS.noise_std)
    assert kwise(3).covariance_std(100) ** 2 == pytest.approx(3**6 * PAIRS.covariance_std(100) ** 2)
    assert kwise(3).confidence_ridge(100, 5) == pytest.approx(27 * PAIRS.confidence_ridge(100, 5))
    assert kwise(3).text_ridge(100, 5) == pytest.approx(27 * PAIRS.text_ridge(100, 5))
    assert kwise(3).ridge(100, 5) == pytest.approx(27 * PAIRS.ridge(100, 5))
    assert kwise(4).error_bound(100, 5, 2.0) == pytest.approx(8 * PAIRS.error_bound(100, 5, 2.0))


def test_sharp_constants_at_two_are_those_of_pairs():
    sharp = kwise(2, sharp=True)
    assert sharp.noise_std == PAIRS.noise_std
    assert sharp.covariance_std(100) == PAIRS.covariance_std(100)
    assert sharp.ridge(100, 5) == pytest.approx(PAIRS.ridge(100, 5))


def test_sharp_covariance_noise_falls_to_half_with_k():
    assert kwise(100, sharp=True).covariance_factor == pytest.approx(0.5, rel=0.02)
