"""Exact quantiles of the private MLE's error against brute force, and Theorem 5b's algebra."""

import math

import numpy as np
from scipy import stats

from repro.labels.preferences.label_information import inverse_information, one_less_affinity
from repro.p1.corrected_gap import quantiles as quantile
from repro.p1.corrected_gap.quantiles import PairsAtDelta
from tests.at_each import at_each


def errors_by_hand(case):
    """|Δ̂ − Δ| of every number of wins, and its chance."""
    wins = np.arange(case.pairs + 1)
    chance = stats.binom.pmf(wins, case.pairs, case._fits(case.difference))
    keep = 1 / (1 + math.exp(-case.epsilon))
    clean = np.clip((wins / case.pairs - (1 - keep)) / (2 * keep - 1), 1e-300, 1 - 1e-16)
    found = np.clip(np.log(clean / (1 - clean)), -case.reward_bound, case.reward_bound)
    return np.abs(found - case.difference), chance


@at_each("pairs", [1, 2, 7, 60, 500])
@at_each("difference", [-1.5, 0.2, 2.0])
def test_the_quantile_is_that_of_the_binomial_law(pairs, difference):
    case = PairsAtDelta(2.0, 1.0, difference, pairs, 2.0)
    errors, chance = errors_by_hand(case)
    beyond = chance[errors > case.quantile * (1 + 1e-9) + 1e-9].sum()
    below = chance[errors > case.quantile * (1 - 1e-6) - 1e-6].sum()
    assert beyond <= math.exp(-2.0) + 1e-12
    assert below >= math.exp(-2.0) - 1e-9


def test_the_bound_holds_and_is_at_most_twice_too_large():
    rng = np.random.default_rng(1)
    found = [
        quantile.within_bound(quantile.any_pairs(logs, rng))
        for logs in (0.7, 5.0, 50.0, 300.0)
        for _ in range(100)
    ]
    assert max(found) <= 0.5 + 1e-3
    assert max(found) > 0.4


def test_divergence_is_above_the_squared_error():
    """KL(p′‖p) ≥ −2·log ρ ≥ 2(1 − ρ) ≥ h²/(4W(B)), step by step."""
    rng = np.random.default_rng(2)
    for _ in range(2000):
        bound = 10 ** rng.uniform(-1, 0.9)
        case = PairsAtDelta(bound, 10 ** rng.uniform(-1, 1), rng.uniform(-1, 1) * bound, 1, 1.0)
        other = rng.uniform(-1, 1) * bound
        p, q = case._fits(other), case._fits(case.difference)
        kl = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
        lost = one_less_affinity(other, case.difference, case.epsilon)
        spread = inverse_information(bound, case.epsilon)
        assert kl >= -2 * math.log1p(-lost) - 1e-12
        assert 2 * lost >= (other - case.difference) ** 2 / (4 * spread) * (1 - 1e-9)
