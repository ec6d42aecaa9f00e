"""A loose solver's release: a density, its limits, and a bound that it stays below."""

import math

import numpy as np
import pytest

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration, tied_otherwise
from repro.p3.objective_perturbation.gradients import pairs
from repro.p3.objective_perturbation.joint_release import joint_bound
from repro.p3.objective_perturbation.loose_solver import LooseSolver
from repro.p3.objective_perturbation.one_dimension import LogisticRecords

MADE = Calibration(20.0, 40.0)


def test_densities_integrate_to_one():
    release = LooseSolver(MADE, 4.0, 0.3, 0.4)
    for log_density in release._log_densities:
        mass = np.exp(log_density).sum() * np.diff(release._releases)[0]
        assert mass == pytest.approx(1, abs=1e-5)


def test_without_a_step_it_is_a_blurred_minimiser():
    exact = tied_otherwise(
        MADE, 4.0, (LogisticRecords(2.0),), (LogisticRecords(-2.0),)
    ).exact_delta(0.2)
    assert 0.5 * exact < LooseSolver(MADE, 4.0, 1e-6, 0.05).exact_delta(0.2) < exact


@pytest.mark.parametrize(("sigma", "shift"), [(20.0, 0.1), (15.0, 0.2), (10.0, 0.1)])
def test_it_stays_below_the_theorem_and_comes_near_the_gaussian(sigma, shift):
    made = Calibration(sigma, 40.0)
    output = shift * sigma**2 / 80
    release = LooseSolver(made, 6.0, shift, output)
    found = release.exact_delta(0.5)
    assert found <= joint_bound(pairs(6.0, 1), sigma, 40.0, shift, 0.5)
    assert found == pytest.approx(float(gaussian_delta(math.hypot(2 / sigma, shift), 0.5)), rel=0.4)


def test_the_solver_stays_in_the_ball_and_within_its_tolerance():
    release = LooseSolver(MADE, 1.0, 0.4, 1.0)
    theta = np.array([-1.0, -0.9, 0.0, 0.9, 1.0])
    for side, sign in ((0, 1), (1, -1)):
        moved = release._moved(theta, side)
        assert np.abs(moved).max() <= 1
        assert moved[2] == sign * release.step
    assert release.step < 0.2
