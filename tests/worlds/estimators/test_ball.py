"""A quadratic over a ball: the closed step against scipy and against its own conditions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.worlds.estimators.ball import (
    descent_in_ball,
    nearest_in_ball,
    newton_in_ball,
    promised_gain,
)


def random_cases(
    count: int, features: int, spread: float, key: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Centres (R, d) of norms from well inside to far outside 1, and informations (R, d, d)."""
    rng = np.random.Generator(np.random.Philox(key))
    centre = rng.standard_normal((count, features))
    centre *= np.linspace(0.1, 5, count)[:, None] / np.linalg.norm(centre, axis=1, keepdims=True)
    turn = np.linalg.qr(rng.standard_normal((count, features, features)))[0]
    values = 10 ** rng.uniform(-spread, 0, (count, features))
    return centre, np.einsum("rij,rj,rkj->rik", turn, values, turn)


def nearest(centre: np.ndarray, information: np.ndarray, radius: float) -> np.ndarray:
    solution = nearest_in_ball(torch.from_numpy(centre), torch.from_numpy(information), radius)
    return solution.numpy()


def slsqp(centre: np.ndarray, information: np.ndarray, radius: float) -> np.ndarray:
    inside = {"type": "ineq", "fun": lambda x: radius**2 - x @ x, "jac": lambda x: -2 * x}
    return minimize(
        lambda x: (x - centre) @ information @ (x - centre),
        np.zeros_like(centre),
        jac=lambda x: 2 * information @ (x - centre),
        method="SLSQP",
        constraints=[inside],
        options={"ftol": 1e-16, "maxiter": 500},
    ).x


def test_agrees_with_slsqp():
    """100 cases, a fifth of them with the centre inside."""
    centre, information = random_cases(100, 3, spread=1.0)
    expected = [slsqp(c, i, 1.0) for c, i in zip(centre, information, strict=True)]
    np.testing.assert_allclose(nearest(centre, information, 1.0), expected, atol=1e-6)


def test_inside_is_left_alone():
    centre, information = random_cases(100, 3, spread=1.0)
    inside = np.linalg.norm(centre, axis=1) <= 1
    assert 10 < inside.sum() < 30
    np.testing.assert_array_equal(nearest(centre, information, 1.0)[inside], centre[inside])
    np.testing.assert_array_equal(nearest(centre, information, 6.0), centre)


@pytest.mark.parametrize("spread", [0.0, 2.0, 10.0], ids=["round", "oblong", "nearly singular"])
@pytest.mark.parametrize("radius", [1e-3, 1.0])
def test_outside_meets_the_conditions(spread, radius):
    """On the sphere, and I·(centre − θ) = μ·θ with μ ≥ 0."""
    centre, information = random_cases(50, 4, spread, key=1)
    outside = np.linalg.norm(centre, axis=1) > radius
    centre, information = centre[outside], information[outside]
    theta = nearest(centre, information, radius)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), radius, rtol=1e-9)
    pull = np.einsum("rij,rj->ri", information, centre - theta)
    multiplier = (pull * theta).sum(1) / radius**2
    assert (multiplier >= 0).all()
    scale = np.linalg.norm(information, axis=(1, 2)) * np.linalg.norm(centre, axis=1)
    residual = np.linalg.norm(pull - multiplier[:, None] * theta, axis=1)
    assert (residual <= 1e-9 * scale).all()


@pytest.mark.parametrize("spread", [0.0, 2.0, 4.0])
@pytest.mark.parametrize("radius", [1e-3, 1.0])
def test_a_step_by_factors_is_the_one_by_eigenvectors(spread, radius):
    centre, information = map(torch.from_numpy, random_cases(60, 5, spread, key=2))
    theta = centre * radius / 6
    gradient = (information @ (theta - centre)[..., None])[..., 0]
    expected = nearest_in_ball(centre, information, radius)
    found = descent_in_ball(theta, gradient, information, radius)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


def test_round_quadratic_is_the_projection():
    centre, _ = random_cases(50, 4, 0.0)
    eye = np.broadcast_to(np.eye(4), (50, 4, 4)).copy()
    shrink = np.minimum(1, 1 / np.linalg.norm(centre, axis=1, keepdims=True))
    np.testing.assert_allclose(nearest(centre, eye, 1.0), centre * shrink, rtol=1e-10)


def test_by_hand():
    """I = diag(1, 3), centre (4, 0): the nearest point is (1, 0), with μ = 3."""
    centre, information = np.array([[4.0, 0.0]]), np.diag([1.0, 3.0])[None]
    np.testing.assert_allclose(nearest(centre, information, 1.0), [[1.0, 0.0]], atol=1e-12)


def test_scale_of_the_information_does_not_matter():
    centre, information = random_cases(50, 4, 1.0)
    expected = nearest(centre, information, 1.0)
    for scale in (1e-12, 1e12):
        np.testing.assert_allclose(nearest(centre, scale * information, 1.0), expected, rtol=1e-9)


def test_batch_is_one_at_a_time():
    centre, information = random_cases(20, 3, 1.0)
    single = [nearest(c[None], i[None], 1.0)[0] for c, i in zip(centre, information, strict=True)]
    np.testing.assert_allclose(nearest(centre, information, 1.0), single, rtol=1e-12)


def test_on_the_sphere_is_left_alone_to_the_bit():
    centre = np.array([[0.6, 0.8], [3.0, 4.0]])
    information = np.array([[[2.0, 0.7], [0.7, 1.3]]]).repeat(2, axis=0)
    found = nearest(centre / np.array([[1.0], [5.0]]), information, 1.0)
    np.testing.assert_array_equal(found, centre / np.array([[1.0], [5.0]]))


def test_with_one_feature_the_ball_is_an_interval():
    centre, information = np.array([[3.0], [-0.2], [-7.0]]), np.array([[[2.0]], [[5.0]], [[0.1]]])
    np.testing.assert_array_equal(nearest(centre, information, 0.5), [[0.5], [-0.2], [-0.5]])


def test_a_newton_step_ends_at_the_nearest_point_and_promises_its_gain():
    centre, information = (torch.from_numpy(x) for x in random_cases(60, 3, 1.0, key=2))
    theta = torch.full_like(centre, 0.2)
    score = (information @ (centre - theta)[..., None])[..., 0]
    step = newton_in_ball(theta, score, information, 1.0)
    expected = nearest_in_ball(centre, information, 1.0)
    torch.testing.assert_close(theta + step, expected, rtol=0, atol=1e-9)

    def value(at):
        apart = at - centre
        return -(apart[:, None] @ information @ apart[..., None])[:, 0, 0] / 2

    gain = promised_gain(step, score, information)
    torch.testing.assert_close(gain, value(theta + step) - value(theta))
