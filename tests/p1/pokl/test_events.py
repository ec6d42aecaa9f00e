"""Left and right sides of Lemmas C.2, C.3, C.4, on numbers worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import NumpyDraws
from repro.p1.pokl.bonus import confidence_weight, proven_weight
from repro.p1.pokl.curves import RegretCurve
from repro.p1.pokl.events import COVERED, FAILED, RIGHT, fails_in_runs, optimism_deficit
from repro.p1.pokl.finite import two_rewards
from repro.p1.pokl.instances import TwoRewardsChoice
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from theorems.optimism_event import bonus_bound, in_sample_error, reward_error

BOUND, EPSILON = 2.0, 1.0


def wrong_estimate(cap: float):
    """Runs and their policies while the data point to (0, B) though (B, 0) is true."""
    choice = TwoRewardsChoice(kind="two_rewards", reward_bound=BOUND, kl_weight=0.1)
    run = OnlineRun(
        instance=choice, epsilon=EPSILON, horizon=4, gamma=100.0, bonus_cap=cap, failure_prob=0.05,
        net_radius=1e-6, ridge=1.0, grid_ratio=2.0, rewards=two_rewards,
    )  # fmt: skip
    runs = Runs([run], 1)
    learner = runs.learner()
    learner.observe(*(torch.tensor([[x]], dtype=torch.float64) for x in (4.0, -2.0)))
    return runs, runs.policies(learner, 4, 0)


def test_sums_of_squares_by_hand():
    runs, now = wrong_estimate(1.0)
    signal = math.tanh(EPSILON / 2)
    fitted = 2 * signal * math.tanh(BOUND / 2)
    expected = 4 * fitted**2 / (8 * 4 * 7.0)
    assert float(in_sample_error(runs, now, 7.0)) == pytest.approx(expected)
    assert float(reward_error(runs, now, 10.0)) == pytest.approx(4 * (2 * BOUND) ** 2 / 50)


@pytest.mark.parametrize(("cap", "deficit"), [(1.0, 3.0), (2 * BOUND, 0.0)])
def test_the_cap_of_one_leaves_a_deficit_of_nearly_two_bounds_less_one(cap, deficit):
    runs, now = wrong_estimate(cap)
    assert float(optimism_deficit(runs, now)) == pytest.approx(deficit, abs=1e-6)


def test_there_is_no_event_before_the_first_label():
    runs, _ = wrong_estimate(1.0)
    first = next(iter(runs.rounds([0, 1], NumpyDraws(np.random.default_rng(0)))))
    assert float(optimism_deficit(runs, first)) == -math.inf


def test_a_run_that_was_never_wrong_is_one_in_which_nothing_failed():
    """Unless all of them are: then nothing is said."""
    seen = np.array([[FAILED] * 3, [RIGHT, RIGHT, RIGHT], [RIGHT, COVERED, FAILED]])
    curve = RegretCurve(np.array([0.0, 1.0, 2.0]), seen)
    assert fails_in_runs(None, curve).tolist() == [0.0, 0.0, 1.0]
    silent = RegretCurve(curve.times, seen[:, :1])
    assert np.isnan(fails_in_runs(None, silent)).all()


def test_bonus_bound_by_definition():
    runs, now = wrong_estimate(1.0)
    spread = float((now.explore * now.bonus**2).sum())
    assert float(bonus_bound(runs, now)) == pytest.approx(float(now.regret) * 0.1 / (4 * spread))
    doubled = replace(now, bonus=2 * now.bonus)
    assert float(bonus_bound(runs, doubled)) == pytest.approx(float(bonus_bound(runs, now)) / 4)


def test_weights_as_printed():
    logs = math.log(1e6) + 3.0 + math.log(20)
    printed = confidence_weight(2.0, 1.0, 3.0, 10**6, 0.05, 0.1)
    assert printed == pytest.approx(0.1 * math.e**2 / math.tanh(0.5) * math.sqrt(logs))
    proven = proven_weight(2.0, 1.0, 3.0, 10**6, 0.05)
    right_side = 8 * (math.e**-2 + 2 + math.e**2) ** 2 / math.tanh(0.5) ** 2 * logs
    assert proven**2 / 2 == pytest.approx(right_side)
