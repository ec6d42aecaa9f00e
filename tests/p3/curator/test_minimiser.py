"""Batched Newton against an independent constrained solver, inside the ball and on it."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.p3.curator import minimiser
from repro.p3.curator.comparison_losses import PairLoss
from repro.p3.curator.minimiser import minimise_in_ball


def loss_of(seed, cells=6, d=3):
    rng = np.random.default_rng(seed)
    share = torch.from_numpy(rng.dirichlet(np.ones(cells), 2))
    wins = share * torch.from_numpy(rng.uniform(size=(2, cells)))
    return PairLoss(torch.from_numpy(rng.standard_normal((cells, d))), share, wins)


def independent(loss, row, ridge, linear, radius):
    """SLSQP on the same objective, written out again in numpy."""
    x, share, win = loss.feature_diff.numpy(), loss.share[row].numpy(), loss.win_share[row].numpy()

    def objective(theta):
        margin = x @ theta
        likelihood = (share * np.logaddexp(0, margin) - win * margin).sum()
        return likelihood + ridge * theta @ theta + linear @ theta

    ball = {"type": "ineq", "fun": lambda theta: radius**2 - theta @ theta}
    options = {"ftol": 1e-15, "maxiter": 500}
    return minimize(objective, np.zeros(3), constraints=ball, method="SLSQP", options=options).x


@pytest.mark.parametrize("radius", [50.0, 0.3])
@pytest.mark.parametrize("seed", [0, 1])
def test_agrees_with_a_constrained_solver(seed, radius):
    loss = loss_of(seed)
    linear = torch.from_numpy(np.random.default_rng(seed + 9).normal(0, 0.2, (2, 3)))
    found = minimise_in_ball(loss, 0.05, linear, radius)
    for row in range(2):
        expected = independent(loss, row, 0.05, linear[row].numpy(), radius)
        np.testing.assert_allclose(found[row], expected, atol=2e-6)
    assert (found.norm(dim=-1) <= radius * (1 + 1e-12)).all()


def test_without_data_the_optimum_is_the_noise_over_the_ridge():
    nothing = torch.zeros(1, 1, dtype=torch.float64)
    loss = PairLoss(torch.ones(1, 2, dtype=torch.float64), nothing, nothing)
    linear = torch.tensor([[0.2, -0.4], [30.0, 0.0]], dtype=torch.float64)
    found = minimise_in_ball(loss, 0.5, linear, radius=2.0)
    torch.testing.assert_close(found, torch.tensor([[-0.2, 0.4], [-2.0, 0.0]]).double())


def test_separable_labels_end_on_the_ball():
    one = torch.ones(1, 1, dtype=torch.float64)
    loss = PairLoss(one, one, one)
    found = minimise_in_ball(loss, 1e-9, torch.zeros(1, 1, dtype=torch.float64), radius=3.0)
    assert float(found) == pytest.approx(3.0, abs=1e-9)


def test_unfinished_rows_are_missing_not_wrong(monkeypatch):
    monkeypatch.setattr(minimiser, "MAX_STEPS", 1)
    found = minimise_in_ball(loss_of(0), 0.01, torch.ones(2, 3, dtype=torch.float64), 50.0)
    assert torch.isnan(found).all()


def test_a_step_that_would_climb_is_halved():
    """From far away Newton overshoots on a saturated sigmoid; the result is still the optimum."""
    one = torch.ones(1, 1, dtype=torch.float64)
    loss = PairLoss(30 * one, one, 0.5 * one)
    found = minimise_in_ball(loss, 1e-9, one, radius=100.0)
    gradient, _ = loss.derivatives(found)
    assert float(gradient + 2e-9 * found + 1) == pytest.approx(0, abs=1e-9)


def test_the_optimum_is_certified_to_rounding():
    """gᵀH⁻¹g/2 bounds what is lost; far below any β the experiments take."""
    loss, linear = loss_of(3), 0.01 * torch.ones(2, 3, dtype=torch.float64)
    found = minimise_in_ball(loss, 1e-3, linear, radius=1e6)
    gradient, hessian = minimiser.PerturbedLoss(loss, 1e-3, linear).derivatives(found)
    lost = (gradient * torch.linalg.solve(hessian, gradient[..., None])[..., 0]).sum(-1) / 2
    assert float(lost.max()) < 1e-28
