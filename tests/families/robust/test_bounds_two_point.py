"""Exact two-point lower bounds, by enumeration and in closed form."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

from repro.families.robust.bounds_two_point import (
    debiased_mean_error,
    mean_floor,
    observed_mean,
    overlap,
    two_point_bound,
)

EPSILON = math.log(3)  # keeps half of the signal


@pytest.mark.parametrize("n_pairs", [1, 2, 5, 6])
def test_overlap_by_enumeration(n_pairs):
    plus, minus = 0.7, 0.3
    total = 0.0
    for labels in itertools.product((True, False), repeat=n_pairs):
        laws = [math.prod(q if label else 1 - q for label in labels) for q in (plus, minus)]
        total += min(laws)
    assert overlap(n_pairs, 0.4) == pytest.approx(total)


@pytest.mark.parametrize(
    ("mean", "order", "observed"),
    [(0.5, "ctl", 0.5 * (0.9 * 0.5 - 0.1)), (0.5, "ltc", 0.9 * 0.25 - 0.1), (0.05, "ctl", 0.0)],
)
def test_observed_means_by_hand(mean, order, observed):
    assert observed_mean(mean, EPSILON, 0.1, order) == pytest.approx(observed)


def test_floors_by_hand():
    assert mean_floor(EPSILON, 0.1, "ctl") == pytest.approx(1 / 9)
    assert mean_floor(EPSILON, 0.1, "ltc") == pytest.approx(2 / 9)
    assert mean_floor(1e-3, 0.1, "ltc") == 1.0


def test_no_number_of_labels_beats_the_floor():
    assert two_point_bound(10**9, EPSILON, 0.1, "ltc") == pytest.approx(2 / 9, rel=1e-3)
    assert two_point_bound(10**9, EPSILON, 0.1, "ctl") == pytest.approx(1 / 9, rel=1e-3)


def test_without_corruption_the_bound_is_that_of_a_normal_mean():
    """sup over x of 2x·Φ(−x) in units of c(ε)/√n."""
    best = optimize.minimize_scalar(lambda x: -2 * x * stats.norm.sf(x), bounds=(0, 3))
    expected = -best.fun * 2 / math.sqrt(10**8)
    assert two_point_bound(10**8, EPSILON, 0.0, "ctl") == pytest.approx(expected, rel=1e-3)


def test_the_debiased_mean_does_not_beat_the_bound_and_is_near_it():
    rng = np.random.default_rng(0)
    error = debiased_mean_error(rng, 10**6, EPSILON, 0.0, "ctl", 20_000).mean()
    bound = two_point_bound(10**6, EPSILON, 0.0, "ctl")
    assert bound < error < 4 * bound


@pytest.mark.parametrize(("order", "bias"), [("ctl", 0.1), ("ltc", 0.2)])
def test_bias_of_the_debiased_mean(order, bias):
    error = debiased_mean_error(np.random.default_rng(0), 10**10, EPSILON, 0.1, order, 50)
    assert error == pytest.approx(bias, abs=1e-3)
