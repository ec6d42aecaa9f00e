"""The proof of the bias against the code that computes it."""

import pytest
from mpmath import iv

from repro.corruption.huber_square import reported_mean
from repro.corruption.orders import Order
from repro.families.losses.proofs_bias import both_sides, reach_one_under_ltc
from repro.study.proofs import decided


def test_both_orders_are_proved_and_a_reach_free_of_c_is_refuted():
    assert 0 < decided(both_sides.run(0.1)) <= 1 + 1e-9
    assert decided(reach_one_under_ltc.run(0.1)) > 1


@pytest.mark.parametrize("point", [(-1.0, 1.0, 0.3), (0.4, -0.2, 0.8), (0.9, 0.1, 0.05)])
@pytest.mark.parametrize(("method", "free"), [(both_sides, False), (reach_one_under_ltc, True)])
def test_the_ratio_is_that_of_reported_means(point, method, free):
    h, b, s = point
    alpha, cost = 0.1, 1 / s
    bounds = {Order.CTL: 2 * alpha, Order.LTC: (2 if free else cost + 1) * alpha}
    off = {
        order: abs(cost * float(reported_mean(h, cost, alpha, order, b)) - h) for order in bounds
    }
    expected = max(off[order] / bounds[order] for order in bounds)
    found = method.run(alpha).ratio(*(iv.mpf(x) for x in point))
    assert float(found.mid) == pytest.approx(expected)
