"""Each step of P3's A.4–A.6 and A.11 holds as corrected and fails as printed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.families.central import bounds_objective as bounds
from repro.families.central.algorithms_budget import CentralBudget

BUDGET = CentralBudget(1.0, 50.0, 0.05, feature_norm=1.0, radius=1.0, ridge_scale=24.0)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("printed", [False, True])
def test_growth_from_the_optimum(rng, printed):
    ratio = bounds.growth_from_optimum(rng, 100, BUDGET, 3, printed)
    assert bool((ratio > 1).any()) == printed


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


def test_random_losses_stay_within_the_bounds(rng):
    loss = bounds.random_pair_loss(rng, 7, BUDGET, 4)
    assert loss.feature_diff.norm(dim=1).max() <= 2
    torch.testing.assert_close(loss.share.sum(1), torch.ones(7).double())
    assert (loss.win_share <= loss.share).all()
