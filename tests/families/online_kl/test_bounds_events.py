"""Left and right sides of Lemmas C.2, C.3, C.4, on numbers worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.families.online_kl.algorithms_pokl import Game, blocked_rounds
from repro.families.online_kl.bounds_events import (
    bonus_bound,
    in_sample_error,
    optimism_deficit,
    reward_error,
)
from repro.families.online_kl.run_setting import RunSetting, make_batch
from repro.pokl.bonus import confidence_weight, proven_weight
from repro.pokl.finite import two_rewards
from repro.pokl.instances import two_rewards_world
from repro.preferences.block_draws import NumpyDraws

BOUND, EPSILON = 2.0, 1.0


def wrong_estimate(cap: float):
    """A game and its policies while the data point to (0, B) though (B, 0) is true."""
    rewards = two_rewards(two_rewards_world(BOUND, 0.1))
    game = Game(rewards.world, rewards, make_batch([RunSetting(EPSILON, 0.1, 100.0, cap)], 1))
    learner = rewards.learner(game.batch)
    learner.observe(*(torch.tensor([[x]], dtype=torch.float64) for x in (4.0, -2.0)))
    return game, game.policies(learner, 4, 0)


def test_sums_of_squares_by_hand():
    game, now = wrong_estimate(1.0)
    signal = math.tanh(EPSILON / 2)
    fitted = 2 * signal * math.tanh(BOUND / 2)
    expected = 4 * fitted**2 / (8 * 4 * 7.0)
    assert float(in_sample_error(game, now, 7.0)) == pytest.approx(expected)
    assert float(reward_error(game, now, 10.0)) == pytest.approx(4 * (2 * BOUND) ** 2 / 50)


@pytest.mark.parametrize(("cap", "deficit"), [(1.0, 3.0), (2 * BOUND, 0.0)])
def test_the_cap_of_one_leaves_a_deficit_of_nearly_two_bounds_less_one(cap, deficit):
    game, now = wrong_estimate(cap)
    assert float(optimism_deficit(game, now)) == pytest.approx(deficit, abs=1e-6)


def test_there_is_no_event_before_the_first_label():
    game, _ = wrong_estimate(1.0)
    first = next(iter(blocked_rounds(game, [0, 1], NumpyDraws(np.random.default_rng(0)))))
    assert float(optimism_deficit(game, first)) == -math.inf


def test_bonus_bound_by_definition():
    game, now = wrong_estimate(1.0)
    spread = float((now.explore * now.bonus**2).sum())
    assert float(bonus_bound(game, now)) == pytest.approx(float(now.regret) * 0.1 / (4 * spread))
    doubled = replace(now, bonus=2 * now.bonus)
    assert float(bonus_bound(game, doubled)) == pytest.approx(float(bonus_bound(game, now)) / 4)


def test_weights_as_printed():
    logs = math.log(1e6) + 3.0 + math.log(20)
    printed = confidence_weight(2.0, 1.0, 3.0, 10**6, 0.05, 0.1)
    assert printed == pytest.approx(0.1 * math.e**2 / math.tanh(0.5) * math.sqrt(logs))
    proven = proven_weight(2.0, 1.0, 3.0, 10**6, 0.05)
    right_side = 8 * (math.e**-2 + 2 + math.e**2) ** 2 / math.tanh(0.5) ** 2 * logs
    assert proven**2 / 2 == pytest.approx(right_side)
