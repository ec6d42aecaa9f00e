"""Claims E.1 to E.4 by hand, and their wrong versions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from repro.adversaries.adversary import NONE, STRONG
from repro.debiased_mle.score import (
    CorruptedScore,
    ScoreNoise,
    corruption_term_ratio,
    noise_failure,
)

RNG = np.random.default_rng


def noise(features: int, constant: float, weighted: bool, n_pairs: int = 10**6) -> float:
    world = ScoreNoise(n_pairs=n_pairs, num_features=features, constant=constant)
    return noise_failure(world, constant, weighted)


def test_claim_e1_fails_as_often_as_chi_square_says():
    """C = 1, d = 8: P(χ²_8 > 8 + ln 20)."""
    assert noise(8, 1.0, True) == pytest.approx(chi2.sf(8 + math.log(20), 8), rel=1e-3)
    assert noise(8, 3**0.5, True) < 0.01


def test_claim_e3_is_free_of_d():
    assert noise(16, 3**0.5, False) < 1e-3
    assert noise(1, 3**-0.5, False) > 0.2


@pytest.mark.parametrize(("features", "weighted"), [(1, False), (3, True), (5, True)])
def test_the_exact_chance_against_draws(features, weighted):
    n_pairs, constant = 40 * features, 0.8
    total = 2.0 * RNG(0).binomial(40, 0.5, size=(10**5, features)) - 40
    dim = features if weighted else 1
    bound = constant**2 * (dim + math.log(20)) / n_pairs
    drawn = (((total / n_pairs) ** 2 * dim).sum(axis=1) > bound).mean()
    assert noise(features, constant, weighted, n_pairs) == pytest.approx(drawn, abs=0.006)


def test_odd_sums_are_rounded_down():
    assert noise(2, 1.0, True, 43) == noise(2, 1.0, True, 40)


def score(length, ridge, adversary=STRONG):
    world = CorruptedScore(corruption=0.1, adversary=adversary)
    return corruption_term_ratio(world, RNG(0), 10, length, ridge)


@pytest.mark.parametrize("ridge", [None, 1e-12])
def test_claims_e2_and_e4_are_attained(ridge):
    assert score(1.0, ridge) == pytest.approx(np.ones(10), abs=1e-6)
    assert score(1.0, ridge).max() <= 1 + 1e-9
    assert (score(1.0, ridge, NONE) == 0).all()


def test_features_of_norm_2_double_e4():
    assert score(2.0, None) == pytest.approx(2 * np.ones(10))
