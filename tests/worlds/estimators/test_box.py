"""A quadratic over a box: against scipy and against its own conditions."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.worlds.estimators import box
from repro.worlds.estimators.box import nearest_in_box, newton_in_box


def random_cases(count, features, spread, key=0):
    """Centres (R, d) from well inside to far outside of [−1, 1]^d, and informations (R, d, d)."""
    rng = np.random.Generator(np.random.Philox(key))
    centre = rng.standard_normal((count, features))
    centre *= np.linspace(0.1, 5, count)[:, None] / np.abs(centre).max(axis=1, keepdims=True)
    turn = np.linalg.qr(rng.standard_normal((count, features, features)))[0]
    values = 10 ** rng.uniform(-spread, 0, (count, features))
    return centre, np.einsum("rij,rj,rkj->rik", turn, values, turn)


def nearest(centre, information, half_width):
    found = nearest_in_box(torch.from_numpy(centre), torch.from_numpy(information), half_width)
    return found.numpy()


def by_scipy(centre, information, half_width):
    return minimize(
        lambda x: (x - centre) @ information @ (x - centre), np.zeros_like(centre),
        jac=lambda x: 2 * information @ (x - centre), method="L-BFGS-B",
        bounds=[(-half_width, half_width)] * len(centre), options={"ftol": 1e-16, "gtol": 1e-12},
    ).x  # fmt: skip


def test_agrees_with_scipy():
    centre, information = random_cases(100, 3, spread=1.0)
    expected = [by_scipy(c, i, 1.0) for c, i in zip(centre, information, strict=True)]
    np.testing.assert_allclose(nearest(centre, information, 1.0), expected, atol=1e-6)


def test_inside_is_left_alone():
    centre, information = random_cases(100, 3, spread=1.0)
    inside = np.abs(centre).max(axis=1) <= 1
    assert 10 < inside.sum() < 30
    np.testing.assert_array_equal(nearest(centre, information, 1.0)[inside], centre[inside])
    np.testing.assert_array_equal(nearest(centre, information, 6.0), centre)


@pytest.mark.parametrize("spread", [0.0, 2.0])
@pytest.mark.parametrize("half_width", [0.3, 1.0])
def test_the_gradient_points_outwards_at_the_faces_and_is_zero_between(spread, half_width):
    centre, information = random_cases(50, 4, spread, key=1)
    theta = nearest(centre, information, half_width)
    assert np.abs(theta).max() <= half_width
    pull = np.einsum("rij,rj->ri", information, centre - theta)
    at_face = np.abs(theta) == half_width
    assert 30 < at_face.sum() < at_face.size
    assert (pull * theta >= 0)[at_face].all()
    assert np.abs(pull[~at_face]).max(initial=0) < 1e-12 * np.abs(centre).max()


def test_a_newton_step_ends_at_the_nearest_point_to_the_free_one():
    centre, information = (torch.from_numpy(x) for x in random_cases(60, 4, 1.0, key=2))
    theta = torch.full_like(centre, 0.3)
    score = (information @ (centre - theta)[..., None])[..., 0]
    step = newton_in_box(theta, score, information, 1.0)
    expected = nearest_in_box(centre, information, 1.0)
    torch.testing.assert_close(theta + step, expected, rtol=0, atol=1e-9)


@pytest.mark.some(1)
@pytest.mark.parametrize(("features", "ridge"), [(1, 1e-2), (4, 1e-2), (4, 1e-8), (8, 1e-8)])
def test_the_active_set_is_never_worse_than_coordinates(features, ridge):
    """Nearly singular information included: there coordinates stop on the way."""
    rng = np.random.default_rng(features)
    factor = torch.from_numpy(rng.standard_normal((200, features, max(1, features // 2))))
    information = factor @ factor.mT
    trace = information.diagonal(dim1=-2, dim2=-1).sum(-1)
    information = information + ridge * trace[:, None, None] * torch.eye(features).double()
    pull = (information @ torch.from_numpy(3 * rng.standard_normal((200, features, 1))))[..., 0]
    start = torch.zeros(200, features).double()
    theta, settled = box._by_active_set(start, information, pull, 1.0)
    assert float(settled.double().mean()) > 0.8
    slow = box._by_coordinates(start, information, pull, 1.0, 1e-9)

    def value(at):
        return ((information @ at[..., None])[..., 0] * at).sum(-1) / 2 - (pull * at).sum(-1)

    assert (value(theta) <= value(slow) + 1e-12 * value(slow).abs())[settled].all()
    assert float(theta.abs().max()) <= 1.0
