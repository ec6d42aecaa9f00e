"""Closed forms of one cell against Algorithm 1 itself, and what they tend to."""

import math

import numpy as np
import pytest

from repro.base.notation import privacy_cost
from repro.p4.corruption_floors.one_cell import (
    Certain,
    Strong,
    dpo_at,
    estimation_at,
    greedy_at,
    pessimism_at,
)

COSTS = np.array([1.04, 1.7, 3, 6, 12, 40])


def exponent(floor):
    """Least-squares slope of floor(c)/floor(1) over ε from .05 to 4."""
    ratios = [floor(cost) / floor(1.0) for cost in COSTS]
    return np.polyfit(np.log(COSTS), np.log(ratios), 1)[0]


STRONG = {
    "estimation": lambda who, cost: estimation_at(who, cost, 0.3, 4.0),
    "greedy": lambda who, cost: greedy_at(who, cost, 3.9),
    "pessimism": lambda who, cost: pessimism_at(who, cost, (1e-5, 1.0)),
    "dpo": lambda who, cost: dpo_at(who, cost, 0.88, 1.76, 0.5),
}


@pytest.mark.parametrize("name", STRONG)
def test_exponents_are_within_a_fiftieth_at_the_printed_shares(name):
    """The table of docs/explanations/separation_at_any_size.md."""
    for corruption in (1e-4, 1e-3):
        who = Strong(corruption, 0.9)
        assert exponent(lambda cost, w=who: STRONG[name](w, cost)) == pytest.approx(1, abs=0.01)


def test_at_a_hundredth_the_exponent_is_another_one():
    who = Strong(1e-2, 0.9)
    assert exponent(lambda cost: estimation_at(who, cost, 0.3, 4.0)) > 1.1
    assert math.isnan(pessimism_at(who, 40.0, (1e-5, 1.0)))


def test_even_labels_add_the_third_power_alone():
    """F(Z) = 2·artanh(2Z/m)."""
    for moved in (1e-3, 0.1, 0.4):
        floor = estimation_at(Strong(moved, 1.0), 1.0, 0.0, 30.0)
        assert floor == pytest.approx(2 * math.atanh(2 * moved), rel=1e-12)


def test_the_local_exponent_is_z_over_m_gamma_f():
    moved, truth = 0.05, 0.3
    floors = [estimation_at(Strong(moved * s, 1.0), 1.0, truth, 30.0) for s in (1, 1 + 1e-6)]
    slope = math.log(floors[1] / floors[0]) / math.log1p(1e-6)
    win = 1 / (1 + math.exp(-truth - floors[0]))
    assert slope == pytest.approx(moved / (win * (1 - win) * floors[0]), rel=1e-5)


def test_huber_is_c_over_one_for_even_labels_and_less_for_uneven_ones():
    who, cost = Certain(1e-6), privacy_cost(0.5)
    even, uneven = (
        estimation_at(who, cost, t, 4.0) / estimation_at(who, 1.0, t, 4.0) for t in (0, 1)
    )
    h = math.tanh(0.5)
    assert even == pytest.approx(cost, rel=1e-4)
    assert uneven == pytest.approx((cost + h) / (1 + h), rel=1e-4)
