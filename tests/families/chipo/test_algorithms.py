"""Algorithms 1 and 3 of P2 on their worlds: closed forms against search and simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order
from repro.families.chipo import variants
from repro.families.chipo.algorithms_linear import LinearChipo
from repro.families.chipo.algorithms_offset import OffsetStudy
from repro.families.chipo.algorithms_tabular import ChipoStudy
from repro.families.chipo.quantities import statistical_error
from repro.families.chipo.variants import RIGHT
from repro.families.chipo.worlds import RareGoodArm, margin_differences
from repro.instances.linear import random_linear_world
from repro.preferences.label_law import fair_coins

STUDY = ChipoStudy(RareGoodArm(4, 4.0, 1.0), 10**6, HuberReports(1.0))
OFFSET = (
    variants.private_chipo,
    variants.naive_likelihood,
    variants.epsilon_overstated,
    variants.label_flip,
)


@pytest.mark.parametrize("wins", [350, 500, 520])
def test_the_estimate_minimises_the_mixture_log_loss_and_the_square_loss(wins):
    def win(difference):
        return flip_prob(1.0) + label_signal(1.0) / (1 + np.exp(-difference))

    def log_loss(difference):
        return -(wins * np.log(win(difference)) + (1000 - wins) * np.log(1 - win(difference)))

    def square_loss(difference):
        h, c = np.tanh(difference / 2), privacy_cost(1.0)
        return wins * (h - c) ** 2 + (1000 - wins) * (h + c) ** 2

    found = STUDY.estimate(RIGHT, np.array([(2 * wins - 1000) / 1000]), np.array(0))
    for loss in (log_loss, square_loss):
        best = minimize_scalar(loss, bounds=(-2, 2), method="bounded", options={"xatol": 1e-9}).x
        assert found[0] == pytest.approx(best, abs=1e-4)


def test_quadrature_predicts_the_simulated_gap_of_every_variant():
    for method in (*OFFSET[:3], variants.finite_class):
        worst, interior = STUDY.worst(method.run)
        predicted = STUDY.expected_gaps(method.run, np.array([worst]))[0]
        gaps = STUDY.simulate(method.run, np.array(worst), np.random.default_rng(1), 4000)
        assert interior
        assert gaps.mean() == pytest.approx(predicted, rel=0.03)


def test_flipped_labels_choose_the_worse_response_and_fixed_weights_do_not_learn():
    far = replace(STUDY, n_pairs=10**10)
    assert far.worst(variants.label_flip.run) == (1.0, False)
    for method, ratio in ((variants.private_chipo, 0.01), (variants.fixed_kl_weight, 1.0)):
        v = method.run
        gaps = [s.expected_gaps(v, np.array([s.worst(v)[0]]))[0] for s in (STUDY, far)]
        assert gaps[1] / gaps[0] == pytest.approx(ratio, rel=0.02)


def test_the_tuning_knows_corruption_unless_it_is_adaptive():
    reports = HuberReports(1.0, 0.01, Order.LTC)
    corrupted = replace(STUDY, reports=reports, assumed_order=Order.LTC)
    clean = STUDY.kl_weight(RIGHT)
    assert corrupted.kl_weight(RIGHT) == pytest.approx(clean + 0.01 * privacy_cost(1.0) / 2)
    assert corrupted.kl_weight(variants.adaptive_tuning.run) == clean
    swapped = replace(corrupted, reports=replace(reports, order=Order.CTL))
    assert swapped.kl_weight(RIGHT) == corrupted.kl_weight(RIGHT)


def test_the_error_of_theorem_c1_by_hand():
    error = statistical_error(0.5, np.array([[0.3, 0.5]]), np.array(0.1))
    assert error == pytest.approx([0.5 * (0.04 + 0.16) / 2])


@pytest.mark.parametrize("variant", [method.run for method in OFFSET])
def test_the_offset_estimate_maximises_its_likelihood(variant):
    study = OffsetStudy(10**4, 1.0)
    wins, pairs = np.array([1200.0, 1080.0]), np.array([2200.0, 2250.0])
    epsilon = 1.0 * variant.budget_share
    seen = pairs - wins if variant.sign < 0 else wins

    def loss(x):
        clean = 1 / (1 + np.exp(-(x - np.array([0.0, 0.4]))))
        q = flip_prob(epsilon) + label_signal(epsilon) * clean
        return -(seen * np.log(q) + (pairs - seen) * np.log(1 - q)).sum()

    best = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    assert study.estimate(variant, wins, pairs) == pytest.approx(best, abs=1e-5)


def test_a_clean_likelihood_stays_stuck_on_the_offset():
    late = OffsetStudy(10**9, 1.0)
    rng = np.random.default_rng(0)
    gap = {m.name: late.simulate(m.run, late.worst(m.run)[0], rng, 50).mean() for m in OFFSET[:2]}
    assert gap["private_chipo"] < 1e-4 < 0.1 < gap["naive_likelihood"]


def test_the_linear_study_learns_at_its_worst_size():
    world = random_linear_world(3, 3, 2, kl_weight=0.5, radius=1.0, theta_share=0.6)
    study = LinearChipo(world)
    rng = np.random.default_rng(2)
    _, interior = study.worst_multiple
    gaps = [study.simulate(RIGHT, n, 1.0, rng, 200).mean() for n in (10**6, 10**8)]
    stuck = [
        study.simulate(variants.fixed_kl_weight.run, n, 1.0, rng, 50).mean() for n in (10**6, 10**8)
    ]
    assert interior
    assert gaps[1] / gaps[0] == pytest.approx(0.1, rel=0.15)
    assert stuck[1] / stuck[0] == pytest.approx(1.0, rel=0.05)
    assert float(study.sized(0.3).theta.norm()) == pytest.approx(0.3)
    assert torch.equal(study.sized(0.3).features, world.features)


def test_margin_differences_have_the_stated_distribution():
    drawn, weight = margin_differences(np.random.default_rng(3), (200_000,), 2.0, 1.0)
    assert weight.mean() == pytest.approx(1.0, rel=0.02)
    assert (weight * (drawn <= 0.5)).mean() == pytest.approx(0.25, rel=0.03)


def test_labels_that_know_nothing_are_worst_at_the_largest_rewards():
    """So a gap's rate in n is lost when the labels are, however the ladder is scaled."""
    study = replace(STUDY, reports=HuberReports(1.0, labels=fair_coins))
    assert study.worst(RIGHT) == (1.0, False)
    world = random_linear_world(3, 3, 2, kl_weight=0.5, radius=1.0, theta_share=0.6)
    where, interior = LinearChipo(world, labels=fair_coins).worst_multiple
    assert (interior, where > 100) == (False, True)
