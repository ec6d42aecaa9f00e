"""Which world, horizon, budget and Γ_T a grid point of an online experiment makes."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import validate
from repro.families.online_kl import wrong_pokl as wrong
from repro.families.online_kl.cases import OnlineCase, OnlineExperiment, OnlineProbes, small_ridge
from repro.families.online_kl.quantities import REGRET, rate_over_closed_form
from repro.families.online_kl.simulation import RegretCurve
from repro.pokl.bonus import confidence_weight
from repro.pokl.finite import RandomFinite
from repro.pokl.linear import LeadingFeatures
from repro.pokl.rate import regret_rate
from repro.policies.covering import log_covering_ball
from repro.study.claims import Ratio
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.row import INSTANCE, Row

LINEAR = {"kind": "linear", "num_states": 3, "num_actions": 3, "num_features": 2, "radius": 1.0,
          "theta_share": 0.5, "kl_weight": 0.5, "seed": 4}  # fmt: skip
ARM = {"kind": "hidden_arm", "num_actions": 3, "best_prob": 0.1, "advantage": 0.5, "radius": 1.0,
       "kl_weight": 0.25}  # fmt: skip
EXPLORATION = {"failure_prob": 0.02, "net_radius": 0.1, "scale": 0.3, "ridge": 0.7,
               "grid_ratio": 1.5}  # fmt: skip


def online(over="horizon", on="named", grid=(10.0, 20.0, 400.0), overrides=None, **probe):
    """An experiment of one row on the hidden arm, or on the instance."""

    class Online(OnlineExperiment):
        slug = "toy"
        rows = (Row("c", over, Ratio("a claim"), REGRET, wrong.pokl, on=on),)

    probe = {"grid": grid, "epsilon": None, "horizon": None} | probe
    values = {"name": "toy", "probes": {"c": probe}, "exploration": EXPLORATION,
              "worlds": {"named": ARM}}  # fmt: skip
    setting = Setting(Overrides(**overrides or {}), LINEAR, "cpu", Path("unused"))
    return Online(validate(OnlineProbes, values), setting)


def cases(*args, **kwargs) -> tuple[OnlineCase, ...]:
    return online(*args, **kwargs).trials[0].cases


def test_a_world_takes_the_swept_field_and_the_given_weight():
    first, second, _ = cases(epsilon=0.5)
    assert first.world is second.world
    assert (first.world.kl_weight, first.world.radius) == (0.25, 1.0)
    fixed = {"epsilon": 0.5, "horizon": 9, "grid": (1.0, 2.0)}
    with pytest.raises(BadInput, match="nothing here depends on it"):
        cases("reward_bound", **fixed)
    assert [c.world.kl_weight for c in cases("kl_weight", **fixed)] == [1.0, 2.0]
    assert cases(on=INSTANCE, epsilon=0.5)[0].world.features.shape[0] == 3
    given = {"kl_weight": 0.125}
    assert cases(overrides=given, epsilon=0.5)[0].world.kl_weight == 0.125
    assert cases("kl_weight", overrides=given, **fixed)[1].world.kl_weight == 2.0


def test_sizes():
    swept = cases(epsilon=0.5)
    assert [(c.horizon, c.epsilon, c.longest) for c in swept] == [
        (10, 0.5, 400), (20, 0.5, 400), (400, 0.5, 400),
    ]  # fmt: skip
    costly = cases("privacy_cost", horizon=50, grid=(2.0, 3.0))
    assert [(c.horizon, c.longest) for c in costly] == [(50, 50)] * 2
    assert [privacy_cost(c.epsilon) for c in costly] == pytest.approx([2.0, 3.0])
    assert online(epsilon=0.5).failure_prob == 0.02


def test_the_bonus_of_a_run_is_set_for_the_longest_horizon():
    case, size = cases(epsilon=0.5)[0], log_covering_ball(2, 1.0, 0.1)
    bound = case.world.reward_bound
    weights = [confidence_weight(bound, 0.5, size, t, 0.02, 0.3) for t in (400, 10, 1)]
    methods = (wrong.pokl, wrong.bonus_of_horizon, wrong.bonus_without_horizon)
    assert [m.run(case).bonus_weight for m in methods] == weights
    assert wrong.shrunken_bonus.run(case).bonus_weight == pytest.approx(weights[0] / 300)
    found = case.setting
    assert (found.epsilon, found.kl_weight, found.ridge, found.bonus_cap) == (0.5, 0.25, 0.7, 1.0)


def test_what_each_wrong_version_believes():
    case = replace(cases(epsilon=0.5)[0], class_size=7)
    assert wrong.naive_labels.run(case).believed_epsilon == math.inf
    assert wrong.epsilon_overstated.run(case).believed_epsilon == pytest.approx(0.6)
    assert wrong.without_exploration.run(case).bonus_weight == 0
    assert wrong.inverted_kl_weight.run(case).played_kl_weight == 4.0
    assert wrong.other_order.run(case).order != case.order
    frozen = wrong.frozen_features.run(case)
    assert (frozen.rewards, frozen.bonus_weight) == (LeadingFeatures(2), 0)
    assert wrong.finite_class.run(case).rewards == RandomFinite(7, wrong.CLASS_SEED)
    hidden = wrong.hidden_randomizer.run(replace(case, epsilon=math.inf))
    assert (hidden.epsilon, hidden.believed_epsilon) == (1.0, math.inf)


def test_mistakes_about_privacy_are_none_without_it():
    assert wrong.naive_labels.privacy_mistake
    assert wrong.epsilon_overstated.privacy_mistake
    assert not wrong.hidden_randomizer.privacy_mistake


def test_a_rate_is_held_against_the_closed_form_of_the_method_under_test():
    case = cases(epsilon=0.5)[0]
    curve = RegretCurve(np.array([0.0, 1.0]), np.ones((2, 1, 3)))
    weight = case.setting.bonus_weight
    limit = regret_rate(case.world, 0.5, 0.25, weight).total
    np.testing.assert_allclose(rate_over_closed_form(case, curve), np.full((1, 3), 1 / limit))


def test_methods_with_a_class_of_their_own_are_measured_beside_the_others():
    case = replace(
        cases(epsilon=2.0)[0], methods=(wrong.pokl, wrong.finite_class, wrong.naive_labels),
        class_size=4,
    )  # fmt: skip
    found = REGRET.of(case, np.random.default_rng(0), 3)
    assert set(found) == {"pokl", "finite_class", "naive_labels"}
    assert all(column.shape == (3,) for column in found.values())
    again = REGRET.of(case, np.random.default_rng(0), 3)
    assert all(torch.equal(*map(torch.as_tensor, (found[n], again[n]))) for n in found)


def test_the_ridge_is_small_against_the_bonus():
    case = cases(epsilon=0.5)[0]
    ((_, holds, _),) = small_ridge(case)
    assert holds == (case.setting.bonus_weight**2 / 2 >= 0.7)
    ((_, holds, _),) = small_ridge(replace(case, weight=lambda *_: 0.1))
    assert not holds
