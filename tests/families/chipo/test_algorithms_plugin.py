"""Proposition E.1's plug-in policy, its floors and the twins no algorithm can tell apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repro.families.chipo.algorithms_plugin import PluginStudy
from scipy.optimize import minimize_scalar

from repro.corruption.huber_reports import HuberReports, idle_adversary
from repro.corruption.huber_square import reported_mean
from repro.corruption.orders import Order

STUDY = PluginStudy(2, 0.4, 0.5, 10**6, HuberReports(1.0))


def objective(policy, difference, kl_weight):
    kl = policy * math.log(2 * policy) + (1 - policy) * math.log(2 * (1 - policy))
    return difference * policy - kl_weight * kl


def test_the_gap_is_the_loss_of_the_regularised_objective():
    best, used = 1 / (1 + math.exp(-0.4 / 0.5)), 1 / (1 + math.exp(-0.1 / 0.5))
    expected = objective(best, 0.4, 0.5) - objective(used, 0.4, 0.5)
    assert STUDY.gap(np.array([[0.1, 0.1]]))[0] == pytest.approx(expected)


def test_no_policy_does_better_on_the_twins():
    study = PluginStudy(1, 0.4, 0.5, 10**6, HuberReports(1.0, 0.02, Order.LTC))
    twin = study.twin_difference()

    def larger(policy):
        gaps = []
        for difference in (0.4, twin):
            best = 1 / (1 + math.exp(-difference / 0.5))
            gaps.append(objective(best, difference, 0.5) - objective(policy, difference, 0.5))
        return max(gaps)

    found = minimize_scalar(larger, bounds=(0.4, 0.9), method="bounded", options={"xatol": 1e-12})
    assert study.best_worst_gap() == pytest.approx(found.fun, rel=1e-5)


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_the_twins_send_the_same_labels(order):
    study = PluginStudy(1, 0.4, 0.5, 10**6, HuberReports(1.0, 0.02, order))
    clean = np.tanh(np.array(study.twin_difference()) / 2)
    twin = reported_mean(clean, study.reports.cost, 0.02, order, 1.0)
    assert float(twin) == pytest.approx(study.report_mean, abs=1e-14)
    assert study.twin_difference() < 0.4


def test_the_gap_falls_like_one_over_t_without_and_stays_with_corruption():
    rng = np.random.default_rng(0)

    def ratio(**options):
        reports = HuberReports(1.0, options.pop("corruption", 0.0), **options.pop("stages", {}))
        first, last = (
            PluginStudy(2, 0.4, 0.5, t, reports).simulate(rng, 4000, **options).mean()
            for t in (10**8, 10**10)
        )
        return last / first

    assert ratio() == pytest.approx(0.01, rel=0.1)
    assert ratio(corruption=0.01) == pytest.approx(1.0, rel=0.02)
    assert ratio(corruption=0.01, stages={"adversary": idle_adversary}) == pytest.approx(
        0.01, rel=0.1
    )
    assert ratio(removed_cost=1.0) == pytest.approx(1.0, rel=0.02)
    assert ratio(policy_weight=2.0) == pytest.approx(1.0, rel=0.02)
