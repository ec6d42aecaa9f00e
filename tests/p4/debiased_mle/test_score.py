"""Claims E.1 to E.4 by hand, and their wrong versions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import expit
from scipy.stats import chi2

from repro.base.notation import flip_prob, privacy_cost
from repro.labels.corruption.orders import Order
from repro.p4.adversaries.adversary import NONE, STRONG
from repro.p4.debiased_mle.labels import LabelsOfCells
from repro.p4.debiased_mle.score import (
    CorruptedScore,
    ScoreNoise,
    corruption_term,
    noise_failure,
)
from repro.p4.label_cells.pairs import pair_world, random_pair_world

RNG = np.random.default_rng


def noise(features: int, constant: float, weighted: bool, n_pairs: int = 10**6) -> float:
    world = ScoreNoise(n_pairs=n_pairs, num_features=features, constant=constant)
    return noise_failure(world, constant, weighted)


def test_claim_e1_fails_as_often_as_chi_square_says():
    """C = 1, d = 8: P(χ²_8 > 8 + ln 20)."""
    assert noise(8, 1.0, True) == pytest.approx(chi2.sf(8 + math.log(20), 8), rel=1e-3)
    assert noise(8, 3**0.5, True) < 0.01


@pytest.mark.slow
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


def score(order="LTC", adversary=STRONG, epsilon=1.0, **more):
    return CorruptedScore(
        epsilon=epsilon, corruption=0.1, adversary=adversary, order=Order(order),
        reward_bound=6.0, **more,
    )  # fmt: skip


def losses(epsilon):
    """The share of the cell's reports that is −1."""
    return 1 - (flip_prob(epsilon) + expit(-6.0) / privacy_cost(epsilon))


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, math.inf])
@pytest.mark.parametrize("order", ["LTC", "CTL"])
def test_claims_e2_and_e4_by_hand(order, epsilon):
    """Every corrupted label adds ζ: c(ε) behind the randomizer, 1 in front of it."""
    worth = privacy_cost(epsilon) if order == "LTC" else 1.0
    assert corruption_term(score(order, epsilon=epsilon), None, 1) == pytest.approx(0.1 * worth)
    weighted = corruption_term(score(order, epsilon=epsilon, ridge=1e-12), None, 1)
    assert weighted == pytest.approx(worth * (0.1 * losses(epsilon)) ** 0.5)
    assert weighted <= worth * 0.1**0.5
    assert corruption_term(score(order, NONE, epsilon), None, 1) == 0


def test_features_of_norm_2_double_e4():
    assert corruption_term(score(length=2.0), None, 1) == pytest.approx(0.2 * privacy_cost(1.0))


def test_all_of_the_losses_are_turned_where_they_are_fewer_than_the_budget():
    """The cell has the mass α, and a share keep_prob of its reports, nearly, is −1."""
    tensors = (torch.tensor(x, dtype=torch.float64) for x in ([[1.0]], [0.1], [-6.0]))
    tight = LabelsOfCells.of(score(), pair_world(*tensors, 6.0))
    reached = corruption_term(replace(tight, ridge=1e-12), None, 1)
    assert reached == pytest.approx(privacy_cost(1.0) * 0.1**0.5 * losses(1.0))


@pytest.mark.some(8)
@pytest.mark.parametrize("seed", range(30))
def test_claims_e2_and_e4_in_random_cells(seed):
    """Whatever the strong adversary does there is some b of the claims."""
    cells = random_pair_world(4, 2, 2.0, seed)
    for ridge, bound in ((None, 0.1), (1e-12, 0.1**0.5)):
        labels = LabelsOfCells(
            epsilon=1.0, corruption=0.1, adversary=STRONG, world=cells, ridge=ridge
        )
        assert 0 < corruption_term(labels, None, 1) <= privacy_cost(1.0) * bound * (1 + 1e-9)
