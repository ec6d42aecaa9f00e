"""The quadratic over a ball against an independent solver."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.estimators.ball import nearest_in_ball


@pytest.mark.parametrize("seed", range(12))
def test_equals_slsqp(seed):
    rng = np.random.default_rng(seed)
    centre, root = 3 * rng.standard_normal(3), rng.standard_normal((3, 3))
    information = root @ root.T + 0.01 * np.eye(3)
    found = nearest_in_ball(torch.tensor(centre)[None], torch.tensor(information)[None], 1.0)[0]
    independent = minimize(
        lambda t: (t - centre) @ information @ (t - centre),
        np.zeros(3),
        constraints={"type": "ineq", "fun": lambda t: 1 - t @ t},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    ).x
    assert found.numpy() == pytest.approx(independent, abs=2e-5)
    assert float(found.norm()) <= 1 + 1e-12


def test_inside_is_left_alone():
    centre = torch.tensor([[0.3, 0.4]], dtype=torch.float64)
    assert torch.equal(
        nearest_in_ball(centre, torch.eye(2, dtype=torch.float64)[None], 1.0), centre
    )


def test_sphere_by_hand():
    centre = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    found = nearest_in_ball(centre, torch.eye(2, dtype=torch.float64)[None], 1.0)
    assert found[0].tolist() == pytest.approx([0.6, 0.8], abs=1e-14)
