"""Which world, horizon and budget each kind of sweep makes of a check and a grid value."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import validate
from repro.families.offline_kl.sweep import WorldSweep, WorldSweepConfig
from repro.families.online_kl.algorithms_bonus import confidence_weight
from repro.families.online_kl.bounds_regret import regret_rate
from repro.families.online_kl.sweep import OnlineConfig, OnlineSweep
from repro.instances.choices import LinearChoice
from repro.policies.covering import log_covering_ball
from repro.study.checks import RatioCheck
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row

LINEAR = {"kind": "linear", "num_states": 3, "num_actions": 3, "num_features": 2, "radius": 1.0,
          "theta_share": 0.5, "kl_weight": 0.5, "seed": 4}  # fmt: skip
ARM = {"kind": "hidden_arm", "num_actions": 3, "best_prob": 0.1, "advantage": 0.5, "radius": 1.0,
       "kl_weight": 0.25}  # fmt: skip
ARMS = {"kind": "bad_arms", "coverage": 8.0, "num_bad": 2, "reward_difference": 0.5,
        "radius": 1.0, "kl_weight": 0.2}  # fmt: skip


class Fixed:
    """What is no part of a sweep's world."""

    instances = ("linear",)
    rows = ()

    def assumptions(self):
        return ()

    def measure(self, check, value, rng, replicates):
        return {}


def check(axis, world="named", grid=(1.0, 2.0, 3.0), **settings):
    given = {"world": world, "n_pairs": None, "epsilon": None, "horizon": None} | settings
    return RatioCheck("c", axis, grid, "q", "m", settings=given)


def setting(**overrides):
    return Setting(Overrides(**overrides), LINEAR, "cpu", Path("unused"))


class Online(Fixed, OnlineSweep):
    pass


def online(**overrides):
    exploration = {"failure_prob": 0.02, "net_radius": 0.1, "scale": 0.3, "ridge": 0.7,
                   "grid_ratio": 1.5}  # fmt: skip
    values = {"name": "toy", "claims": {}, "exploration": exploration, "worlds": {"named": ARM}}
    return Online(validate(OnlineConfig, values), setting(**overrides))


def test_an_online_world_takes_the_swept_field_and_the_given_weight():
    sweep = online()
    assert sweep.allowed_failure == 0.02
    plain = sweep.world(check("horizon"), 100.0)
    assert (plain.kl_weight, plain.radius, plain.features.shape[1]) == (0.25, 1.0, 3)
    assert sweep.world(check("epsilon"), 2.0) is plain
    assert sweep.world(check("radius"), 2.0).radius == 2.0
    assert sweep.world(check("kl_weight"), 2.0).kl_weight == 2.0
    assert sweep.world(check("horizon", INSTANCE), 9.0).features.shape[0] == 3
    given = online(kl_weight=0.125)
    assert given.world(check("horizon"), 9.0).kl_weight == 0.125
    assert given.world(check("kl_weight"), 2.0).kl_weight == 2.0
    assert given.world(check("radius"), 2.0).kl_weight == 0.125


def test_online_sizes():
    sweep = online()
    assert sweep.horizon(check("horizon"), 70.0) == 70
    assert sweep.horizon(check("epsilon", horizon=50), 2.0) == 50
    assert sweep.size(check("horizon", epsilon=0.5), 70.0) == (70, 0.5)
    horizon, epsilon = sweep.size(check("privacy_cost", horizon=50), 2.0)
    assert (horizon, privacy_cost(epsilon)) == (50, pytest.approx(2.0))
    assert sweep.longest(check("horizon"), 1.0) == 3
    assert sweep.longest(check("epsilon", horizon=50), 2.0) == 50


def test_the_bonus_of_a_lane_is_set_for_the_longest_horizon():
    sweep, swept = online(), check("horizon", epsilon=0.5, grid=(10.0, 20.0, 400.0))
    size = log_covering_ball(2, 1.0, 0.1)
    world = sweep.world(swept, 10.0)
    assert sweep.log_class_size(world) == size
    weight = confidence_weight(world.reward_bound, 0.5, size, 400, 0.02, 0.3)
    found = sweep.run_setting(swept, 10.0)
    assert (found.epsilon, found.kl_weight, found.ridge) == (0.5, 0.25, 0.7)
    assert found.bonus_weight == weight
    shorter = confidence_weight(world.reward_bound, 0.5, size, 30, 0.02, 0.3)
    assert sweep.bonus_weight(swept, 10.0, 30) == shorter != weight
    assert sweep.predicted_rate(swept, 10.0) == regret_rate(world, 0.5, 0.25, weight)


class Worlds(Fixed, WorldSweep):
    pass


def worlds(**overrides):
    values = {"name": "toy", "claims": {}, "worlds": {"named": ARMS}}
    return Worlds(validate(WorldSweepConfig, values), setting(**overrides))


def test_a_given_weight_applies_to_the_instance_alone():
    sweep = worlds(kl_weight=0.125)
    assert sweep.world(check("n_pairs", INSTANCE), 10.0).kl_weight == 0.125
    assert sweep.world(check("kl_weight", INSTANCE), 2.0).kl_weight == 2.0
    assert sweep.world(check("n_pairs"), 10.0).kl_weight == 0.2
    assert worlds().world(check("n_pairs", INSTANCE), 10.0).kl_weight == 0.5


def test_a_swept_field_makes_a_world_of_its_own():
    sweep = worlds()
    plain = sweep.world(check("n_pairs"), 10.0)
    assert sweep.world(check("n_pairs"), 20.0) is plain
    assert sweep.world(check("coverage"), 16.0).reference.min() == pytest.approx(1 / 16)


def row(world):
    return Row("c", "n_pairs", world, "m", (), "q", "")


class Given:
    """A claim's budget, or none."""

    def __init__(self, epsilon=None):
        self.epsilon = epsilon


def test_a_smaller_weight_needs_more_labels():
    assert worlds().more_labels(row(INSTANCE), Given()) == 1.0
    assert worlds(kl_weight=0.125).more_labels(row(INSTANCE), Given()) == 16.0
    assert worlds(kl_weight=2.0).more_labels(row(INSTANCE), Given()) == 1.0
    assert worlds(kl_weight=0.125).more_labels(row("named"), Given()) == 1.0
    both = worlds(kl_weight=0.125, epsilon=0.5).more_labels(row(INSTANCE), Given(1.0))
    assert both == pytest.approx(16 * (privacy_cost(0.5) / privacy_cost(1.0)) ** 2)


def test_linear_choice_is_the_instance():
    assert validate(LinearChoice, LINEAR).kl_weight == 0.5
    assert math.isclose(privacy_cost(epsilon_of_cost(2.0)), 2.0)
