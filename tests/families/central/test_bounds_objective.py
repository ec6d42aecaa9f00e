"""Each step of P3's A.4–A.6 and A.11 holds as corrected and fails as printed."""

from dataclasses import replace

import numpy as np
import pytest

from repro.families.central import bounds_objective as bounds
from repro.families.central.algorithms_budget import CentralBudget

BUDGET = CentralBudget(1.0, 50.0, 0.05, feature_norm=1.0, radius=1.0, ridge_scale=24.0)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize(("radius", "printed", "holds"), [
    (4.0, True, False), (4.0, False, True), (1.0, True, True),
])  # fmt: skip
def test_ridge_step_as_printed_fails_for_a_large_ball(radius, printed, holds):
    budget = replace(BUDGET, radius=radius, feature_norm=0.1)
    assert bool(bounds.ridge_step(budget, 1e6, printed) <= 1) == holds


def test_noise_step(rng):
    printed = bounds.noise_step(rng, 400, BUDGET, 1e6, 8, printed=True)
    corrected = bounds.noise_step(rng, 400, BUDGET, 1e6, 8, printed=False)
    assert float(printed.mean()) > 0.5
    assert float(corrected.mean()) <= 0.05


def test_output_step(rng):
    small = replace(BUDGET, feature_norm=0.25)
    assert float(bounds.output_step(rng, 5, small, 1e-6, True).max()) == pytest.approx(2, rel=1e-4)
    assert float(bounds.output_step(rng, 5, small, 1e-6, False).max()) == pytest.approx(1)
