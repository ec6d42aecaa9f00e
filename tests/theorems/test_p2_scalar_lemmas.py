"""P2's scalar lemmas, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
from mpmath import iv
from scipy.special import expit

from repro.core.proofs import decided
from theorems import p2_scalar_lemmas
from theorems.p2_scalar_lemmas import (
    BoundedNumbers,
    inverse_slope,
    largest_on_square,
    largest_over_sum,
)


def test_a_doubled_slope_turns_the_verdict(turned):
    def wrong(right, x, y):
        return 2 * right(x, y)

    found = turned("mean_value", p2_scalar_lemmas, "inverse_slope", wrong)
    assert found == ("supported", "contradicted")


def test_the_stable_form_equals_the_plain_quotient():
    x, y = np.array([0.3, -2.0, 4.0]), np.array([1.0, 1.5, -3.0])
    assert inverse_slope(x, y) == pytest.approx(np.abs(x - y) / np.abs(expit(x) - expit(y)))


def test_the_mean_value_constant_is_reached_at_the_corner():
    assert largest_on_square(2.0) == pytest.approx(math.exp(2) + 2 + math.exp(-2), rel=1e-12)


def test_lemma_c7_has_room_and_its_best_constant_is_where_reported():
    assert largest_over_sum(1.0) / math.exp(2) == pytest.approx(0.5857, abs=1e-4)
    assert largest_over_sum(1.0) / math.e == pytest.approx(1.5921, abs=1e-4)
    assert largest_over_sum(8.0) / math.exp(16) < 0.001


@pytest.mark.parametrize("bound", [1.0, 16.0])
def test_the_normalised_hellinger_distance_is_refuted(bound):
    world = BoundedNumbers(reward_bound=bound)
    assert decided(p2_scalar_lemmas.unnormalised(world)) <= 1 + 1e-9
    assert decided(p2_scalar_lemmas.normalised(world)) > 1.5


def value(*angles):
    claimed = p2_scalar_lemmas.unnormalised(BoundedNumbers(reward_bound=1.0))
    return float(claimed.ratio(*(iv.mpf(x) for x in angles)).mid)


@pytest.mark.parametrize(("p", "q"), [(0.2, 0.7), (0.01, 0.011), (0.5, 0.999)])
def test_hellinger_in_angles(p, q):
    squared = (p**0.5 - q**0.5) ** 2 + ((1 - p) ** 0.5 - (1 - q) ** 0.5) ** 2
    angles = (math.asin(p**0.5), math.asin(q**0.5))
    assert value(*angles) == pytest.approx((p - q) ** 2 / squared)
