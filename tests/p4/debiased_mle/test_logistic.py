"""Algorithm 1 against SLSQP in the ambient space, and what the ball is for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.p4.debiased_mle.logistic import (
    _by_newton,
    debiased_logistic,
    hessian,
    loss,
)
from repro.p4.label_cells.pairs import complement_basis


def slsqp(x, mass, labels, radius) -> np.ndarray:
    """The same problem with ⟨1, θ⟩ = 0 and the ball as constraints."""

    def value(theta):
        logit = x @ theta
        return mass @ (np.logaddexp(0, logit) - labels * logit)

    constraints = [
        {"type": "eq", "fun": lambda t: t.sum()},
        {"type": "ineq", "fun": lambda t: radius**2 - t @ t},
    ]
    start = np.zeros(x.shape[1])
    options = {"ftol": 1e-15, "maxiter": 1000}
    return minimize(value, start, constraints=constraints, method="SLSQP", options=options).x


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("spread", [0.2, 3.0], ids=["inside", "w outside [0, 1]"])
def test_equals_slsqp_in_the_ambient_space(seed, spread):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((5, 3))
    x /= np.linalg.norm(x, axis=1).max()
    mass, labels = rng.dirichlet(np.ones(5)), 0.5 + spread * rng.standard_normal(5)
    basis = complement_basis(3).numpy()
    found = debiased_logistic(
        torch.tensor(x @ basis), torch.tensor(mass)[None], torch.tensor(labels)[None], 1.5
    )
    theta = basis @ found[0].numpy()
    assert abs(theta.sum()) < 1e-12
    assert np.linalg.norm(theta) <= 1.5 + 1e-12
    assert theta == pytest.approx(slsqp(x, mass, labels, 1.5), abs=2e-5)


def test_without_the_ball_the_loss_has_no_minimum():
    x, mass = torch.ones(1, 1, dtype=torch.float64), torch.ones(1, 1, dtype=torch.float64)
    label = torch.tensor([[1.4]], dtype=torch.float64)
    far = torch.tensor([[10.0], [100.0]], dtype=torch.float64)
    assert loss(x, mass, label, far).diff().item() < -30
    for radius in (1.0, 7.0):
        assert debiased_logistic(x, mass, label, radius).item() == pytest.approx(radius)


def test_one_cell_is_a_logit_and_unseen_directions_stay():
    x = torch.eye(2, dtype=torch.float64)
    mass = torch.tensor([[0.5, 0.0]], dtype=torch.float64)
    labels = torch.tensor([[0.7, 0.9]], dtype=torch.float64)
    found = debiased_logistic(x, mass, labels, 5.0)[0]
    assert found.tolist() == pytest.approx([np.log(0.7 / 0.3), 0.0])


def test_problems_in_a_batch_do_not_mix():
    x = torch.tensor([[1.0, 0.2], [0.1, 0.8]], dtype=torch.float64)
    mass = torch.tensor([[0.4, 0.6]], dtype=torch.float64)
    labels = torch.tensor([[0.6, 0.3], [2.0, -1.0], [0.5, 0.5]], dtype=torch.float64)
    together = debiased_logistic(x, mass, labels, 2.0)
    alone = torch.cat([debiased_logistic(x, mass, row[None], 2.0) for row in labels])
    assert torch.allclose(together, alone, atol=1e-12)


def test_hessian_by_hand():
    x, mass = torch.tensor([[2.0]], dtype=torch.float64), torch.tensor([[0.5]], dtype=torch.float64)
    zero = torch.zeros(1, 1, dtype=torch.float64)
    assert hessian(x, mass, zero).item() == pytest.approx(0.5 * 0.25 * 4)


def test_a_fit_that_has_not_converged_is_nan(monkeypatch):
    monkeypatch.setattr("repro.p4.debiased_mle.logistic.MAX_STEPS", 1)
    x = torch.tensor([[1.0], [0.5]], dtype=torch.float64)
    mass = torch.full((1, 2), 0.5, dtype=torch.float64)
    labels = torch.tensor([[0.9, 0.9]], dtype=torch.float64)
    assert torch.isnan(debiased_logistic(x, mass, labels, 5.0)).all()


def test_hessian_is_the_derivative_of_the_score_in_two_dimensions():
    x = torch.tensor([[1.0, 0.2], [0.1, 0.8], [-0.5, 0.3]], dtype=torch.float64)
    mass = torch.tensor([[0.4, 0.5, 0.1]], dtype=torch.float64)
    labels = torch.tensor([[0.6, 0.3, 1.2]], dtype=torch.float64)
    theta = torch.tensor([0.7, -1.1], dtype=torch.float64)
    expected = torch.autograd.functional.hessian(lambda t: loss(x, mass, labels, t[None])[0], theta)
    assert torch.allclose(hessian(x, mass, theta[None])[0], expected, atol=1e-14)


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_orthogonal_cells_are_fitted_one_by_one_as_newton_does(cells):
    rng = np.random.default_rng(cells)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    x = torch.from_numpy(turn[:cells] * rng.uniform(0.3, 1, (cells, 1)))[:, : 3 if cells > 1 else 1]
    mass = torch.from_numpy(rng.dirichlet(np.ones(cells), 40))
    labels = torch.from_numpy(rng.uniform(-0.1, 1.1, (40, cells)))
    for radius in (1.0, 5.0, 50.0):
        found = debiased_logistic(x, mass, labels, radius)
        newton = _by_newton(x, mass, labels, radius, 1e-11)
        assert torch.allclose(found @ x.T, newton @ x.T, rtol=0, atol=1e-7 * radius)
        inside = found.norm(dim=1) < radius * (1 - 1e-9)
        seen = x.T @ torch.linalg.solve(x @ x.T, x)  # nothing is said about other directions
        assert torch.allclose((found @ seen)[inside], found[inside], rtol=0, atol=1e-12 * radius)


def test_newton_leaves_directions_without_data_at_0():
    """Before they were projected out, rounding moved them by up to 8e-4."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        basis = np.linalg.qr(rng.standard_normal((4, 4)))[0]
        x = torch.from_numpy(rng.standard_normal((5, 2)) @ basis[:2])
        mass = torch.from_numpy(rng.dirichlet(np.ones(5), size=3))
        labels = torch.from_numpy(rng.uniform(-3, 4, size=(3, 5)))
        theta = debiased_logistic(x, mass, labels, 4.0).numpy()
        assert np.abs(theta @ basis[2:].T).max() < 1e-14


def test_a_cell_without_pairs_leaves_its_direction_at_0():
    x = torch.tensor([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.3, 0.3, 0.9]], dtype=torch.float64)
    mass = torch.tensor([[0.5, 0.5, 0.0], [0.4, 0.3, 0.3]], dtype=torch.float64)
    labels = torch.tensor([[0.3, 0.9, 0.5]], dtype=torch.float64).expand(2, -1)
    theta = debiased_logistic(x, mass, labels, 4.0)
    assert theta[0, 2] == 0
    assert theta[1, 2] != 0
