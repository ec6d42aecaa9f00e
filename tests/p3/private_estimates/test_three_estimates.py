"""The three estimates by hand where their noise is taken away."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.labels.privacy.central_noise import NO_NOISE
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.private_estimates.noisy_descent import NoisyDescent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation
from repro.p3.private_estimates.three_estimates import PrivateEstimate, kept_steps

WORLD = PrivateEstimate(
    epsilon=1.0, dp_delta=1e-6, reward_bound=1.0, n_pairs=4000, axes="even", num_features=2,
    theta_share=0.9,
)  # fmt: skip


def drawn(world, seed=1, replicates=400):
    return world.draw(np.random.default_rng(seed), replicates)


def test_the_last_half_of_the_steps_is_kept_and_the_middle_one_with_it():
    assert [kept_steps(steps) for steps in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]


def test_an_error_is_the_root_mean_square_of_reward_differences():
    """Half of the pairs lie along each axis, and their features differ by 2."""
    found = WORLD.length(np.array([[1.0, 0.0], [3.0, -4.0]]))
    assert found == pytest.approx([math.sqrt(2), 5 * math.sqrt(2)])
    assert WORLD.largest == pytest.approx(4000 * 2 / 4)
    assert float(np.linalg.norm(WORLD.truth.theta)) == pytest.approx(0.9)


def test_noise_is_as_large_as_it_is_asked_for_and_stands_where_it_should():
    data = drawn(WORLD)
    assert data.normal(3.0).std() == pytest.approx(3.0, rel=0.1)
    quiet = drawn(replace(WORLD, noise=NO_NOISE))
    objective = quiet.objective(Calibration(sigma=50.0, ridge=100.0))
    output = quiet.output(OutputPerturbation(ridge=100.0, std=0.5))
    np.testing.assert_array_equal(objective, output)
    np.testing.assert_array_equal(objective, quiet.fitted(100.0))
    pulled = np.linalg.norm(objective, axis=1) < np.linalg.norm(quiet.without_privacy, axis=1)
    assert pulled.all()
    added = data.output(OutputPerturbation(ridge=100.0, std=0.5)) - data.fitted(100.0)
    assert added.std() == pytest.approx(0.5, rel=0.1)
    assert (
        data.objective(Calibration(sigma=50.0, ridge=100.0)).std(0).min() > objective.std(0).min()
    )


def test_descent_without_noise_ends_at_the_minimiser_in_the_ball():
    data = drawn(replace(WORLD, noise=NO_NOISE), replicates=20)
    np.testing.assert_allclose(
        data.descent(NoisyDescent(steps=200, std=1.0)), data.without_privacy, atol=1e-6
    )
    narrow = drawn(replace(WORLD, noise=NO_NOISE, reward_bound=0.5, theta_share=1.0), replicates=20)
    for steps in (1, 2, 50):
        found = narrow.descent(NoisyDescent(steps=steps, std=1.0))
        assert np.linalg.norm(found, axis=1).max() <= 0.5 + 1e-12
