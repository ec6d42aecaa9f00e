"""Noisy descent: its composition against dp-accounting, and what its steps reveal."""

import math

import pytest

from repro.objective_perturbation.gradients import pairs
from repro.privacy.gaussian import exact_shift
from repro.private_estimates.noisy_descent import noisy_descent, transcript


@pytest.mark.parametrize("steps", [1, 10, 100])
def test_composed_steps_are_private_by_dp_accounting(steps):
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    made = noisy_descent(1.0, 1e-6, 1.0, 2, steps)
    one = mechanism.from_gaussian_mechanism(
        made.std / pairs(1.0, 2).distance, value_discretization_interval=1e-4
    )
    found = one.self_compose(steps).get_delta_for_epsilon(1.0)
    assert found == pytest.approx(1e-6, rel=0.02)


def test_the_steps_reveal_what_is_claimed_and_no_more():
    made = noisy_descent(1.0, 1e-6, 1.0, 2, 300)
    found = transcript(made, 1.0)
    assert 0.99 * exact_shift(1.0, 1e-6) < found.shift < exact_shift(1.0, 1e-6)
    assert transcript(made.weakened(1.25), 1.0).exact_delta(1.0) > 1e-6


def test_steps_that_stay_at_zero_reveal_less():
    made = noisy_descent(1.0, 1e-6, 1.0, 2, 1)
    at_zero = math.sqrt(3) / pairs(1.0, 2).distance
    assert transcript(made, 1.0).shift < 1.2 * at_zero * exact_shift(1.0, 1e-6)
