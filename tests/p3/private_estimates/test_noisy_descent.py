"""Noisy descent: its composition against dp-accounting, and what its steps reveal."""

import math

import pytest
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

from repro.labels.privacy.adjacency import ADJACENCIES, REPLACE
from repro.labels.privacy.gaussian import exact_shift
from repro.p3.objective_perturbation.gradients import pairs_under
from repro.p3.private_estimates.noisy_descent import noisy_descent, transcript


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("steps", [1, 10, 100])
def test_composed_steps_are_private_by_dp_accounting(steps, adjacency):
    records = pairs_under(adjacency, 1.0, 2)
    made = noisy_descent(1.0, 1e-6, records, steps)
    one = from_gaussian_mechanism(made.std / records.distance, value_discretization_interval=1e-4)
    found = one.self_compose(steps).get_delta_for_epsilon(1.0)
    assert found == pytest.approx(1e-6, rel=0.02)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_the_steps_reveal_what_is_claimed_and_no_more(adjacency):
    made = noisy_descent(1.0, 1e-6, pairs_under(adjacency, 1.0, 2), 300)
    found = transcript(made, 1.0, adjacency)
    assert 0.99 * exact_shift(1.0, 1e-6) < found.shift < exact_shift(1.0, 1e-6)
    assert transcript(made.weakened(1.1), 1.0, adjacency).exact_delta(1.0) > 1e-6


def test_steps_that_stay_at_zero_reveal_less():
    records = pairs_under(REPLACE, 1.0, 2)
    made = noisy_descent(1.0, 1e-6, records, 1)
    at_zero = math.sqrt(3) / records.distance
    assert transcript(made, 1.0, REPLACE).shift < 1.2 * at_zero * exact_shift(1.0, 1e-6)
