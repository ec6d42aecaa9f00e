"""Exact two-point lower bounds, by enumeration and in closed form."""

import itertools
import math

import pytest
from scipy import optimize, stats

from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order
from theorems.tightness_private_robust import (
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


CLEAN = HuberReports(EPSILON)
CTL, LTC = (HuberReports(EPSILON, 0.1, order) for order in (Order.CTL, Order.LTC))


@pytest.mark.parametrize(
    ("mean", "reports", "observed"),
    [(0.5, CTL, 0.5 * (0.9 * 0.5 - 0.1)), (0.5, LTC, 0.9 * 0.25 - 0.1), (0.05, CTL, 0.0)],
)
def test_observed_means_by_hand(mean, reports, observed):
    assert observed_mean(mean, reports) == pytest.approx(observed)


def test_floors_by_hand():
    assert mean_floor(2.0, 0.1, Order.CTL) == pytest.approx(1 / 9)
    assert mean_floor(2.0, 0.1, Order.LTC) == pytest.approx(2 / 9)
    assert mean_floor(2e3, 0.1, Order.LTC) == 1.0


def test_no_number_of_labels_beats_the_floor():
    assert two_point_bound(10**9, LTC) == pytest.approx(2 / 9, rel=1e-3)
    assert two_point_bound(10**9, CTL) == pytest.approx(1 / 9, rel=1e-3)


def test_without_corruption_the_bound_is_that_of_a_normal_mean():
    """sup over x of 2x·Φ(−x) in units of c(ε)/√n."""
    best = optimize.minimize_scalar(lambda x: -2 * x * stats.norm.sf(x), bounds=(0, 3))
    expected = -best.fun * 2 / math.sqrt(10**8)
    assert two_point_bound(10**8, CLEAN) == pytest.approx(expected, rel=1e-3)
