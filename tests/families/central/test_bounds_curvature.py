"""Eq. (19) of P3 fails as printed for a small ball and holds with (K−1)/K of its constant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from repro.families.central.bounds_curvature import curvature_ratio, ranking_curvature_ratio


@pytest.mark.parametrize("num_ranked", [2, 3, 7])
def test_worst_ranking_by_hand_at_theta_near_zero(num_ranked):
    """H = 4(K−1)/K² and Σ_K = 8/K along the difference, so γΣ/H = γ·2K/(K−1)."""
    ratio = ranking_curvature_ratio(np.random.default_rng(0), 2, num_ranked, 1.0, 1e-9, 0.5)
    assert float(ratio[0]) == pytest.approx(num_ranked / (num_ranked - 1))


@pytest.mark.parametrize("radius", [0.01, 0.5, 1.0])
def test_corrected_constant_holds_for_any_ball(radius):
    for num_ranked in (2, 4, 6):
        gamma = 0.5 * math.exp(-4 * radius) * (num_ranked - 1) / num_ranked
        rng = np.random.default_rng(0)
        ratio = ranking_curvature_ratio(rng, 300, num_ranked, 1.0, radius, gamma)
        assert float(ratio.max()) <= 1 + 1e-12


@pytest.mark.parametrize("horizon", [2, 5])
def test_covariance_of_sums_is_dominated_and_of_steps_is_not(horizon):
    right = curvature_ratio(np.random.default_rng(0), 200, horizon, 1.0, 0.5, False)
    wrong = curvature_ratio(np.random.default_rng(0), 200, horizon, 1.0, 0.5, True)
    assert float(right.max()) <= 1
    assert float(wrong[0]) > 1


def test_ratio_of_the_cancelling_pair_by_hand():
    """θ near 0: γ·(1 + .81)/(.1²/4·…) with y, −.9y and v = .1y."""
    found = curvature_ratio(np.random.default_rng(0), 1, 2, 1.0, 1e-9, True)
    assert float(found[0]) == pytest.approx(0.25 * 1.81 / (0.25 * 0.1**2))
    assert math.isfinite(float(found[0]))
