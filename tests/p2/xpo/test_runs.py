"""What a grid point of P2's online experiments plays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.core.door import from_values
from repro.core.worlds import Sweep
from repro.labels.corruption.label_mean import WorseResponse
from repro.p2.xpo.runs import Needles, RewardLadder, realizable, value_bound
from repro.p2.xpo.small_rewards import OneReward

LADDER = {"low": 0.01, "high": 0.5, "rungs": 5}


def needles(**changes) -> Needles:
    given = {"epsilon": 0.5, "horizon": 64, "grid_ratio": 1.5, "ladder": LADDER}
    return from_values(Needles, given | changes, "world")


def test_a_ladder_goes_up_in_equal_ratios():
    found = RewardLadder(**LADDER).values()
    assert found.shape == (5,)
    assert found[[0, -1]] == pytest.approx([0.01, 0.5])
    assert np.ptp(np.diff(np.log(found))) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("ladder", "message"),
    [({"low": 1, "high": 1, "rungs": 3}, "low below high"),
     ({"low": 0.1, "high": 2, "rungs": 3}, "ladder.high=2"),
     ({"low": 0.1, "high": 1, "rungs": 2}, "ladder.rungs=2")],
)  # fmt: skip
def test_a_wrong_ladder_is_refused(ladder, message):
    with pytest.raises(BadInput, match=message):
        needles(ladder=ladder)


def test_bonuses_of_a_longer_run_are_smaller_by_its_root():
    assert needles().weight(0.1, 16) == pytest.approx(needles().weight(0.1, 1) / 4)


def test_what_a_point_of_a_sweep_plays():
    def last(axis, value, at="", **changes):
        return Sweep.of(needles(**changes), axis, (value,), at=at).worlds[-1]

    assert last("corruption", 0.2, "adversary.share").adversary == WorseResponse(0.2)
    assert last("num_actions", 8.0, adversary={"share": 0.1}).adversary == WorseResponse(0.1)
    assert privacy_cost(last("privacy_cost", 3.0).epsilon) == pytest.approx(3.0)
    assert last("inverse_reference", 100.0).best_share == 0.01
    assert last("horizon", 1e3).horizon == 1000


def test_one_reward_has_its_own_horizon():
    world = OneReward(epsilon=1.0, grid_ratio=1.5, steps=3.0, inverse_reward_bound=100.0)
    assert world.rewards.tolist() == [0.01]
    assert world.rounds == round((300 * privacy_cost(1.0)) ** 2)
    with pytest.raises(ValueError, match="at most 1e\\+15 rounds"):
        OneReward(epsilon=1e-6, grid_ratio=1.5, steps=3.0, inverse_reward_bound=1e3)


@pytest.mark.parametrize("share", [None, 1e-3, 1e-15])
def test_the_optimum_is_in_the_class_and_implicit_rewards_are_bounded(share):
    world = needles(best_share=share)
    assert realizable(world)
    assert value_bound(world, 0.5) <= 1.5


@pytest.mark.parametrize("actions", [4, 8, 32, 1024])
def test_what_a_wrong_needle_costs_hardly_grows_with_the_number_of_responses(actions):
    """Why the exponent in A hides until this share of Δ is reached: ``private_xpo``."""
    policies = needles(num_actions=actions).policies()
    costs = policies.divergence() / policies.optimal_tilt
    same_tilt = float(costs[1, policies.tilts == policies.optimal_tilt])
    assert 0.84 < same_tilt < 1 / (1 + math.exp(-2))
    assert float(costs.max()) < 1
