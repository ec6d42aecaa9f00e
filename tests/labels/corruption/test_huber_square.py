"""Means of privatised and corrupted labels, by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from repro.labels.corruption.huber_square import reported_mean, worst_bad_mean, worst_bias
from repro.labels.corruption.orders import Order


def simulate(h, keep, alpha, order, bad, rng, size=400_000):
    label = np.where(rng.random(size) < (1 + h) / 2, 1, -1)
    planted = np.where(rng.random(size) < (1 + bad) / 2, 1, -1)
    corrupted = rng.random(size) < alpha
    flip = np.where(rng.random(size) < keep, 1, -1)
    if order is Order.CTL:
        return (np.where(corrupted, planted, label) * flip).mean()
    return np.where(corrupted, planted, label * flip).mean()


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_means_equal_a_label_by_label_simulation(order):
    rng = np.random.default_rng(5)
    found = reported_mean(np.float64(0.4), 2.0, 0.2, order, -1.0)
    assert simulate(0.4, 0.75, 0.2, order, -1.0, rng) == pytest.approx(float(found), abs=0.006)


@pytest.mark.parametrize(("order", "reach"), [(Order.CTL, 1.0), (Order.LTC, 3.0)])
def test_the_worst_bias_is_reached_on_both_sides_and_never_passed(order, reach):
    h = np.linspace(-1, 1, 21)
    bad = np.linspace(-1, 1, 41)[:, None]
    bias = 3.0 * reported_mean(h, 3.0, 0.1, order, bad) - h
    assert np.abs(bias).max(axis=0) == pytest.approx(0.1 * (reach + np.abs(h)))
    assert worst_bias(h, 3.0, 0.1, order) == pytest.approx(0.1 * (reach + np.abs(h)))
    at_worst = 3.0 * reported_mean(h, 3.0, 0.1, order, worst_bad_mean(h)) - h
    assert np.abs(at_worst) == pytest.approx(worst_bias(h, 3.0, 0.1, order))
    assert at_worst.min() < 0 < at_worst.max()
