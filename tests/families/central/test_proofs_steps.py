"""Proofs of P3's steps: the ratios against the losses themselves, and what is refuted."""

import numpy as np
import pytest
import torch
from mpmath import iv

from repro.families.central import proofs_steps
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_losses import PairLoss
from repro.families.central.quantities_objective import QUADRATIC_CURVATURE, StepCase
from repro.study.proofs import decided

BUDGET = CentralBudget(1.0, 30.0, 0.05, feature_norm=0.7, radius=1.3, ridge_scale=24.0)
CASE = StepCase(methods=(), budget=BUDGET, num_features=2)


def value(method, *point):
    return float(method.run(CASE).ratio(*(iv.mpf(x) for x in point)).mid)


def test_both_lemmas_are_proved_and_both_wrong_versions_refuted():
    assert 1 - 1e-9 <= decided(proofs_steps.curvature.run(CASE)) <= 1 + 1e-9
    assert decided(proofs_steps.ridge_convexity.run(CASE)) == 1
    assert decided(proofs_steps.curvature_of_rewards.run(CASE)) > 1.1
    assert decided(proofs_steps.ridge_convexity_printed.run(CASE)) > 1.5


@pytest.mark.parametrize("at", [0.0, 0.4, 1.0])
def test_one_pair_in_one_dimension(at):
    """Both sides of A.4 for a small step from θ = at·B."""
    share = torch.ones(1, 1, dtype=torch.float64)
    loss = PairLoss(
        torch.full((1, 1), 2 * BUDGET.feature_norm, dtype=torch.float64), share, share / 2
    )
    theta = torch.full((1, 1), at * BUDGET.radius, dtype=torch.float64)
    step = -1e-3 * torch.ones(1, 1, dtype=torch.float64)
    gradient, _ = loss.derivatives(theta)
    growth = loss.value(theta + step) - loss.value(theta) - (gradient * step).sum(-1)
    left = BUDGET.curvature / 2 * (2 * BUDGET.feature_norm * step).square().sum(-1)
    x = 2 * BUDGET.feature_norm * BUDGET.radius * at
    assert value(proofs_steps.curvature, x) == pytest.approx(float(left / growth), rel=5e-3)


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
    chosen = proofs_steps.ridge_convexity_printed if printed else proofs_steps.ridge_convexity
    assert value(chosen, length / (form + length), c) == pytest.approx(ratio)
