"""Algorithm 2's inner dual and outer maximum against SLSQP, on 300 random cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from repro.p4.linear_rlhf.pessimism import (
    ConfidenceSet,
    _best_against,
    greedy_policy,
    optimistic_policy,
    pessimistic_policy,
    separable_pessimism,
)


def random_set(rng: np.random.Generator, k: int) -> ConfidenceSet:
    root = rng.standard_normal((k, k))
    metric = root @ root.T / k + rng.choice([1e-3, 0.1]) * np.eye(k)
    radius = rng.uniform(0.5, 3.0)
    centre = rng.standard_normal(k)
    centre *= radius * rng.uniform(0.2, 1.0) / np.linalg.norm(centre)
    return ConfidenceSet(centre, metric, rng.uniform(0.05, 2.0), radius)


def slsqp(believed: ConfidenceSet, g: np.ndarray) -> float:
    """The inner minimum by scipy, in the metric's own units, from several starts."""
    constraints = [
        {"type": "ineq", "fun": lambda t: 1 - (t - believed.centre) @ believed.metric
         @ (t - believed.centre) / believed.width**2,
         "jac": lambda t: -2 * believed.metric @ (t - believed.centre) / believed.width**2},
        {"type": "ineq", "fun": lambda t: 1 - t @ t / believed.radius**2,
         "jac": lambda t: -2 * t / believed.radius**2},
    ]  # fmt: skip
    found = [
        minimize(lambda t: g @ t, believed.centre * share, jac=lambda t: g,
                 constraints=constraints, method="SLSQP", options={"ftol": 1e-13, "maxiter": 400})
        for share in (1.0, 0.9)
    ]  # fmt: skip
    good = [f.fun for f in found if min(c["fun"](f.x) for c in constraints) > -1e-8]
    return min(good)


def test_inner_dual_equals_slsqp_on_300_cases():
    rng = np.random.default_rng(0)
    ball_binds = 0
    for case in range(300):
        k = 1 + case % 4
        believed, g = random_set(rng, k), rng.standard_normal(k)
        value, theta = believed.worst(g)
        assert value == pytest.approx(slsqp(believed, g), abs=1e-6)
        assert g @ theta == pytest.approx(value, abs=1e-6)
        ball_binds += np.linalg.norm(theta) > believed.radius * (1 - 1e-6)
    assert 30 < ball_binds < 290


def test_without_a_direction_the_inner_value_is_0_at_the_centre():
    believed = random_set(np.random.default_rng(1), 3)
    value, theta = believed.worst(np.zeros(3))
    assert value == 0
    assert theta == pytest.approx(believed.centre, rel=1e-12)


@pytest.mark.parametrize("num_cuts", [1, 2, 5])
def test_the_best_policy_against_cuts_is_that_of_the_linear_program(num_cuts):
    rng = np.random.default_rng(num_cuts)
    states, actions = 3, 4
    size = states * actions
    cuts = rng.standard_normal((num_cuts, size + 1))
    policy, value = _best_against(cuts, states, actions)
    found = linprog(
        np.append(np.zeros(size), -1.0),
        np.column_stack([-cuts[:, :size], np.ones(num_cuts)]), -cuts[:, size],
        np.column_stack([np.kron(np.eye(states), np.ones(actions)), np.zeros(states)]),
        np.ones(states), [(0, 1)] * size + [(None, None)],
    )  # fmt: skip
    assert value == pytest.approx(-found.fun, rel=1e-9)
    assert policy.ravel() == pytest.approx(found.x[:size], abs=1e-7)


def outer_by_slsqp(believed, features, state_prob, reference) -> float:
    """max over π of the inner minimum, by SLSQP over θ of the other side of the saddle."""
    offset = np.einsum("s,sa,sak->k", state_prob, reference, features)

    def value(t):  # t = (θ, one epigraph variable per state)
        k = len(believed.centre)
        return state_prob @ t[k:] - t[:k] @ offset

    k, states = len(believed.centre), len(state_prob)
    constraints = [
        {"type": "ineq", "fun": lambda t: 1 - (t[:k] - believed.centre) @ believed.metric
         @ (t[:k] - believed.centre) / believed.width**2},
        {"type": "ineq", "fun": lambda t: 1 - t[:k] @ t[:k] / believed.radius**2},
        {"type": "ineq", "fun": lambda t: (t[k:, None] - features @ t[:k]).ravel()},
    ]  # fmt: skip
    start = np.append(believed.centre, (features @ believed.centre).max(axis=1))
    found = minimize(value, start, constraints=constraints, method="SLSQP",
                     options={"ftol": 1e-13, "maxiter": 1000})  # fmt: skip
    assert min(np.min(c["fun"](found.x)) for c in constraints) > -1e-7
    assert len(found.x) == k + states
    return found.fun


def test_outer_maximum_equals_the_other_side_of_the_saddle():
    rng = np.random.default_rng(1)
    mixed = 0
    for _ in range(60):
        states, actions, k = rng.integers(1, 3), 3, int(rng.integers(1, 4))
        features = rng.standard_normal((states, actions, k)) / 2
        state_prob = np.full(states, 1 / states)
        reference = rng.dirichlet(np.ones(actions), states)
        believed = random_set(rng, k)
        policy, value = pessimistic_policy(believed, features, state_prob, reference)
        assert policy.sum(axis=1) == pytest.approx(np.ones(states))
        assert value == pytest.approx(
            outer_by_slsqp(believed, features, state_prob, reference), abs=2e-6
        )
        gain = np.einsum("s,sa,sak->k", state_prob, policy - reference, features)
        assert believed.worst(gain)[0] == pytest.approx(value, abs=1e-7)
        mixed += bool(((policy > 1e-4) & (policy < 1 - 1e-4)).any())
    assert mixed > 15


def test_only_the_ellipsoid_binds_closed_form():
    believed = ConfidenceSet(np.array([0.1, 0.0]), np.diag([4.0, 1.0]), 0.2, 10.0)
    value, theta = believed.worst(np.array([1.0, 0.0]))
    assert value == pytest.approx(0.0, abs=1e-9)
    assert theta == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_wide_set_returns_the_reference():
    features = np.array([[[1.0], [0.0]]])
    reference = np.array([[0.3, 0.7]])
    wide = ConfidenceSet(np.array([0.5]), np.eye(1), 5.0, 1.0)
    policy, value = pessimistic_policy(wide, features, np.ones(1), reference)
    assert value == pytest.approx(0.0, abs=1e-9)
    assert policy == pytest.approx(reference, abs=1e-9)
    assert wide.contains(np.array([-0.9]))
    assert not wide.contains(np.array([1.1]))


def test_greedy_takes_the_best_response_of_each_state():
    features = np.array([[[1.0], [0.0]], [[-1.0], [0.0]]])
    assert greedy_policy(features, np.array([0.4])).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_optimism_takes_the_response_that_is_hardly_known():
    believed = ConfidenceSet(np.array([0.5, 0.0]), np.diag([100.0, 0.01]), 1.0, 3.0)
    assert optimistic_policy(believed, np.eye(2)).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("seed", range(8))
def test_equals_the_general_solver(seed):
    rng = np.random.default_rng(seed)
    states = int(rng.integers(1, 4))
    margin, rho = rng.standard_normal(states), rng.dirichlet(np.ones(states))
    mass, width = rng.uniform(0.1, 0.5, states), rng.uniform(0.1, 1.0)
    features = np.zeros((states, 2, states))
    features[np.arange(states), 0, np.arange(states)] = 1.0
    reference = np.tile([0.0, 1.0], (states, 1))
    believed = ConfidenceSet(margin, np.diag(mass), width, 100.0)
    _, value = pessimistic_policy(believed, features, rho, reference)
    q = separable_pessimism(margin[None], rho, mass, width)[0]
    reached = rho * q @ margin - width * np.sqrt(((rho * q) ** 2 / mass).sum())
    assert reached == pytest.approx(value, abs=1e-6)


def test_no_width_is_greedy():
    q = separable_pessimism(np.array([[0.2, -0.1]]), np.full(2, 0.5), np.full(2, 0.5), 0.0)
    assert q.tolist() == [[1.0, 0.0]]
