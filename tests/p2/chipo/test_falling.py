"""Theorems 1 to 4 of docs/explanations/large_classes.md, and Algorithm 3 over that class."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy
from scipy.special import comb

from repro.base.errors import BadInput
from repro.p2.chipo.falling import (
    FALL,
    LARGEST,
    PLACE,
    STATES,
    EveryAlgorithm,
    FallingPreferences,
    LevelNet,
    by_log_loss,
    error_bound,
    every_table,
    largest_gap,
    least_error,
    least_gap,
    nondecreasing,
    truths,
    wrong_prob,
)
from repro.p2.chipo.policy import two_arm_wrong_prob
from theorems.square_chipo import _errors, counted, not_counted

Q = -math.expm1(-0.25) / 4


def world_of(n_pairs=10**6, **fields):
    return FallingPreferences(n_pairs=n_pairs, epsilon=1.0, **fields)


@pytest.mark.parametrize("steps", [1, 8, 512])
def test_truths_are_in_the_class(steps):
    truth = truths(steps, np.random.default_rng(steps), 5)
    shifted = truth + FALL * PLACE
    assert (np.diff(shifted) > -1e-12).all()
    assert np.abs(shifted).max() <= LARGEST
    assert np.abs(truth).max() < FALL / steps


def test_rounding_the_regression_minimises_over_the_net():
    rng = np.random.default_rng(3)
    for _ in range(60):
        levels = int(rng.integers(2, 5))
        net = LevelNet(levels)
        values = -LARGEST + (2 * np.arange(levels) + 1) * net.radius
        mean, weight = rng.normal(0, 0.5, 6), rng.integers(1, 9, 6)
        every = [
            np.array(one) for one in itertools.combinations_with_replacement(values, len(mean))
        ]
        least = min(float(weight @ (one - mean) ** 2) for one in every)
        found = net(mean, weight, 2.0)
        assert set(np.round(found, 9)) <= set(np.round(values, 9))
        assert float(weight @ (found - mean) ** 2) == pytest.approx(least, abs=1e-12)
        assert len(every) == comb(len(mean) + levels - 1, levels - 1, exact=True)


def test_the_minimiser_of_the_class_is_below_random_members():
    rng = np.random.default_rng(5)
    mean, weight = rng.normal(0, 0.4, 30), rng.integers(0, 9, 30)
    loss = weight @ (nondecreasing(mean, weight, 2.0) - mean) ** 2
    for _ in range(500):
        one = np.sort(rng.uniform(-LARGEST, LARGEST, 30))
        near = np.clip(
            np.sort(nondecreasing(mean, weight, 2.0) + rng.normal(0, 0.02, 30)), -0.5, 0.5
        )
        assert loss <= min(weight @ (one - mean) ** 2, weight @ (near - mean) ** 2) + 1e-12


@pytest.mark.parametrize("cost", [1.2, 2.0, 16.0])
def test_newton_steps_minimise_the_log_loss(cost):
    def loss(one):
        means = one - FALL * PLACE
        return -float(pairs @ (won * np.log(cost + means) + (1 - won) * np.log(cost - means)))

    rng = np.random.default_rng(19)
    truth = truths(4, rng, 1)[0]
    pairs = rng.integers(20, 40, STATES)
    won = rng.binomial(pairs, (1 + truth / cost) / 2) / pairs
    shifted = cost * (2 * won - 1) + FALL * PLACE
    found = by_log_loss(shifted, pairs, cost)
    assert (np.diff(found) >= 0).all()
    assert loss(found) <= loss(nondecreasing(shifted, pairs, cost)) + 1e-9
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(50):
            other = np.clip(np.sort(found + size * rng.normal(0, 1, STATES)), -LARGEST, LARGEST)
            step = rng.uniform(0, 1)
            assert loss(found) <= loss((1 - step) * found + step * other) + 1e-9


def test_the_number_of_functions_of_a_net():
    assert LevelNet(1).log_size == pytest.approx(0, abs=1e-9)
    assert LevelNet(2).log_size == pytest.approx(math.log(STATES + 1), rel=1e-9)
    assert LevelNet(3).log_size == pytest.approx(
        math.log((STATES + 2) * (STATES + 1) / 2), rel=1e-9
    )


def test_the_interpolated_policy():
    size = np.concatenate([np.geomspace(1e-6, 37.9, 400), [38.5, 100]])
    for scaled in (size, -size):
        exact = two_arm_wrong_prob(np.array(0.5), scaled)
        np.testing.assert_allclose(wrong_prob(scaled), exact, rtol=3e-6)


def test_one_label_of_theorem_1_in_random_and_worst_cases():
    rng = np.random.default_rng(7)
    size = 200_000
    cost = 1 + rng.exponential(1, size) * rng.integers(0, 2, size)
    member, near = rng.uniform(-1, 1, (2, size))
    ends = rng.random(size) < 0.5
    member, near = (np.where(ends, np.sign(one), one) for one in (member, near))
    mean = np.clip(near + rng.normal(0, 1, size) * 10.0 ** rng.uniform(-4, 0, size), -cost, cost)
    win = (1 + mean / cost) / 2
    total = 0.0
    for label, chance in ((1, win), (-1, 1 - win)):
        more = (member - cost * label) ** 2 - (near - cost * label) ** 2
        total = total + chance * np.exp(-more / (4 * cost**2))
    misfit = (near - mean) ** 2 / cost**2
    middle = np.exp(-((member - near) ** 2) / (16 * cost**2))
    assert (total <= middle * np.exp(misfit) * (1 + 1e-12)).all()
    assert (middle <= 1 - Q * (member - near) ** 2 / cost**2 + 1e-12).all()


def test_one_label_of_theorem_2_in_random_cases():
    rng = np.random.default_rng(11)
    size, clip = 200_000, math.tanh(1)
    cost = 1 + rng.exponential(1, size) * rng.integers(0, 2, size)
    member, near = rng.uniform(-clip, clip, (2, size))
    truth = np.clip(near + rng.normal(0, 1, size) * 10.0 ** rng.uniform(-4, 0, size), -clip, clip)
    laws = [np.array([(1 + one / cost) / 2, (1 - one / cost) / 2]) for one in (member, near, truth)]
    ratio = (laws[2] * np.sqrt(laws[0] / laws[1])).sum(0)
    hellinger = ((np.sqrt(laws[0]) - np.sqrt(laws[1])) ** 2).sum(0)
    slack = (truth - near) ** 2 / (cost**2 - clip**2)
    assert (ratio <= 1 - hellinger / 4 + slack + 1e-12).all()
    assert (np.abs(member - near) / (2 * cost) <= np.sqrt(hellinger) + 1e-12).all()


def test_the_two_terms_of_theorem_3_are_equal_at_its_weight():
    beta, k, q, e, lam = sympy.symbols("beta K q E Lambda", positive=True)
    weight = beta / k * sympy.sqrt(32 * q * e / lam)
    average = beta * e / weight + weight * k**2 * lam / (32 * q * beta)
    assert sympy.simplify(average - k * sympy.sqrt(e * lam / (8 * q))) == 0


def test_the_constants_of_theorem_4():
    t, w, fall = sympy.symbols("t w L", positive=True)
    low = sympy.integrate(2 * fall * t, (t, 0, w / 2))
    high = sympy.integrate(2 * fall * (w - t), (t, w / 2, w))
    assert sympy.simplify(low + high - fall * w**2 / 2) == 0
    assert 0.937 * 8 / 15 <= 0.5  # KL
    for steps in (1, 4, 1024):
        each = STATES // steps
        along = (np.arange(each) + 0.5) / STATES
        summed = 2 * FALL * np.minimum(along, 1 / steps - along).sum() / STATES
        assert summed == pytest.approx(FALL / steps**2 / 2, rel=1e-12)


def test_the_squared_error_of_theorem_4():
    """Two options that differ by Lw all along an interval, whatever lies between them."""
    option, fitted = np.array([0.3, -0.1]), np.linspace(-1, 1, 2001)
    both = ((fitted[:, None] - option) ** 2).sum(1).min()
    assert both == pytest.approx((0.3 + 0.1) ** 2 / 2)
    steps, cost = 64, 2.0
    n_pairs = int(0.937 * cost**2 * steps**3 / FALL**2)
    assert least_error(n_pairs, cost) == pytest.approx(FALL**2 / (16 * steps**2))


def test_a_gap_is_at_most_what_the_error_allows():
    """The corollary of Theorem 4: rewards and fits of every size that the class has, every β."""
    rng, beta = np.random.default_rng(23), 10.0 ** np.random.default_rng(2).uniform(-4, 0, 400)
    largest = LARGEST + FALL / 2
    true, fitted = rng.uniform(-largest, largest, (2, 400, 500))
    towards = 2 * np.arctanh(fitted) * np.sign(true) / beta[:, None]
    gap = (2 * np.arctanh(np.abs(true)) * wrong_prob(towards)).mean(1)
    error = ((true - fitted) ** 2).mean(1) / 2
    allowed = [largest_gap(e, b) for e, b in zip(error, beta, strict=True)]
    assert (gap <= allowed).all()
    share = np.linspace(1e-4, 0.5, 20001)[:-1]
    assert (share * (2 - 4 * share + np.log((1 - share) / share))).max() <= 0.53


def test_the_lower_bound_takes_the_least_number_of_steps():
    for n_pairs in (2**15, 10**6, 2**30):
        steps = FALL / (8 * least_gap(n_pairs, 2.0))
        assert steps**3 >= n_pairs * FALL**2 / (0.937 * 4) > (steps / 2) ** 3


def test_a_bound_without_the_class_is_too_small_and_says_so():
    world, rng = world_of(10**9), np.random.default_rng(0)
    assert counted(world, rng, 1) < 1
    assert not_counted(world, rng, 1) > 2
    assert error_bound(10**9, 2.0, 0.0, 0.0) < error_bound(10**9, 2.0, 100.0, 1e-3)


def test_errors_of_the_literal_minimiser_fall_by_four_where_labels_are_eight_times_as_many():
    """Squared errors: (1/8)^(2/3)."""
    rng, means = np.random.default_rng(13), []
    for n_pairs, steps in ((2**21, 32), (2**24, 64)):
        means.append(_errors(world_of(n_pairs), steps, rng, 12))
    assert np.mean(means[0]) / np.mean(means[1]) == pytest.approx(4, rel=0.15)


def test_more_labels_and_tables_are_other_learners():
    rng, world = np.random.default_rng(17), world_of(10**6)
    truth = truths(16, rng, 4)
    plain, more, tables = (
        ((learner.fitted(truth, rng) - truth) ** 2).mean()
        for learner in (world, replace(world, more=100), replace(world, fit=every_table))
    )
    assert more < plain / 5 < plain < tables


def test_an_n_beyond_the_ladder_is_refused():
    assert EveryAlgorithm(epsilon=1.0, n_pairs=2**18)
    with pytest.raises(BadInput, match="n_pairs"):
        EveryAlgorithm(epsilon=1.0, n_pairs=10**14)
