"""V_max of Theorems 4.8 and 5.3: the problem of Theorem 6, its numbers and its losses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from repro.labels.preferences.label_law import the_truth
from repro.p2.xpo.spurious_values import SpuriousLearner, SpuriousValues, _Numbers, gaps_of


def world(rounds: int = 100, value: float = 64.0, **changes) -> SpuriousValues:
    values = {"epsilon": 1.0, "horizon": rounds, "value_ratio": value, "kl_weight": 1.0}
    return SpuriousValues(**(values | changes))


def test_a_weight_beyond_that_of_the_theorem_is_refused():
    with pytest.raises(ValueError, match="at most V_max"):
        world(kl_weight=10.0)


@pytest.mark.parametrize("rounds", [2, 3, 10, 1000, 10**6])
def test_the_numbers_of_the_proof(rounds):
    value, count, played = (
        math.log(16 * rounds),
        math.ceil(2 * math.sqrt(rounds)),
        0.5 / rounds**0.5,
    )
    rare = played * math.exp(-value)
    numbers = _Numbers.of(world(rounds, value), SpuriousLearner(), 1.0)
    assert (numbers.count, numbers.played) == (count, played)
    assert 1 + count * played <= 2.5
    found_by_reference = rounds * count * rare
    assert found_by_reference <= 0.1
    all_drawn = rounds * (played + count * rare) / count
    assert found_by_reference + all_drawn <= 0.4
    away = math.log1p(-played) - math.log1p(-rare)
    gap = played * value + (1 - played) * away
    assert played * (value - 1) <= gap <= played * value
    assert (1 - 1 / rounds) * gap >= 0.17 * value / math.sqrt(rounds)


def test_with_any_optimism_at_least_what_the_theorem_says_and_with_none_nothing():
    rng, plain = np.random.default_rng(0), SpuriousLearner()
    gaps = gaps_of(world(), [(plain, one) for one in (0.01, 1.0, 100.0)], rng, 200)
    assert (min(gaps, key=np.mean) >= 0.17 * 64 / 10).mean() > 0.6
    assert gaps_of(world(), [(plain, 0.0)], rng, 20).max() < 1e-12
    assert gaps_of(world(optimism=-1.0), [(plain, 1.0)], rng, 20).max() < 1e-12
    assert gaps_of(world(estimate=the_truth), [(plain, 1.0)], rng, 20).max() == 0


def test_a_capped_class_has_the_same_gap_at_every_value():
    capped = [(SpuriousLearner(capped=True), 1.0)]
    low, high = (gaps_of(world(value=v), capped, np.random.default_rng(1), 50) for v in (64, 4096))
    np.testing.assert_array_equal(low, high)
