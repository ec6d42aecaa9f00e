"""Eq. (21) of P3 holds with x·xᵀ and fails with the sum of outer products over steps."""

import math

import numpy as np
import pytest

from repro.families.central.bounds_curvature import curvature_ratio


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
