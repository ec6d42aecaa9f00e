"""Lemma B.1 of P1 end to end, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
from scipy import stats

import repro
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.p1.pessimism.gap_constants import two_arm_gap_constant
from repro.p1.pessimism.in_sample import bound_fails
from repro.worlds.instances.choices import HypercubeChoice, LargeDifferenceChoice
from theorems.reward_error import (
    RewardData,
    RewardLabels,
    corrected,
    drawn,
    epsilon_overstated,
    fails,
    hidden_randomizer,
    naive_likelihood,
    printed,
    private_mle,
)


@pytest.mark.parametrize(
    ("check", "slope"),
    [("n_pairs", -1), ("privacy_cost", 2), ("num_features", 1), ("reward_bound_eps_one", 2),
     ("reward_bound_eps_inf", 1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.06)


def test_a_missing_debias_turns_the_verdict(monkeypatch):
    right = RewardData.error
    monkeypatch.setattr(
        RewardData, "error", lambda self, counts, epsilon: right(self, counts, math.inf)
    )
    few = ["budget.replicates=100", "compute.workers=1"]
    done = repro.run("reward_error", budget="smoke", only=["n_pairs", "constant"], overrides=few)
    assert {item.outcome.verdict for item in done.result.checks} == {"contradicted"}


def far_apart(reward_bound, **more):
    """Labels of two responses whose rewards are nearly ``reward_bound`` apart."""
    choice = LargeDifferenceChoice(kind="large_difference", reward_bound=reward_bound, margin=0.5)
    return RewardLabels(**({"n_pairs": 10**8, "epsilon": 1.0, "instance": choice} | more))


def data_of(world, replicates):
    return drawn(world, np.random.default_rng(0), replicates)


def test_the_mle_has_the_error_of_its_asymptotic_gap():
    """On two responses the gap constant is error·π*(1−π*)/(π_ref(1−π_ref))/(2·kl_weight)."""
    cube = HypercubeChoice(kind="hypercube", num_states=1, coverage=8.0, kl_weight=0.5,
                           reward_bound=4.0, tilt=0.2)  # fmt: skip
    source = far_apart(4.0, instance=cube)
    mean = float(private_mle(data_of(source, 20_000)).mean())
    world = source.world
    spread = float(world.optimal_policy.prod() / world.policies.prod())
    assert mean * spread / (2 * 0.5) == pytest.approx(
        two_arm_gap_constant(world, 1.0) / 10**8, rel=0.05
    )


@pytest.mark.parametrize("wrong", [naive_likelihood, epsilon_overstated, hidden_randomizer])
def test_wrong_estimators_err_more(wrong):
    data = data_of(far_apart(3.0), 200)
    assert wrong(data).mean() > 2 * private_mle(data).mean()


def test_an_estimator_that_returns_the_truth_does_not_err():
    assert private_mle(data_of(far_apart(3.0, estimate=the_truth), 5)).tolist() == [0.0] * 5


def test_bounds_by_hand():
    world = far_apart(1.0, failure_prob=2 * math.exp(-3))
    growth = (1 + math.e) ** 2 / math.e
    signal = math.tanh(0.5)
    assert printed(world) == pytest.approx(12 * growth / signal**2)
    assert corrected(world) == pytest.approx(48 * growth**2 / signal**2)


@pytest.mark.parametrize(
    ("bound", "reward_bound"), [(printed, 8.0), (corrected, 8.0), (printed, 2.0)]
)
def test_how_often_the_in_sample_bound_fails(bound, reward_bound):
    """The other reward is chosen with probability Φ(−√(n·d²·I)/2), I the Fisher information."""
    world = far_apart(reward_bound, n_pairs=10**12)
    found = fails(world, bound, np.random.default_rng(0), 20_000)
    clean = 1 / (1 + math.exp(0.5 - reward_bound))
    signal = math.tanh(0.5)
    win = 1 / (1 + math.e) + signal * clean
    information = (signal * clean * (1 - clean)) ** 2 / (win * (1 - win))
    distance = 1.1 * bound(world)
    expected = stats.norm.sf(math.sqrt(distance * information) / 2)
    assert found.mean() == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize(
    ("law", "share"), [({"labels": fair_coins}, 1.0), ({"channel": no_randomizer}, 0.0)]
)
def test_the_in_sample_bound_under_other_labels(law, share):
    """Coins that know nothing always choose the other reward, clean labels never."""
    world = far_apart(2.0, n_pairs=10**12, **law)
    assert fails(world, printed, np.random.default_rng(0), 50).tolist() == [share] * 50


def test_the_in_sample_bound_never_fails_for_the_truth():
    world = far_apart(8.0, n_pairs=10**12, estimate=the_truth)
    counts = world.counts(np.random.default_rng(0), 50)
    given = world.n_pairs, world.epsilon, printed(world), the_truth
    assert not bound_fails(world.world, counts, *given).any()
