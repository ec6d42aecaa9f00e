"""P4's reduction of RLHF to estimation, and what happens when its implementation is broken."""

from dataclasses import replace

import numpy as np
import pytest
from mpmath import iv

from repro.core.proofs import decided
from repro.p4.linear_rlhf import reduction
from repro.p4.linear_rlhf.bandit import (
    difference_covariance,
    empirical_covariance,
    random_bandit,
    relative_condition_number,
)
from tests.at_each import at_each
from theorems import rlhf_reduction
from theorems.rlhf_reduction import AnyStates

RIGHT = ("twice_the_error", "at_most_one", "with_dimension", "kappa_alone")
WRONG = ("once_the_error", "at_most_half", "half_of_kappa")


def test_bad_input_is_one_line(refused):
    refused("less than 0.5", "theorem.worlds.rare_cells.corruption=2")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_the_worst_policy_turns_the_verdict(turned):
    def wrong(right, believed, *args):
        return right(replace(believed, centre=-believed.centre), *args)

    found = turned("pessimistic", reduction, "pessimistic_policy", wrong)
    assert found == ("supported", "contradicted")


def test_the_response_of_least_reward_turns_the_verdict(turned):
    def wrong(right, features, theta):
        return right(features, -theta)

    found = turned("greedy_run", reduction, "greedy_policy", wrong)
    assert found == ("supported", "contradicted")


def test_a_vanishing_condition_number_turns_the_verdict(turned):
    found = turned("condition_run", reduction, "relative_condition_number", lambda *_: 1e-9)
    assert found == ("supported", "contradicted")


def value(name, *point):
    claimed = getattr(rlhf_reduction, name)(AnyStates(num_states=1))
    return float(claimed.ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved(name):
    assert 0 < decided(getattr(rlhf_reduction, name)(AnyStates(num_states=1))) <= 1 + 1e-9


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name):
    assert decided(getattr(rlhf_reduction, name)(AnyStates(num_states=1))) > 1.05


@at_each("seed", range(30))
def test_the_condition_number_is_what_the_proof_leaves(seed):
    """Where Σ_data ⪯ 3(Σ̂+λI) the three factors are at most 1, and their product is the ratio."""
    rng = np.random.default_rng(seed)
    bandit = random_bandit(rng, 1 + seed % 3, aligned=seed % 5 == 0)
    metric = empirical_covariance(bandit, 2000, rng) + 1e-3 * np.eye(len(bandit.theta))
    args = (bandit.features, bandit.state_prob)
    data = difference_covariance(*args, bandit.data, bandit.data)
    target = difference_covariance(*args, bandit.best, bandit.reference)
    if np.abs(target).max() == 0:
        return  # both policies are the same
    mean = bandit.mean_feature(bandit.best) - bandit.mean_feature(bandit.reference)
    kappa = relative_condition_number(target, data)
    v = np.linalg.solve(metric, mean)
    assert np.linalg.eigvalsh(3 * metric - data).min() >= 0
    cosine = v @ mean / (v @ target @ v) ** 0.5
    seen = v @ target @ v / (kappa * (v @ data @ v))
    event = v @ data @ v / (3 * v @ metric @ v)
    assert max(abs(cosine), seen, event) <= 1 + 1e-9
    left = value("kappa_alone", np.arccos(min(1.0, abs(cosine))), seen, event)
    assert left == pytest.approx(mean @ v / (3 * kappa), rel=1e-6, abs=1e-12)


def test_half_of_kappa_on_two_responses():
    assert value("half_of_kappa", 0.0) == 2.0 == (2.0**2 / 2.0) / (0.5 * (4.0 / 2.0))
