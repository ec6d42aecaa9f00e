"""P3's lemmas about the private covariance, and what happens when its implementation is broken."""

import math

import pytest

from repro.families.central.algorithms_budget import CentralBudget

COVARIANCE = [
    ("excess", {"fixed": -1.0, "root_n_noise": -0.5}),
    ("excess_printed", {"fixed": -1.0}),
    ("excess_epsilon", {"fixed": -1.0, "noise_without_epsilon": 0.0}),
    ("excess_appendix_ridge", {"appendix_ridge": 0.0, "text_ridge": -0.5}),
    ("norm_n_pairs", {"operator_norm": -1.0, "root_n_noise": -0.5}),
    ("norm_num_features", {"operator_norm": 0.54, "diagonal_noise": 0.2}),
]


@pytest.mark.parametrize(("name", "expected"), COVARIANCE)
def test_exponents(exponents, name, expected):
    found = exponents(name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.1), method


@pytest.mark.parametrize("kind", ["pairs", "rankings", "trajectories"])
@pytest.mark.parametrize("norm", ["gradient", "hessian"])
def test_printed_norms_hold_and_forgetful_ones_do_not(trials_of, measured, norm, kind):
    trial = trials_of()[f"{norm}_{kind}"]
    found = measured(trial.row.name, trial.grid[-1], 5, key=(norm,))
    assert found["printed"].max() <= 1 + 1e-12
    assert found[trial.methods[1].name].max() > 1.5


def test_the_ridge_keeps_the_covariance_definite(means):
    covers = means("ridge_covers", 8)
    assert covers["uncovered"] == 0 < covers["uncovered_small_ridge"]
    definite = means("indefinite", 8)
    assert definite["indefinite"] == 0 < definite["indefinite_without_ridge"]


def test_symmetric_part_halves_the_squared_norm(means):
    assert means("symmetric_gain", 64)["gain"] == pytest.approx(1, abs=0.05)


def test_epsilon_above_one_is_refused(refused):
    refused(
        r"^theorem.probes.excess.epsilon=1.5: allowed: at most 1",
        "theorem.probes.excess.epsilon=1.5",
    )


def test_noise_over_the_root_of_n_turns_the_verdict(turned):
    def wrong(right, self, n):
        return math.sqrt(n) * right(self, n)

    found = turned("excess", CentralBudget, "covariance_std", wrong)
    assert found == ("supported", "contradicted")
