"""P3's lemmas about the private covariance, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
import torch

from repro.catalogue.papers import load
from repro.p3.curator.budget import CentralBudget
from repro.p3.curator.reward_and_covariance import covariance_noise, symmetric_part
from repro.p3.objective_perturbation.calibration import printed_constant
from theorems.covariance_lemmas import CovarianceNoise, least_eigenvalue, norms


def test_exponents(exponents):
    assert exponents("excess_printed")["fixed"] == pytest.approx(-1.0, abs=0.1)
    found = exponents("norm_num_features")
    assert found["operator_norm"] == pytest.approx(0.54, abs=0.1)
    assert found["diagonal_noise"] == pytest.approx(0.2, abs=0.1)


NUMBERS = [
    ("excess", {"fixed_over_algebra": 1.0, "noise_of_twice_the_labels": 0.5}),
    ("excess_epsilon", {"fixed_over_algebra": 1.0, "noise_without_epsilon": 1e-3}),
    ("excess_appendix_ridge", {"appendix_ridge": 1.0}),
    ("excess_text_ridge", {"text_ridge": 1.0}),
    ("norm_n_pairs", {"squared_entries": 1.0, "twice_the_log": 2.0}),
]


@pytest.mark.parametrize(("name", "expected"), NUMBERS)
def test_numbers(swept_of, means, name, expected):
    found = means(name, swept_of()[name].sweep.grid[0], 4000)
    for method, number in expected.items():
        assert found[method] == pytest.approx(number, rel=0.08), method


@pytest.mark.parametrize("kind", ["pairs", "rankings", "trajectories"])
@pytest.mark.parametrize("norm", ["gradient", "hessian"])
def test_printed_norms_hold_and_forgetful_ones_do_not(swept_of, measured, norm, kind):
    name = f"{norm}_{kind}"
    found = measured(name, swept_of()[name].sweep.grid[-1], 1, key=(norm,))
    printed, forgetful, *_ = found
    assert printed == "printed"
    assert found["printed"] <= 1 + 1e-9
    assert found[forgetful] > 1.5


def test_the_ridge_keeps_the_covariance_definite(means):
    covers = means("ridge_covers", 32)
    assert covers["uncovered"] == 0 < covers["uncovered_small_ridge"]
    definite = means("indefinite", 32)
    assert definite["indefinite"] == 0 < definite["indefinite_small_ridge"]


def test_the_least_constant_near_eta_one_is_worked_out_by_hand(swept_of):
    """At d = 8, Σ = 0: 1 − η = (3/4)^8, the quartile of N(0, 1), and λ/σ = C√(8·ln(1/η))/8."""
    world, *_ = swept_of()["eta_near_one_printed"].sweep.worlds
    least = 0.674490 * 8 / math.sqrt(8 * -math.log(1 - 0.75**8))
    assert world.least_constant == pytest.approx(least, rel=1e-5)
    assert f"{least:.3f}" in load().items["p3.lem_a_9"].counterexample
    noise = covariance_noise(np.random.default_rng(5), 4000, 8)
    ridge = 0.674490 * torch.eye(8, dtype=torch.float64)
    definite = torch.linalg.eigvalsh(symmetric_part(noise) + ridge)[:, 0] > 0
    assert definite.double().mean() < 0.75**8


@pytest.mark.parametrize("failure_prob", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("num_features", [1, 4, 32])
def test_one_constant_is_enough_below_one_half(num_features, failure_prob):
    """Davidson and Szarek's ‖G‖ ≤ σ(2√d + √(2·log(1/η))) asks for no C above 61.1."""
    assert printed_constant(num_features, failure_prob) < 61.1


def test_symmetric_part_halves_the_squared_norm(means):
    assert means("symmetric_gain", 64)["gain"] == pytest.approx(1, abs=0.05)


def test_epsilon_above_one_is_refused(refused):
    refused(
        r"^theorem.worlds.no_covariance.epsilon=1.5: allowed: at most 1",
        "theorem.worlds.no_covariance.epsilon=1.5",
    )


def test_noise_over_the_root_of_n_turns_the_verdict(turned):
    def wrong(right, self, n):
        return math.sqrt(n) * right(self, n)

    found = turned("excess", CentralBudget, "covariance_std", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")


def test_the_least_eigenvalue_and_operator_norms_of_large_noise():
    rng, world = np.random.default_rng(5), CovarianceNoise(num_features=100)
    found = norms(world, rng, 20)
    assert found.whole.mean() == pytest.approx(2 * math.sqrt(100), rel=0.05)
    assert found.symmetric.mean() == pytest.approx(math.sqrt(2 * 100), rel=0.05)
    least = least_eigenvalue(world, rng, 20)
    assert float(least.mean()) == pytest.approx(-math.sqrt(2 * 100), rel=0.05)


def test_a_9_fails_exactly_where_the_least_eigenvalue_says():
    """Σ̃+λI − (Σ+λI/2) = G + λI/2, whatever Σ."""
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((4, 4))
    symmetric, root = (noise + noise.T) / 2, rng.standard_normal((4, 4))
    covariance, ridge = root @ root.T, 3.0
    margin = covariance + symmetric + ridge * np.eye(4) - (covariance + ridge / 2 * np.eye(4))
    least = torch.linalg.eigvalsh(torch.from_numpy(symmetric))[0]
    assert (np.linalg.eigvalsh(margin)[0] < 0) == bool(least < -ridge / 2)
