"""The ball-constrained quadratic: against bisection, and by its optimality conditions."""

from __future__ import annotations

import torch

from repro.estimators.ball import nearest_in_ball
from repro.families.online_kl.algorithms_least_squares import nearest_in_ball_newton


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
