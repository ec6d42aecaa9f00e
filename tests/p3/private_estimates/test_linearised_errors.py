"""Linearised errors of private mechanisms by hand, and by simulation of a line of steps."""

import numpy as np
import pytest

from repro.labels.privacy.adjacency import REPLACE
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.private_estimates.comparison import (
    DESCENT,
    OBJECTIVE,
    OUTPUT,
    MechanismComparison,
    advised,
    over_least_at_worst,
)
from repro.p3.private_estimates.linearised_errors import (
    MechanismBudget,
    Spectrum,
    tuned_objective,
    tuned_output,
)
from repro.p3.private_estimates.noisy_descent import NoisyDescent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation, output_perturbation

WORLD = Spectrum(
    np.array([2.0, 0.5]), np.array([10.0, 4.0]), np.array([0.3, -0.2]), np.array([1.0, 0.0])
)


def test_errors_by_hand():
    """Weight·(noise² + scatter + (ridge·θ)²)/(h + ridge)²; output noise is on θ itself."""
    first = 2 * (9 + 1 + (2 * 0.3) ** 2) / 12**2
    second = 0.5 * (9 + (2 * 0.2) ** 2) / 6**2
    assert WORLD.gradient_noise(3.0, 2.0) == pytest.approx(first + second)
    first = 2 * (9 + (1 + (2 * 0.3) ** 2) / 12**2)
    second = 0.5 * (9 + (2 * 0.2) ** 2 / 6**2)
    assert WORLD.output_noise(3.0, 2.0) == pytest.approx(first + second)
    truth = WORLD.against_truth()
    assert truth.scatter.tolist() == truth.curvature.tolist() == [10.0, 4.0]
    assert (truth.weight.tolist(), truth.theta.tolist()) == ([2.0, 0.5], [0.3, -0.2])


GIVEN = MechanismBudget(1.0, 1e-6, 1.0, REPLACE)


def test_tuning_finds_the_least_error_of_its_own_kind_of_noise():
    """No ridge nearby is better; a weaker curvature asks for a larger one."""
    objective, output = tuned_objective(GIVEN, WORLD), tuned_output(GIVEN, WORLD)
    least = WORLD.gradient_noise(objective.sigma, objective.ridge)
    assert least <= WORLD.gradient_noise(objective.sigma, 1.2 * objective.ridge)
    reached = WORLD.output_noise(output.std, output.ridge)
    records = GIVEN.records(2)
    for factor in (0.8, 1.25):
        other = output_perturbation(1.0, 1e-6, records, output.ridge * factor)
        assert reached < WORLD.output_noise(other.std, other.ridge)
    own = output_perturbation(1.0, 1e-6, records, output.ridge)
    assert output.std == pytest.approx(own.std)


def comparison(objective, output, descent, zero=10.0):
    errors = {OBJECTIVE: objective, OUTPUT: output, DESCENT: descent}
    made = Calibration(1.0, 1.0), OutputPerturbation(1.0, 1.0), NoisyDescent(1, 1.0)
    return MechanismComparison(errors, 0.5, zero, *made, 2.0)


def test_the_advice_looks_at_each_mechanism_on_its_worse_world():
    """2.0 to 1.0, then 1.05 to 1: objective 1.05/1, output 2, descent 1.5 over the least."""
    worlds = {"even": comparison(1.0, 2.0, 1.5), "thin": comparison(1.05, 1.0, 1.2)}
    worse = over_least_at_worst(worlds)
    assert worse == {OBJECTIVE: 1.05, OUTPUT: 2.0, DESCENT: 1.5}
    assert advised(worlds) == OBJECTIVE
    behind = {"even": comparison(1.0, 2.0, 1.05), "thin": comparison(1.2, 1.0, 1.0)}
    assert advised(behind) == DESCENT
    at_the_limit = {"even": comparison(1.1, 1.0, 1.0)}
    assert advised(at_the_limit) == OBJECTIVE
    assert comparison(3.0, 2.0, 4.0).least == 2.0
    assert comparison(8.9, 9.0, 9.0).learns
    assert not comparison(9.1, 9.2, 9.0).learns
