"""Private least squares: against scipy from many starts, and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.p1.pokl.least_squares import (
    expected_label,
    finite_least_squares,
    linear_least_squares,
    nearest_in_ball_newton,
)
from repro.worlds.estimators.ball import nearest_in_ball


def problem(seed: int, count: int = 6, most: int = 400, strength: float = 0.46):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((9, 3)) / 2
    theta = np.array([0.4, -0.3, 0.2])
    signal = np.full(count, strength)
    pairs = rng.integers(most // 20, most, (count, 9)).astype(float)
    win = (1 + signal[:, None] * np.tanh(x @ theta / 2)) / 2
    wins = rng.binomial(pairs.astype(int), win)
    tensors = (torch.from_numpy(a) for a in (pairs, 2.0 * wins - pairs, x, signal))
    return tuple(tensors)


def loss(theta, pairs, label_sum, x, signal):
    fit = signal * np.tanh(x @ theta / 2)
    return float((pairs * fit**2 - 2 * fit * label_sum).sum())


@pytest.mark.parametrize(
    ("radius", "most", "strength"), [(1.0, 400, 0.46), (0.3, 400, 0.46), (1.0, 3, 0.12)]
)
def test_it_finds_the_minimum_that_restarts_of_an_independent_solver_find(radius, most, strength):
    pairs, label_sum, x, signal = problem(0, most=most, strength=strength)
    zero = torch.zeros(6, 3, dtype=torch.float64)
    found = linear_least_squares(zero, pairs, label_sum, x, signal, radius, tolerance=1e-9)
    assert (found.norm(dim=1) <= radius * (1 + 1e-9)).all()
    starts = np.random.default_rng(1).standard_normal((4, 3)) * 0.2
    for row in range(6):
        data = tuple(a.numpy() for a in (pairs[row], label_sum[row], x, signal[row]))
        ball = {"type": "ineq", "fun": lambda t: radius**2 - t @ t}
        runs = [
            minimize(loss, s, data, method="SLSQP", constraints=ball, options={"ftol": 1e-12})
            for s in starts
        ]
        best = min(run.fun for run in runs)
        assert loss(found[row].numpy(), *data) <= best + 1e-6 * abs(best)


def test_clean_labels_assumed_gives_another_answer():
    pairs, label_sum, x, signal = problem(0)
    zero = torch.zeros(6, 3, dtype=torch.float64)
    right = linear_least_squares(zero, pairs, label_sum, x, signal, 5.0)
    wrong = linear_least_squares(zero, pairs, label_sum, x, torch.ones_like(signal), 5.0)
    assert (right.norm(dim=1) > 1.5 * wrong.norm(dim=1)).all()


def test_exact_means_give_back_the_parameter():
    _, _, x, signal = problem(0, count=1)
    theta = torch.tensor([0.4, -0.3, 0.2], dtype=torch.float64)
    pairs = torch.full((1, 9), 1e6, dtype=torch.float64)
    label_sum = pairs * expected_label(x @ theta, signal[:, None])
    zero = torch.zeros(1, 3, dtype=torch.float64)
    found = linear_least_squares(zero, pairs, label_sum, x, signal, 1.0, tolerance=1e-9)
    torch.testing.assert_close(found[0], theta, rtol=0, atol=1e-8)


def test_finite_losses_are_the_sums_of_squares_up_to_a_constant():
    rng = np.random.default_rng(3)
    differences = torch.from_numpy(rng.standard_normal((4, 2)))
    labels = [[1, 1, -1], [-1, 1, -1, -1]]
    pairs = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    label_sum = torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    signal = torch.tensor([0.5], dtype=torch.float64)
    found = finite_least_squares(pairs, label_sum, differences, signal)[0].numpy()
    direct = [
        sum((0.5 * np.tanh(float(d[c]) / 2) - z) ** 2 for c in (0, 1) for z in labels[c])
        for d in differences
    ]
    np.testing.assert_allclose(found - found[0], np.array(direct) - direct[0], atol=1e-12)


def test_it_agrees_with_bisection_from_round_to_very_flat_quadratics():
    torch.manual_seed(0)
    centre = 3 * torch.randn(200, 4, dtype=torch.float64)
    root = torch.randn(200, 4, 4, dtype=torch.float64) * torch.logspace(-4, 2, 200)[:, None, None]
    information = root @ root.mT + 1e-9 * torch.eye(4, dtype=torch.float64)
    found = nearest_in_ball_newton(centre, information, 1.5)
    expected = nearest_in_ball(centre, information, 1.5)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-7)


def test_points_inside_stay():
    centre = torch.tensor([[0.1, 0.2], [3.0, 0.0]], dtype=torch.float64)
    information = torch.eye(2, dtype=torch.float64).expand(2, 2, 2)
    found = nearest_in_ball_newton(centre, information, 1.0)
    torch.testing.assert_close(found[0], centre[0])
    torch.testing.assert_close(found[1], torch.tensor([1.0, 0.0], dtype=torch.float64))
    assert nearest_in_ball_newton(centre[:1], information[:1], 1.0) is not None


def test_on_the_sphere_is_left_alone_to_the_bit():
    centre = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    information = torch.tensor([[[2.0, 0.7], [0.7, 1.3]]], dtype=torch.float64)
    assert torch.equal(nearest_in_ball_newton(centre, information, 5.0), centre)
