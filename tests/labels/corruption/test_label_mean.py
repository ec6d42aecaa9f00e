"""The mean of a released label against the law of total probability."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from repro.base.notation import keep_prob, label_signal
from repro.labels.corruption.label_mean import (
    NOBODY,
    LabelMean,
    WorseResponse,
    drawn_mean,
    released_mean,
)
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import (
    AsymmetricResponse,
    bradley_terry,
    fair_coins,
    no_randomizer,
    randomized_response,
)


def by_enumeration(win_prob: float, share: float, order: Order, better: int) -> float:
    """E[z] at ε = 1 over label, adversary and randomizer; the adversary says −better."""
    total, keep = 0.0, keep_prob(1.0)
    for label, ours, flips in itertools.product((1, -1), (True, False), (True, False)):
        prob = win_prob if label == 1 else 1 - win_prob
        prob *= share if ours else 1 - share
        prob *= 1 - keep if flips else keep
        sent = -better if ours and order is Order.CTL else label
        sent = -sent if flips else sent
        total += prob * (-better if ours and order is Order.LTC else sent)
    return total


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
@pytest.mark.parametrize("difference", [0.8, -0.3])
def test_both_orders_by_enumeration(order, difference):
    clean, better = math.tanh(difference / 2), 1 if difference > 0 else -1
    found = released_mean(1.0, randomized_response, WorseResponse(0.1), order)
    mean = found.scale * clean - found.offset * better + found.shift
    assert mean == pytest.approx(by_enumeration((1 + clean) / 2, 0.1, order, better))


def test_randomized_response_alone_is_its_signal_to_the_last_bit():
    for epsilon in (1e-3, 0.1, 1.0, 4.0, math.inf):
        found = released_mean(epsilon, randomized_response, NOBODY, Order.CTL)
        assert found == LabelMean(label_signal(epsilon), 0.0, 0.0)


def test_a_randomizer_dampens_what_was_shifted_before_it():
    """By the law of total probability, whatever the mean in front of it is made of."""
    given, response = LabelMean(0.8, 0.1, 0.2), AsymmetricResponse(0.9, 0.3)
    after = given.through(response, 1.0)
    for clean, better in ((0.5, 1), (-0.2, -1)):
        mean, released = (x.scale * clean - x.offset * better + x.shift for x in (given, after))
        assert released == pytest.approx((1 + mean) / 2 * 0.8 + (1 - mean) / 2 * -0.4)


def test_other_channels():
    silent = released_mean(1.0, no_randomizer, NOBODY, Order.CTL)
    assert (silent.scale, silent.shift) == pytest.approx((1.0, 0.0))
    lopsided = released_mean(1.0, AsymmetricResponse(0.9, 0.3), NOBODY, Order.CTL)
    assert (lopsided.scale, lopsided.shift) == pytest.approx((0.6, 0.2))


def test_an_adversary_on_both_sides():
    signal = label_signal(2.0)
    found = released_mean(2.0, randomized_response, WorseResponse(0.2), Order.CLC)
    assert found.scale == pytest.approx(0.8 * signal * 0.8)
    assert found.offset == pytest.approx(0.2 * signal * 0.8 + 0.2)


def test_laws_of_labels():
    clean = torch.tensor([-0.9, 0.0, 1e-9, 0.5], dtype=torch.float64)
    assert torch.equal(drawn_mean(clean, bradley_terry), clean)
    torch.testing.assert_close(drawn_mean(clean, fair_coins), torch.zeros_like(clean))


def test_orders_are_swapped():
    assert [one.swapped for one in Order] == [Order.LTC, Order.CTL, Order.CLC]
