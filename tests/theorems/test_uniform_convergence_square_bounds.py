"""Lemma 3.3 of P2: its inequality and its floor against simulation, its bias against a proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mpmath import iv

from repro.base.notation import epsilon_of_cost
from repro.core.proofs import decided
from repro.labels.corruption.huber_square import reported_mean
from repro.labels.corruption.orders import Order
from theorems.uniform_convergence_square import (
    Inputs,
    MeanSequences,
    Share,
    both_sides,
    error,
    predicted_floor,
    reach_one_under_ltc,
    seen,
    square_loss,
    violated,
    weak_adversary,
    without_privacy_cost,
)


def test_the_square_inequality_holds_and_a_loss_without_c_breaks_it():
    world = MeanSequences(
        epsilon=epsilon_of_cost(2.2), corruption=0.0, claimed_order=Order.CTL, horizon=6000,
        class_size=16, members="packing", design="adaptive", failure_prob=0.05,
    )  # fmt: skip
    sequence = seen(world, np.random.default_rng(3), 40)
    assert violated(world, square_loss, sequence, 40).mean() < 0.05
    assert violated(world, without_privacy_cost, sequence, 40).mean() > 0.9


def test_square_loss_reaches_its_floor_and_a_weak_adversary_does_not():
    for order in (Order.CTL, Order.LTC):
        world = Inputs(
            epsilon=1.0, corruption=0.05, order=order, claimed_order=order, n_pairs=10**11,
            means=(0.3, -0.5),
        )  # fmt: skip
        rng = np.random.default_rng(0)
        floor = predicted_floor(world)
        assert error(world, square_loss, rng, 50).mean() == pytest.approx(floor, rel=0.01)
        assert error(world, weak_adversary, rng, 50).mean() < 0.2 * floor
        assert error(world, without_privacy_cost, rng, 50).mean() > 2 * floor
    early = replace(world, claimed_order=Order.CTL, means=(0.3,))
    assert predicted_floor(early) == pytest.approx(0.065**2)


def test_both_orders_are_proved_and_a_reach_free_of_c_is_refuted():
    assert 0 < decided(both_sides(Share(corruption=0.1))) <= 1 + 1e-9
    assert decided(reach_one_under_ltc(Share(corruption=0.1))) > 1


@pytest.mark.parametrize("point", [(-1.0, 1.0, 0.3), (0.4, -0.2, 0.8), (0.9, 0.1, 0.05)])
@pytest.mark.parametrize(("claim", "free"), [(both_sides, False), (reach_one_under_ltc, True)])
def test_the_ratio_is_that_of_reported_means(point, claim, free):
    h, b, s = point
    alpha, cost = 0.1, 1 / s
    bounds = {Order.CTL: 2 * alpha, Order.LTC: (2 if free else cost + 1) * alpha}
    off = {
        order: abs(cost * float(reported_mean(h, cost, alpha, order, b)) - h) for order in bounds
    }
    expected = max(off[order] / bounds[order] for order in bounds)
    found = claim(Share(corruption=alpha)).ratio(*(iv.mpf(x) for x in point))
    assert float(found.mid) == pytest.approx(expected)
