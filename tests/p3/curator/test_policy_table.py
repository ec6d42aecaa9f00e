"""The one-dimensional dual against independent solvers, with each constraint active or not."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.p3.curator.policy_table import (
    PolicyTable,
    all_choices,
    best_in_the_worst_case,
    pessimistic_values,
)


def problem(seed, d=3):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((d, d))
    matrix = root @ root.T * 10.0 ** rng.uniform(-2, 2) + 1e-3 * np.eye(d)
    return matrix, rng.standard_normal(d) * 0.4, rng.standard_normal(d)


def independent(matrix, centre, direction, bound, radius):
    """The better of several SLSQP starts; feasible to 1e-9."""
    scale = np.trace(matrix)
    constraints = (
        {
            "type": "ineq",
            "fun": lambda t: (bound**2 - (t - centre) @ matrix @ (t - centre)) / scale,
        },
        {"type": "ineq", "fun": lambda t: radius**2 - t @ t},
    )
    options = {"ftol": 1e-15, "maxiter": 1000}
    starts = [centre, 0 * centre, -radius * direction / np.linalg.norm(direction)]
    found = [
        minimize(
            lambda t: t @ direction, s, constraints=constraints, method="SLSQP", options=options
        )
        for s in starts
    ]
    ok = [r.fun for r in found if min(c["fun"](r.x) for c in constraints) > -1e-9]
    return min(ok)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("bound", "radius"), [(0.3, 9.0), (0.5, 0.8), (40.0, 0.7)])
def test_agrees_with_an_independent_solver(seed, bound, radius):
    matrix, centre, direction = problem(seed)
    centre = centre / max(1, np.linalg.norm(centre) / (0.9 * radius))
    found = pessimistic_values(
        torch.from_numpy(direction)[None],
        torch.from_numpy(centre)[None],
        torch.from_numpy(matrix)[None],
        bound,
        radius,
    )
    expected = independent(matrix, centre, direction, bound, radius)
    assert float(found) == pytest.approx(expected, abs=1e-6)


def test_closed_forms_where_one_constraint_is_idle():
    u = torch.tensor([[3.0, 4.0], [0.0, 0.0]]).double()
    centre, eye = torch.tensor([[0.1, 0.2]]).double(), torch.eye(2).double()[None]
    ellipsoid = pessimistic_values(u, centre, eye, 0.5, 100.0)
    torch.testing.assert_close(ellipsoid, torch.tensor([[1.1 - 2.5, 0.0]]).double())
    ball = pessimistic_values(u, centre, eye, 100.0, 2.0)
    torch.testing.assert_close(ball, torch.tensor([[-10.0, 0.0]]).double(), atol=1e-9, rtol=0)


def test_an_empty_set_and_an_indefinite_matrix_have_no_value():
    u = torch.ones(1, 2).double()
    far = torch.tensor([[10.0, 0.0]]).double()
    assert torch.isnan(pessimistic_values(u, far, torch.eye(2).double()[None], 0.5, 1.0)).all()
    indefinite = torch.diag(torch.tensor([1.0, -1.0])).double()[None]
    assert torch.isnan(pessimistic_values(u, far / 20, indefinite, 0.5, 1.0)).all()


def test_batched_rows_do_not_mix():
    parts = [problem(seed) for seed in range(4)]
    matrix, centre, u = (torch.from_numpy(np.stack(x)) for x in zip(*parts, strict=True))
    together = pessimistic_values(u, centre, matrix, 0.7, 1.5)
    for r in range(4):
        alone = pessimistic_values(u[r : r + 1], centre[r : r + 1], matrix[r : r + 1], 0.7, 1.5)
        torch.testing.assert_close(together[r, r], alone[0, 0])


def test_greedy_and_pessimistic_differ_where_the_data_say_nothing():
    table = PolicyTable(all_choices(2).double(), torch.tensor([0.2, 0.0, 0.5, 0.3]).double())
    theta = torch.tensor([[0.6, 0.3]]).double()
    matrix = torch.diag(torch.tensor([1.0, 0.01])).double()[None]
    torch.testing.assert_close(table.greedy_gap(theta), torch.tensor([0.3]).double())
    found = table.pessimistic_gap(theta, matrix, 0.2, 5.0)
    torch.testing.assert_close(found, torch.tensor([0.0]).double())
    torch.testing.assert_close(table.optimal_features, torch.tensor([1.0, 0.0]).double())
    assert torch.isnan(table.pessimistic_gap(theta, -matrix, 0.2, 5.0)).all()


@pytest.mark.parametrize(("bound", "radius"), [(0.05, 9.0), (0.5, 0.8), (40.0, 0.7)])
def test_the_best_of_many_policies_is_found_without_solving_all(bound, radius):
    parts = [problem(seed, 6) for seed in range(8)]
    matrix, centre, _ = (torch.from_numpy(np.stack(x)) for x in zip(*parts, strict=True))
    centre = 0.9 * radius * centre / centre.norm(dim=-1, keepdim=True).clamp(min=radius)
    features = all_choices(6) * torch.linspace(0.2, 1.0, 6).double()
    values = pessimistic_values(features, centre, matrix, bound, radius)
    best, exists = best_in_the_worst_case(features, centre, matrix, bound, radius)
    assert exists.all()
    torch.testing.assert_close(values.gather(1, best[:, None])[:, 0], values.amax(-1))
