"""Proposition E.1's plug-in policy, its floors and the twins no algorithm can tell apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import repro
from repro.base.errors import BadInput
from repro.labels.corruption.huber_reports import idle_adversary
from repro.labels.corruption.huber_square import reported_mean
from repro.labels.corruption.orders import Order
from theorems.fast_rate_offline import (
    Tabular,
    inverted_kl_weight,
    least_of_any,
    naive_likelihood,
    plugin,
    twin,
)


def tabular(num_states=1, **fields):
    usual = {"difference": 0.4, "kl_weight": 0.5, "horizon": 10**6, "claimed_order": Order.CTL}
    return Tabular(epsilon=1.0, num_states=num_states, **{**usual, **fields})


def objective(policy, difference, kl_weight):
    kl = policy * math.log(2 * policy) + (1 - policy) * math.log(2 * (1 - policy))
    return difference * policy - kl_weight * kl


def test_the_gap_is_the_loss_of_the_regularised_objective():
    best, used = 1 / (1 + math.exp(-0.4 / 0.5)), 1 / (1 + math.exp(-0.1 / 0.5))
    expected = objective(best, 0.4, 0.5) - objective(used, 0.4, 0.5)
    assert tabular(2).gap(np.array([[0.1, 0.1]]))[0] == pytest.approx(expected)


def test_no_policy_does_better_on_the_twins():
    world = tabular(corruption=0.02, order=Order.LTC)
    other = twin(world)

    def larger(policy):
        gaps = []
        for difference in (0.4, other):
            best = 1 / (1 + math.exp(-difference / 0.5))
            gaps.append(objective(best, difference, 0.5) - objective(policy, difference, 0.5))
        return max(gaps)

    found = minimize_scalar(larger, bounds=(0.4, 0.9), method="bounded", options={"xatol": 1e-12})
    least = least_of_any(world)
    assert least == pytest.approx(found.fun, rel=1e-5)


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_the_twins_send_the_same_labels(order):
    world = tabular(corruption=0.02, order=order)
    clean, own = np.tanh(np.array([twin(world), 0.4]) / 2)
    reported = reported_mean(clean, world.reports.cost, 0.02, order, 1.0)
    assert float(reported) == pytest.approx(float(world.reports.mean(own)), abs=1e-14)
    assert twin(world) < 0.4


def test_the_gap_falls_like_one_over_t_without_and_stays_with_corruption():
    rng = np.random.default_rng(0)

    def ratio(algorithm=plugin, **fields):
        first, last = (
            algorithm(tabular(2, horizon=horizon, **fields), rng, 4000).mean()
            for horizon in (10**8, 10**10)
        )
        return last / first

    assert ratio() == pytest.approx(0.01, rel=0.1)
    assert ratio(corruption=0.01) == pytest.approx(1.0, rel=0.02)
    assert ratio(corruption=0.01, adversary=idle_adversary) == pytest.approx(0.01, rel=0.1)
    assert ratio(naive_likelihood) == pytest.approx(1.0, rel=0.02)
    assert ratio(inverted_kl_weight) == pytest.approx(1.0, rel=0.02)


def test_a_printed_rate_is_supported_where_corruption_is_below_the_noise():
    grid = "theorem.sweeps.printed_floor_ctl.grid=[1e5,1e6,1e7,1e8]"
    run = repro.run(
        "fast_rate_offline", only=["printed_floor_ctl"], budget="smoke",
        overrides=["theorem.worlds.ctl.corruption=1e-7", grid],
    )  # fmt: skip
    (check,) = run.result.checks
    assert check.verdict == "supported"
    assert check.outcome.numbers["slope"] == pytest.approx(-1, abs=0.05)


def test_the_floor_under_ltc_is_not_what_privacy_leaves_by_itself():
    """Privacy alone leaves a gap ∝ c(ε)², too: an interval by chance inside the margin."""
    matrix = repro.ablate("fast_rate_offline", only=["floor_privacy_cost_ltc"])
    assert matrix.complaints == ()
    assert "adversary" in matrix.needs["floor_privacy_cost_ltc"]


def test_a_twin_needs_room_for_its_labels():
    with pytest.raises(BadInput, match="corruption"):
        twin(tabular(corruption=0.3, order=Order.LTC))


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
@pytest.mark.parametrize("bad_mean", [-1.0, 0.2, 1.0])
def test_a_bad_distribution_that_ignores_the_order_of_a_pair_cancels(order, bad_mean):
    """The other reading of docs/explanations/fast_rates_and_corruption.md."""
    mean, cost, share = np.float64(0.3), 2.2, 0.1

    def counted(reversed_bad_mean):
        as_shown = reported_mean(mean, cost, share, order, bad_mean)
        return (as_shown - reported_mean(-mean, cost, share, order, reversed_bad_mean)) / 2

    assert counted(bad_mean) == pytest.approx((1 - share) * mean / cost)
    assert counted(-bad_mean) != pytest.approx((1 - share) * mean / cost)
    fair_coins = reported_mean(mean, cost, share, order, 0.0)
    assert fair_coins == pytest.approx(reported_mean((1 - share) * mean, cost, 0.0, order, 0.0))
