"""P3's error of objective perturbation, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest

from repro.p3.curator import learning

ERROR = [
    ("n_pairs", {"private_mle": -0.5, "text_ridge": -0.25, "loose_solver": 0.0}),
    ("n_pairs_benign", {"private_mle": -1.0, "loose_solver": 0.0}),
    ("n_pairs_scales", {"private_mle": -0.5, "root_n_noise": -0.25}),
    ("optimizer_tol", {"private_mle": -0.5, "between_the_tolerances": -0.25}),
    ("epsilon", {"private_mle": -0.5, "budget_ignored": 0.0}),
    ("num_features", {"private_mle": 0.25, "ridge_of_one_feature": 0.0}),
    ("log_inverse_delta", {"private_mle": 0.25, "delta_ignored": 0.0}),
]


@pytest.mark.parametrize(("name", "expected"), ERROR)
def test_exponents(exponents, name, expected):
    found = exponents(name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.12), method


STEPS = ["strong_convexity", "growth", "ridge_convexity", "ridge_step", "noise_step", "output_step"]


@pytest.mark.parametrize("name", STEPS)
def test_steps_hold_as_corrected_and_fail_as_printed(swept_of, measured, name):
    checks = swept_of()
    right, wrong = measured(name, checks[name].sweep.grid[-1], 60, key=(name,)).values()
    limit = 0.05 if name == "noise_step" else 1 + 1e-9
    assert right.max() <= limit
    assert (wrong.mean() if name == "noise_step" else wrong.max()) > limit
    printed = checks.get(f"{name}_printed")
    assert printed is None or printed.check.right is checks[name].check.wrong[0]


def test_epsilon_above_one_is_refused(refused):
    refused(r"^epsilon=2: allowed: at most 1 .input of P3", epsilon=2.0)


def test_a_stricter_budget_asks_for_as_many_times_more_labels(swept_of):
    half, whole = swept_of(epsilon=0.5)["n_pairs"], swept_of()["n_pairs"]
    assert half.sweep.grid == tuple(2 * n for n in whole.sweep.grid)


@pytest.mark.parametrize(("stage", "instead"), [("labels", "fair_coins"), ("noise", "no_noise")])
def test_a_replaced_stage_reaches_the_measurement(with_and_without, stage, instead):
    plain, other = with_and_without("n_pairs", stage, instead, "private_mle")
    assert plain != pytest.approx(other, rel=0.01)


def test_who_knows_the_truth_makes_no_error(of_the_truth):
    found = of_the_truth("n_pairs_scales", "private_mle")
    assert found == pytest.approx(np.zeros(5), abs=1e-15)


def test_noise_over_the_root_of_n_turns_the_verdict(turned):
    def wrong(right, loss, n, *noise):
        return right(loss, math.sqrt(n), *noise)

    found = turned("n_pairs_scales", learning, "private_mle", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")
