"""Output perturbation: no neighbours lie farther apart than D/A, and some lie nearly as far."""

import numpy as np
import pytest

from repro.labels.privacy.adjacency import ADJACENCIES, REPLACE
from repro.labels.privacy.gaussian import exact_shift
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.gradients import pairs_under
from repro.p3.objective_perturbation.records import Pair
from repro.p3.private_estimates.output_perturbation import output_perturbation, told_apart


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("bound", [0.5, 1.0, 3.0])
def test_the_distance_is_nearly_attained(bound, adjacency):
    made = output_perturbation(1.0, 1e-6, pairs_under(adjacency, bound, 2), ridge=1000.0)
    shift = told_apart(made, bound, adjacency).shift
    assert 0.98 * exact_shift(1.0, 1e-6) < shift <= exact_shift(1.0, 1e-6)
    assert told_apart(made.weakened(1.1), bound, adjacency).exact_delta(1.0) > 1e-6


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_random_neighbours_lie_no_farther_apart(adjacency):
    rng, ridge, bound = np.random.default_rng(0), 3.0, 1.5
    largest = pairs_under(adjacency, bound, 2).distance / ridge

    def random_pair(count=1.0):
        x = rng.standard_normal(2)
        x *= 2 * rng.uniform() ** 0.5 / np.linalg.norm(x)
        return Pair(tuple(x), count)

    def minimiser(records):
        return OnBall(records, ridge, 1.0, bound, 2).solve(np.zeros((1, 2)))[0]

    apart = []
    for _ in range(12):
        common = tuple(random_pair(float(rng.integers(1, 9))) for _ in range(4))
        one = minimiser((*common, random_pair()))
        other = minimiser((*common, random_pair()) if adjacency == REPLACE else common)
        apart.append(np.linalg.norm(one - other))
    assert 0.1 * largest < max(apart) <= largest
