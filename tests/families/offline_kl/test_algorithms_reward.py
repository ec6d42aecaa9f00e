"""Private labels to a reward, and the wrong ways."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from repro.families.offline_kl.algorithms_reward import (
    Labels,
    epsilon_overstated,
    hidden_randomizer,
    naive_likelihood,
    private_mle,
)
from repro.families.offline_kl.bounds_reward_error import (
    bound_fails,
    corrected_bound,
    printed_bound,
)
from repro.instances.two_arms import hypercube_world, large_difference_world
from repro.pessimism.gap_constants import two_arm_gap_constant
from repro.preferences.label_counts import draw_label_counts
from repro.preferences.label_law import fair_coins, no_randomizer, the_truth


def drawn(world, n_pairs, epsilon, replicates, **law):
    rng = np.random.default_rng(0)
    cells = world.cell_prob, world.reward_diff
    return draw_label_counts(rng, *cells, n_pairs, epsilon, replicates, **law)


def labels_of(world, replicates):
    rng = np.random.default_rng(1)
    return Labels(world, drawn(world, 10**8, 1.0, replicates), 1.0, rng)


def test_the_mle_has_the_error_of_its_asymptotic_gap():
    """On two responses the gap constant is error·π*(1−π*)/(π_ref(1−π_ref))/(2·kl_weight)."""
    world = hypercube_world(1, 8.0, 0.5, 4.0, 0.2)
    mean = float(private_mle.run(labels_of(world, 20_000)).mean())
    spread = float(world.optimal_policy.prod() / world.policies.prod())
    assert mean * spread / (2 * 0.5) == pytest.approx(
        two_arm_gap_constant(world, 1.0) / 10**8, rel=0.05
    )


@pytest.mark.parametrize("wrong", [naive_likelihood, epsilon_overstated, hidden_randomizer])
def test_wrong_estimators_err_more(wrong):
    world = large_difference_world(3.0, 0.5, 3.0)
    labels = labels_of(world, 200)
    assert wrong.run(labels).mean() > 2 * private_mle.run(labels).mean()


def test_an_estimator_that_returns_the_truth_does_not_err():
    labels = replace(labels_of(large_difference_world(3.0, 0.5, 3.0), 5), estimate=the_truth)
    assert private_mle.run(labels).tolist() == [0.0] * 5


def test_bounds_by_hand():
    growth = (1 + math.e) ** 2 / math.e
    signal = math.tanh(0.5)
    assert printed_bound(1.0, 1.0, 3.0) == pytest.approx(12 * growth / signal**2)
    assert corrected_bound(1.0, 1.0, 3.0) == pytest.approx(48 * growth**2 / signal**2)


@pytest.mark.parametrize(
    ("bound", "reward_bound"), [(printed_bound, 8.0), (corrected_bound, 8.0), (printed_bound, 2.0)]
)
def test_how_often_the_in_sample_bound_fails(bound, reward_bound):
    """The other reward is chosen with probability Φ(−√(n·d²·I)/2), I the Fisher information."""
    world = large_difference_world(reward_bound, 0.5, 1.0)
    counts = drawn(world, 10**12, 1.0, 20_000)
    fails = bound_fails(world, bound, 1.0, 0.05, 10**12, counts)
    clean = 1 / (1 + math.exp(0.5 - reward_bound))
    signal = math.tanh(0.5)
    win = 1 / (1 + math.e) + signal * clean
    information = (signal * clean * (1 - clean)) ** 2 / (win * (1 - win))
    distance = 1.1 * bound(reward_bound, 1.0, math.log(2 / 0.05))
    expected = stats.norm.sf(math.sqrt(distance * information) / 2)
    assert fails.mean() == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize(
    ("law", "share"), [({"labels": fair_coins}, 1.0), ({"channel": no_randomizer}, 0.0)]
)
def test_the_in_sample_bound_under_other_labels(law, share):
    """Coins that know nothing always choose the other reward, clean labels never."""
    world = large_difference_world(2.0, 0.5, 1.0)
    counts = drawn(world, 10**12, 1.0, 50, **law)
    fails = bound_fails(world, printed_bound, 1.0, 0.05, 10**12, counts)
    assert fails.tolist() == [share] * 50


def test_the_in_sample_bound_never_fails_for_the_truth():
    world = large_difference_world(8.0, 0.5, 1.0)
    counts = drawn(world, 10**12, 1.0, 50)
    fails = bound_fails(world, printed_bound, 1.0, 0.05, 10**12, counts, the_truth)
    assert not fails.any()
