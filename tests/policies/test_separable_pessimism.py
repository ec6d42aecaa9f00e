"""The closed form against the general solver of Algorithm 2."""

from __future__ import annotations

import numpy as np
import pytest

from repro.families.robust.algorithms_pessimism import (
    ConfidenceSet,
    pessimistic_policy,
    separable_pessimism,
)


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
