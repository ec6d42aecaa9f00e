"""P3's gap of rankings of K responses, and what happens when its implementation is broken."""

import numpy as np
import pytest

from theorems import kwise_gap

KWISE = [
    ("n_pairs_greedy", {"greedy": -0.5, "root_n_noise": -0.25, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5, "noise_without_epsilon": 0.0}),
    ("n_pairs", {"pessimistic": -0.59, "greedy_into_the_trap": 0.0}),
    ("error", {"error": -0.5, "error_text_ridge": -0.25}),
    ("error_epsilon", {"error": -0.5, "error_without_epsilon": 0.0}),
    ("ranked_actions", {"error": 1.5}),
]


@pytest.mark.parametrize(("name", "expected"), KWISE)
def test_exponents(exponents, name, expected):
    found = exponents(name, replicates=20)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_sharp_k_constants_do_not_grow(exponents):
    found = exponents("ranked_actions_sharp", replicates=20)
    assert found["error_sharp"] < 0.3 < 1 < found["error"]


@pytest.mark.parametrize("name", ["gradient", "hessian", "covariance_term", "curvature"])
def test_corrected_formulas_hold_and_printed_ones_do_not(measured, name):
    found = measured(name, 6, 5, key=(name,))
    right, control = map(np.max, found.values())
    assert right <= 1 + 1e-9 < control


@pytest.mark.parametrize(("stage", "instead"), [("labels", "fair_coins"), ("noise", "no_noise")])
def test_a_replaced_stage_reaches_the_measurement(with_and_without, stage, instead):
    plain, other = with_and_without("error", stage, instead, "error")
    assert plain != pytest.approx(other, rel=0.01)


def test_who_knows_the_truth_makes_no_error(of_the_truth):
    assert of_the_truth("error", "error") == pytest.approx(np.zeros(5), abs=1e-15)


def test_a_doubled_derivative_turns_the_verdict(turned):
    def wrong(right, theta, features):
        return tuple(2 * one for one in right(theta, features))

    found = turned("gradient", kwise_gap, "automatic_derivatives", wrong)
    assert found == ("supported", "contradicted")
