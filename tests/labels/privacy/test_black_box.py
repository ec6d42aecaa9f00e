from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from repro.labels.privacy import black_box
from repro.labels.privacy.black_box import (
    Attack,
    Counts,
    certified_epsilon,
    choose_attack,
    threshold_attack,
)
from repro.labels.privacy.channels import ChannelMechanism, randomized_response
from repro.labels.privacy.clopper_pearson import lower, upper
from repro.labels.privacy.gaussian import GaussianShift


def test_bounds_are_clopper_and_pearsons():
    for hits, trials in ((0, 20), (1, 20), (7, 20), (19, 20), (20, 20), (1, 1)):
        interval = stats.binomtest(hits, trials).proportion_ci(0.9, method="exact")
        assert lower(hits, trials, 0.95) == pytest.approx(interval.low)
        assert upper(hits, trials, 0.95) == pytest.approx(interval.high)


def test_certified_epsilon_by_hand():
    counts = Counts(90, 100, 10, 100)
    wanted = math.log((lower(90, 100, 0.975) - 0.01) / upper(10, 100, 0.975))
    assert certified_epsilon(counts, 0.01) == pytest.approx(wanted)
    assert certified_epsilon(counts.reversed(), 0.01) == 0.0
    assert certified_epsilon(Counts(0, 100, 0, 100)) == 0.0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_bound_is_below_and_near_the_truth(epsilon):
    rng = np.random.default_rng(0)
    channel = ChannelMechanism.of(randomized_response(epsilon))
    one, other = (channel.scores(rng, side, 200_000) for side in (False, True))
    found = threshold_attack(one, other)
    assert 0.9 * epsilon - 0.02 < found <= epsilon


def test_a_gaussian_is_caught_when_its_noise_is_halved():
    rng = np.random.default_rng(1)
    for shift, caught in ((0.2, False), (0.4, True), (0.8, True)):
        mechanism = GaussianShift(shift)
        sides = [mechanism.scores(rng, side, 1_000_000) for side in (False, True)]
        found = threshold_attack(sides[0], sides[1], dp_delta=1e-3)
        claimed = GaussianShift(0.2).exact_epsilon(1e-3)
        assert found <= mechanism.exact_epsilon(1e-3)
        assert (found > claimed) == caught


def test_identical_inputs_are_seldom_told_apart():
    rng = np.random.default_rng(2)
    found = [threshold_attack(*rng.standard_normal((2, 1000))) for _ in range(100)]
    assert np.mean(np.array(found) > 0) <= 0.1


def test_choosing_and_counting_on_the_same_runs_would_cheat():
    """Why the sample is split: the best of many sets overstates ε on its own sample."""
    rng = np.random.default_rng(3)
    cheats = 0
    for _ in range(100):
        one, other = rng.standard_normal((2, 500))
        attack = choose_attack(one, other, level=0.5)
        counts = Counts(attack.hits(one), 500, attack.hits(other), 500)
        cheats += attack.bound(counts, 0.0, 0.5) > 0
    assert cheats > 70


def test_attacks_look_at_both_tails_and_directions():
    rng = np.random.default_rng(4)
    narrow, wide = rng.standard_normal(100_000), 3 * rng.standard_normal(100_000)
    assert threshold_attack(narrow, wide) > 1
    assert threshold_attack(wide, narrow) > 1
    assert Attack(-1.0, -0.5, False).hits(np.array([0.0, 0.5, 0.6])) == 2


def test_the_lower_tail_where_nothing_else_tells():
    """20 of 1000 runs from one input lie far below all others: the set is exactly those."""
    rng = np.random.default_rng(5)
    one, other = rng.uniform(1, 2, (2, 1000))
    one[:20] = -10.0
    attack = choose_attack(one, other)
    assert attack == Attack(-1.0, 10.0, False)
    assert (attack.hits(one), attack.hits(other)) == (20, 0)
    assert choose_attack(other, one) == Attack(-1.0, 10.0, True)
    assert choose_attack(-one, -other) == Attack(1.0, 10.0, False)


def test_runs_that_tell_nothing_choose_the_first_set():
    same = np.arange(1.0, 101.0)
    attack = choose_attack(same, same)
    assert (attack.sign, attack.flipped) == (1.0, False)
    assert attack.cut == pytest.approx(1.0, abs=0.01)


def test_halves_are_halves(monkeypatch):
    """Of seven runs three choose and four are counted."""
    monkeypatch.setattr(black_box, "choose_attack", lambda one, other, *_: (
        Attack(1.0, one.size + 10.0 * other.size, False)))  # fmt: skip
    seen = []
    monkeypatch.setattr(
        black_box, "certified_epsilon", lambda counts, *_: seen.append(counts) or 0.5
    )
    assert threshold_attack(np.full(7, 100.0), np.zeros(10)) == 0.5
    assert seen == [Counts(4, 4, 0, 5)]
    assert threshold_attack(np.full(7, 53.0), np.full(10, 52.9)) == 0.5
    assert seen[1] == Counts(4, 4, 0, 5)
