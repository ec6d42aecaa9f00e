"""The stages of a corrupted report, against the printed formula and label by label."""

from __future__ import annotations

import numpy as np
import pytest

from repro.labels.corruption.huber_reports import HuberReports, coin_tosser, idle_adversary
from repro.labels.corruption.huber_square import reported_mean, worst_bad_mean
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import AsymmetricResponse, fair_coins, no_randomizer

MEANS = np.array([-0.7, -1e-13, 0.0, 1e-13, 0.4])
ORDERS = pytest.mark.parametrize("order", [Order.CTL, Order.LTC])


@ORDERS
def test_the_printed_stages_give_the_printed_formula_bit_for_bit(order):
    reports = HuberReports(1.0, 0.1, order)
    printed = reported_mean(MEANS, reports.cost, 0.1, order, worst_bad_mean(MEANS))
    assert np.array_equal(reports.mean(MEANS), printed)


@ORDERS
def test_an_idle_adversary_leaves_privatised_labels(order):
    reports = HuberReports(1.0, 0.1, order, adversary=idle_adversary)
    assert reports.mean(MEANS) == pytest.approx(MEANS / reports.cost)


@ORDERS
def test_a_coin_tosser_shrinks_means(order):
    reports = HuberReports(1.0, 0.1, order, adversary=coin_tosser)
    assert reports.mean(MEANS) == pytest.approx(0.9 * MEANS / reports.cost)


@ORDERS
def test_without_a_randomizer_both_orders_are_one(order):
    reports = HuberReports(1.0, 0.1, order, channel=no_randomizer)
    assert reports.mean(MEANS) == pytest.approx(0.9 * MEANS + 0.1 * worst_bad_mean(MEANS))


@ORDERS
def test_labels_that_know_nothing_leave_the_adversary_alone(order):
    reports = HuberReports(1.0, 0.1, order, labels=fair_coins)
    expected = 0.1 * worst_bad_mean(MEANS) * reports.reach / reports.cost
    assert reports.mean(MEANS) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # mean of y is 0.4, of the channel 0.3 + 0.5·p to +1; the adversary reports −1
        (Order.CTL, 2 * (0.3 + 0.5 * (0.9 * 0.7)) - 1),
        (Order.LTC, 0.9 * (2 * (0.3 + 0.5 * 0.7) - 1) - 0.1),
    ],
)
def test_an_asymmetric_channel_by_hand(order, expected):
    reports = HuberReports(1.0, 0.1, order, channel=AsymmetricResponse(0.8, 0.3))
    assert float(reports.mean(np.array(0.4))) == pytest.approx(expected)
