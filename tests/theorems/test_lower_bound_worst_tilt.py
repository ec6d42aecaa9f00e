"""The sup over tilts: where it is attained, and what each stage of a case changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.p1.hypercube.learners import (
    mle,
    no_data,
    pessimistic,
    posterior_mean,
)
from repro.p1.hypercube.prior import HypercubePrior, draw_counts
from theorems.lower_bound import Corners, Ladder, risk, worst_risk, worst_rung

LADDER = Ladder(smallest=1e-4, rungs=13, pilot=2000)
WORLD = HypercubePrior(2, 8.0, 0.05, 2.0, math.nan, 1.0)


def case(n_pairs, **stages):
    return Corners(
        n_pairs=n_pairs, epsilon=1.0, num_states=2, coverage=8.0, kl_weight=0.05,
        reward_bound=2.0, ladder=LADDER, **stages,
    )  # fmt: skip


def rng():
    return np.random.default_rng(0)


def test_the_ladder_ends_below_half_the_reward_bound():
    tilts = LADDER.tilts(2.0)
    assert tilts[0] == pytest.approx(1e-4)
    assert 0.9 < tilts[-1] < 1.0
    assert (np.diff(tilts) > 0).all()
    assert case(1).at(12).tilt == tilts[-1]


def test_without_data_the_largest_tilt_is_the_worst():
    assert worst_rung(case(10**6), no_data) == 12


def test_the_bayes_rule_has_an_interior_worst_tilt_that_shrinks_with_n():
    few, many = (worst_rung(case(n), posterior_mean) for n in (10**4, 10**8))
    assert 0 < many < few < 12


def test_risk_of_no_data_is_exact():
    tilt = case(50).at(6).tilt
    expected = 0.05 * math.log(math.cosh(tilt / 0.05 / 2))
    assert risk(case(50), no_data, 6, rng(), 4) == pytest.approx(expected)


def test_an_estimator_that_returns_the_truth_has_no_gap():
    assert worst_risk(case(10**6, estimate=the_truth), mle, rng(), 5).tolist() == [0.0] * 5


def test_fair_coins_teach_nothing():
    few, many = (
        worst_risk(case(n, labels=fair_coins), posterior_mean, rng(), 50).mean()
        for n in (10**5, 10**9)
    )
    assert many >= few > worst_risk(case(10**9), posterior_mean, rng(), 50).mean() * 100


def test_a_randomizer_that_is_off_is_believed_in():
    clean = case(10**8, channel=no_randomizer)
    assert risk(clean, mle, 6, rng(), 50).mean() > 10 * risk(case(10**8), mle, 6, rng(), 50).mean()


def test_the_bonus_is_a_multiple():
    none = risk(case(10**6, pessimism=0.0), pessimistic, 6, rng(), 5)
    assert none.tolist() == risk(case(10**6), mle, 6, rng(), 5).tolist()
    reversed_bonus = risk(case(10**6, pessimism=-1.0), pessimistic, 6, rng(), 5)
    assert (reversed_bonus != risk(case(10**6), pessimistic, 6, rng(), 5)).all()


def test_labels_are_drawn_by_law_and_channel():
    prior = replace(WORLD, tilt=0.9)
    above, below = prior.clean_win_prob

    def shares(**law):
        signs, pairs, wins = draw_counts(prior, rng(), 10**9, 50, **law)
        return [float(wins[signs == v].sum() / pairs[signs == v].sum()) for v in (1, -1)]

    assert shares() == pytest.approx(prior.win_prob(1.0), abs=1e-4)
    assert shares(channel=no_randomizer) == pytest.approx([above, below], abs=1e-4)
    assert shares(labels=fair_coins) == pytest.approx([0.5, 0.5], abs=1e-4)
