"""The steps of P3's A.4–A.6 and A.11: as corrected and as printed, and against the losses."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from mpmath import iv

from repro.core.proofs import decided
from repro.p3.curator.comparison_losses import PairLoss
from theorems import objective_perturbation_error as steps
from theorems.objective_perturbation_error import QUADRATIC_CURVATURE, StepInD, StepInN

WORLD = StepInD(num_features=2, feature_norm=0.7, radius=1.3)
CURVATURE = 1 / (2 + np.exp(2 * 0.7 * 1.3) + np.exp(-2 * 0.7 * 1.3))
AT_N = StepInN(
    epsilon=1.0, n_pairs=10**6, log_inverse_delta=50.0, failure_prob=0.05, feature_norm=1.0,
    radius=1.0, ridge_scale=24.0, num_features=8,
)  # fmt: skip


def value(algorithm, *point):
    return float(algorithm(WORLD).ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize(("radius", "step", "holds"), [
    (4.0, steps.ridge_step_printed, False), (4.0, steps.ridge_step, True),
    (1.0, steps.ridge_step_printed, True),
])  # fmt: skip
def test_ridge_step_as_printed_fails_for_a_large_ball(radius, step, holds):
    world = replace(AT_N, radius=radius, feature_norm=0.1)
    assert bool(step(world) <= 1) == holds


def test_noise_step(rng):
    assert float(steps.noise_step_printed(AT_N, rng, 400).mean()) > 0.5
    assert float(steps.noise_step(AT_N, rng, 400).mean()) <= 0.05


def test_output_step(rng):
    # λ is 4e-8 here, so that 4L² + λ is a quarter
    small = replace(AT_N, feature_norm=0.25, ridge_scale=1e-3, n_pairs=10**9)
    assert float(steps.output_step_printed(small, rng, 5).max()) == pytest.approx(2, rel=1e-4)
    assert float(steps.output_step(small, rng, 5).max()) == pytest.approx(1)


def test_both_lemmas_are_proved_and_both_wrong_versions_refuted():
    assert 1 - 1e-9 <= decided(steps.curvature(WORLD)) <= 1 + 1e-9
    assert decided(steps.ridge_convexity(WORLD)) == 1
    assert decided(steps.curvature_of_rewards(WORLD)) > 1.1
    assert decided(steps.ridge_convexity_printed(WORLD)) > 1.5


@pytest.mark.parametrize("at", [0.0, 0.4, 1.0])
def test_one_pair_in_one_dimension(at):
    """Both sides of A.4 for a small step from θ = at·B."""
    share = torch.ones(1, 1, dtype=torch.float64)
    loss = PairLoss(
        torch.full((1, 1), 2 * WORLD.feature_norm, dtype=torch.float64), share, share / 2
    )
    theta = torch.full((1, 1), at * WORLD.radius, dtype=torch.float64)
    step = -1e-3 * torch.ones(1, 1, dtype=torch.float64)
    gradient, _ = loss.derivatives(theta)
    growth = loss.value(theta + step) - loss.value(theta) - (gradient * step).sum(-1)
    left = CURVATURE / 2 * (2 * WORLD.feature_norm * step).square().sum(-1)
    x = 2 * WORLD.feature_norm * WORLD.radius * at
    assert value(steps.curvature, x) == pytest.approx(float(left / growth), rel=5e-3)


@pytest.mark.parametrize("printed", [False, True])
def test_the_ridge_of_a_random_form(printed):
    rng = np.random.default_rng(0)
    root, v, c, gamma = (
        rng.standard_normal((3, 3)),
        rng.standard_normal(3),
        0.7,
        QUADRATIC_CURVATURE,
    )
    form, length = v @ root.T @ root @ v, v @ v
    extra = c / 2 if printed else c / gamma
    ratio = gamma * (form + extra * length) / (gamma * form + c * length)
    chosen = steps.ridge_convexity_printed if printed else steps.ridge_convexity
    assert value(chosen, length / (form + length), c) == pytest.approx(ratio)
