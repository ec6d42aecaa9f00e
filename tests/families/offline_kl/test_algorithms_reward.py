"""Private labels to a reward, and the wrong ways."""

import math

import numpy as np
import pytest
from scipy import stats

from repro.families.offline_kl.algorithms_reward import METHODS, draw_labels
from repro.families.offline_kl.bounds_reward_error import (
    bound_fails,
    corrected_bound,
    printed_bound,
)
from repro.families.offline_kl.quantities_gap import two_arm_gap_constant
from repro.instances.two_arms import hypercube_world, large_difference_world


def test_the_mle_has_the_error_of_its_asymptotic_gap():
    """On two responses the gap constant is error·π*(1−π*)/(π_ref(1−π_ref))/(2·kl_weight)."""
    world = hypercube_world(1, 8.0, 0.5, 4.0, 0.2)
    labels = draw_labels(world, 10**8, 1.0, np.random.default_rng(0), 20_000)
    mean = float(METHODS["private_mle"](labels).mean())
    spread = float(world.optimal_policy.prod() / world.policies.prod())
    assert mean * spread / (2 * 0.5) == pytest.approx(
        two_arm_gap_constant(world, 1.0) / 10**8, rel=0.05
    )


@pytest.mark.parametrize("wrong", ["naive_likelihood", "epsilon_overstated", "hidden_randomizer"])
def test_wrong_estimators_err_more(wrong):
    world = large_difference_world(3.0, 0.5, 3.0)
    labels = draw_labels(world, 10**8, 1.0, np.random.default_rng(0), 200)
    assert METHODS[wrong](labels).mean() > 2 * METHODS["private_mle"](labels).mean()


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
    fails = bound_fails(world, bound, 10**12, 1.0, 0.05, np.random.default_rng(0), 20_000)
    clean = 1 / (1 + math.exp(0.5 - reward_bound))
    signal = math.tanh(0.5)
    win = 1 / (1 + math.e) + signal * clean
    information = (signal * clean * (1 - clean)) ** 2 / (win * (1 - win))
    distance = 1.1 * bound(reward_bound, 1.0, math.log(2 / 0.05))
    expected = stats.norm.sf(math.sqrt(distance * information) / 2)
    assert fails.mean() == pytest.approx(expected, abs=0.015)
