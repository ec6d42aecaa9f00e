"""Lemmas 3.1 and 3.3 of P2: classes, sequences and inequalities against brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.corruption.huber_reports import HuberReports, coin_tosser
from repro.corruption.orders import Order
from repro.families.losses.algorithms_log_loss import HypercubeStudy, log_likelihood, private_prob
from repro.families.losses.algorithms_square_loss import SquareStudy, predicted_floor
from repro.families.losses.bounds_uniform import log_loss_violated, square_loss_violated
from repro.losses.sequences import (
    LabelSequence,
    draw_sequence,
    packing_class,
    random_class,
)


def test_the_private_probability_is_that_of_the_lemma():
    assert private_prob(0.8, math.log(3)) == pytest.approx(0.5 * 0.8 + 0.25)


@pytest.mark.parametrize("share", [1.0, math.inf])
def test_the_expected_left_side_equals_its_simulation(share):
    study = HypercubeStudy(4, 0.8, 10**6, 1.0)
    h, interior = study.worst_step(share)
    found = study.simulate(share, h, np.random.default_rng(0), 20_000).mean()
    assert interior == (share == 1.0)
    assert found == pytest.approx(study.expected(share, np.array([h]))[0], rel=0.05)


def test_at_one_half_a_naive_likelihood_is_not_caught_and_off_it_it_is():
    rng = np.random.default_rng(1)
    for base, caught in ((0.5, False), (0.8, True)):
        left = [
            HypercubeStudy(4, base, n, 1.0).simulate_grid(math.inf, rng, 200).mean()
            for n in (10**6, 10**8)
        ]
        assert (left[1] / left[0] > 50) == caught


def test_the_grid_choice_maximises_the_likelihood_over_the_whole_grid():
    study = HypercubeStudy(1, 0.8, 500, 1.0)
    rng = np.random.default_rng(4)
    found = study.simulate_grid(1.0, rng, 20)
    wins, pairs = study.draw(np.array([0.8]), np.random.default_rng(4), 20)
    grid = np.linspace(0, 1, 100_001)
    best = grid[np.argmax(log_likelihood(wins, pairs, grid, 1.0), axis=1)]
    assert np.sqrt(found / 500) == pytest.approx(np.abs(best - 0.8), abs=2e-5)


def test_adaptive_inputs_follow_the_labels_and_iid_inputs_do_not():
    win = np.full(8, 0.2)
    win[3] = 0.9
    rng = np.random.default_rng(2)
    adaptive = draw_sequence(rng, win, "adaptive", 805, 20)
    iid = draw_sequence(rng, win, "iid", 805, 20)
    assert (adaptive.inputs == 3).mean() > 0.5
    assert (iid.inputs == 3).mean() == pytest.approx(1 / 8, abs=0.02)
    assert adaptive.positive[adaptive.inputs == 3].mean() == pytest.approx(0.9, abs=0.02)


def test_sums_of_a_short_sequence_by_hand():
    table = np.array([[0.1, 0.2], [0.3, 0.5]])
    inputs, positive = np.array([[0, 1]]), np.array([[True, False]])
    adaptive = LabelSequence(inputs, positive, "adaptive")
    iid = LabelSequence(inputs, positive, "iid")
    assert adaptive.conditional_sums(table)[0] == pytest.approx(np.array([[0.1, 0.3], [0.3, 0.8]]))
    assert iid.conditional_sums(table)[0] == pytest.approx(np.array([[0.15, 0.4], [0.3, 0.8]]))
    excess = adaptive.excess_loss(table, 2 * table)[0]
    assert excess == pytest.approx(np.array([[0.0, 0.2], [0.0, 0.2 + 0.6]]))


@pytest.mark.parametrize("design", ["iid", "adaptive"])
def test_the_log_inequality_holds_and_wrong_likelihoods_break_it(design):
    table = random_class(16)
    win = private_prob(table[0], 1.0)
    seen = draw_sequence(np.random.default_rng(3), win, design, 1500, 60)
    cost = 1 / math.tanh(0.5)
    assert log_loss_violated(seen, table, 1.0, cost, 0.05).mean() < 0.05
    assert log_loss_violated(seen, table, math.inf, cost, 0.05).mean() > 0.9
    assert log_loss_violated(seen, table, 1.0, 1.0, 0.05).mean() > 0.9


def test_the_square_inequality_holds_and_a_loss_without_c_breaks_it():
    means = 2 * packing_class(16) - 1
    seen = draw_sequence(np.random.default_rng(3), (1 + means[0] / 2.2) / 2, "adaptive", 6000, 40)
    assert square_loss_violated(seen, means, 2.2, 2.2, 0.0, 0.05).mean() < 0.05
    assert square_loss_violated(seen, means, 1.0, 2.2, 0.0, 0.05).mean() > 0.9


def test_square_loss_reaches_its_floor_and_a_weak_adversary_does_not():
    for order in (Order.CTL, Order.LTC):
        reports = HuberReports(1.0, 0.05, order)
        study = SquareStudy((0.3, -0.5), 10**11, reports)
        weak = replace(study, reports=replace(reports, adversary=coin_tosser))
        rng = np.random.default_rng(0)
        floor = predicted_floor(study.means, reports.cost, 0.05, order)
        assert study.simulate(rng, 50).mean() == pytest.approx(floor, rel=0.01)
        assert weak.simulate(rng, 50).mean() < 0.2 * floor
        assert study.simulate(rng, 50, removed_cost=1.0).mean() > 2 * floor
    assert predicted_floor((0.3,), 2.0, 0.05, Order.CTL) == pytest.approx(0.065**2)
