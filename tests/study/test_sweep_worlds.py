"""Which world, horizon and budget each kind of sweep makes of a check and a grid value."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import validate
from repro.families.offline_kl.sweep import WorldSweep, WorldSweepConfig
from repro.families.robust.sweep import PairSweep, PairSweepConfig
from repro.families.robust.worlds_pairs import (
    CellsChoice,
    SaturatedChoice,
    build_pair_world,
    pairs_of,
)
from repro.instances.choices import LinearChoice
from repro.instances.linear import random_linear_world
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
CELLS = {"kind": "cells", "num_features": 2, "min_eigenvalue": 0.25, "reward_diff": 0.5,
         "reward_bound": 2.0}  # fmt: skip
SATURATED = {"kind": "saturated", "reward_bound": 3.0, "margin": 0.1}


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


class Pairs(Fixed, PairSweep):
    pass


def test_worlds_of_label_cells():
    values = {"name": "toy", "claims": {}, "worlds": {"named": CELLS, "flat": SATURATED}}
    sweep = Pairs(validate(PairSweepConfig, values), setting())
    plain, flat = validate(CellsChoice, CELLS), validate(SaturatedChoice, SATURATED)
    assert sweep.world(check("n_pairs"), 10.0) is build_pair_world(plain, "cpu")
    assert sweep.world(check("num_features"), 2.9999999) is build_pair_world(
        plain.model_copy(update={"num_features": 3}), "cpu"
    )
    assert sweep.world(check("reward_bound"), 4.0) is build_pair_world(
        plain.model_copy(update={"reward_bound": 4.0}), "cpu"
    )
    assert sweep.world(check("reward_bound", "flat"), 4.5) is build_pair_world(
        flat.model_copy(update={"reward_bound": 4.5}), "cpu"
    )


def test_the_instance_as_label_cells_is_built_once():
    values = {"name": "toy", "claims": {}, "worlds": {}}
    sweep = Pairs(validate(PairSweepConfig, values), setting())
    found = sweep.world(check("n_pairs", INSTANCE), 10.0)
    assert sweep.world(check("n_pairs", INSTANCE), 20.0) is found
    fields = {k: v for k, v in LINEAR.items() if k != "kind"}
    wanted = pairs_of(random_linear_world(**fields))
    assert found.cell_prob.tolist() == wanted.cell_prob.tolist()


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
