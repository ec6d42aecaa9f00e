"""Worlds as configuration: what is refused, in which words, and what is built."""

from __future__ import annotations

import math

import pytest
import torch

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.worlds.instances.build import build_world
from repro.worlds.instances.choices import (
    BadArmsChoice,
    HypercubeChoice,
    LargeDifferenceChoice,
    LinearChoice,
    TextChoice,
    at,
    instance_choice,
)
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.instances.two_arms import TwoArmWorld

LINEAR = {
    "kind": "linear",
    "num_states": 6,
    "num_actions": 4,
    "num_features": 4,
    "radius": 1.0,
    "theta_share": 0.6,
    "theta_features": None,
    "kl_weight": 0.5,
    "seed": 1,
}
TEXT = {
    "kind": "preference_text",
    "path": None,
    "num_features": 12,
    "theta_share": 0.8,
    "reference_tilt": 1.0,
    "kl_weight": 0.5,
}
CUBE = {
    "kind": "hypercube",
    "num_states": 8,
    "coverage": 16.0,
    "kl_weight": 0.03125,
    "reward_bound": 2.0,
    "tilt": 1.0,
}
LARGE = {"kind": "large_difference", "reward_bound": 4.0, "margin": 0.5}
ARMS = {
    "kind": "bad_arms",
    "coverage": 1000,
    "num_bad": 10,
    "reward_difference": 0.5,
    "radius": 2.5,
    "kl_weight": 0.0625,
}
MODELS = {"hypercube": HypercubeChoice, "large_difference": LargeDifferenceChoice}
MODELS["bad_arms"] = BadArmsChoice


@pytest.mark.parametrize(
    ("values", "line"),
    [
        pytest.param(
            LINEAR | {"num_actions": 1},
            "instance.num_actions=1: allowed: greater than or equal to 2",
            id="one response",
        ),
        pytest.param(
            LINEAR | {"num_states": 2.5},
            "instance.num_states=2.5: allowed: a whole number",
            id="half a state",
        ),
        pytest.param(
            LINEAR | {"radius": math.inf},
            "instance.radius=inf: allowed: a finite number",
            id="infinite radius",
        ),
        pytest.param(
            LINEAR | {"theta_share": 1.0},
            "instance.theta_share=1.0: allowed: less than 1",
            id="truth on the boundary",
        ),
        pytest.param(
            LINEAR | {"kl_weight": 0.0},
            "instance.kl_weight=0.0: allowed: greater than 0.000001",
            id="no KL at all",
        ),
        pytest.param(
            LINEAR | {"kl_weight": True},
            "instance.kl_weight=True: allowed: a number",
            id="a boolean for a number",
        ),
        pytest.param(
            LINEAR | {"num_state": 6},
            "instance.num_state=6: unknown key; did you mean num_states? ",
            id="misspelt key",
        ),
        pytest.param(
            {k: v for k, v in LINEAR.items() if k != "seed"},
            "instance.seed=(missing): a value is required",
            id="missing key",
        ),
        pytest.param(
            TEXT | {"num_features": 4},
            "instance.num_features=4: allowed: greater than or equal to 5",
            id="too few text features",
        ),
        pytest.param(
            TEXT | {"reference_tilt": math.nan},
            "instance.reference_tilt=nan: allowed: greater than or equal to 0",
            id="a tilt that is no number",
        ),
        pytest.param(
            {"kind": "lin"},
            "instance.kind=lin: allowed: linear, preference_text",
            id="unknown kind",
        ),
        pytest.param({}, "instance.kind=None: allowed: linear, preference_text", id="no kind"),
    ],
)
def test_bad_instance_is_one_line(values, line):
    with pytest.raises(BadInput) as refusal:
        instance_choice(values)
    assert str(refusal.value) == line.strip()


def test_more_features_than_the_world_identifies():
    with pytest.raises(BadInput, match=r"num_features at most .* = 18") as refusal:
        instance_choice(LINEAR | {"num_features": 19})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        pytest.param(CUBE | {"coverage": 2}, "coverage", id="hypercube: C = 2"),
        pytest.param(CUBE | {"tilt": 0}, "tilt", id="hypercube: no tilt"),
        pytest.param(CUBE | {"coverage": math.inf}, "coverage", id="hypercube: infinite C"),
        pytest.param(CUBE | {"coverage": "16"}, "coverage", id="hypercube: C as text"),
        pytest.param(CUBE | {"coverage": True}, "coverage", id="hypercube: C as boolean"),
        pytest.param(LARGE | {"margin": -1.0}, "margin", id="large difference: margin"),
        pytest.param(ARMS | {"num_bad": 0}, "num_bad", id="bad arms: none"),
        pytest.param(ARMS | {"coverage": -3}, "coverage", id="bad arms: negative coverage"),
    ],
)
def test_bad_built_world_names_its_key(values, key):
    with pytest.raises(BadInput) as refusal:
        validate(MODELS[values["kind"]], values, "theorem.worlds.w")
    assert str(refusal.value).startswith(f"theorem.worlds.w.{key}={values[key]}: ")


@pytest.mark.parametrize("coverage", [5, 10])
def test_bad_arms_need_a_coverage_above_their_number(coverage):
    """Ten arms of probability 1/5 leave the good ones less than nothing, of 1/10 nothing."""
    with pytest.raises(BadInput, match="coverage"):
        validate(BadArmsChoice, ARMS | {"coverage": coverage})


def test_truth_cannot_use_more_features_than_there_are():
    with pytest.raises(BadInput, match="theta_features"):
        instance_choice(LINEAR | {"theta_features": 5})


@pytest.mark.parametrize("kind", [["linear"], {"linear": 1}], ids=["list", "mapping"])
def test_kind_of_another_type_is_one_line(kind):
    with pytest.raises(BadInput, match=r"instance\.kind"):
        instance_choice(LINEAR | {"kind": kind})


def test_at_replaces_one_field():
    choice = instance_choice(LINEAR)
    other = at(choice, num_features=8.0, kl_weight=2)
    assert isinstance(other, LinearChoice)
    assert (other.num_features, other.kl_weight) == (8, 2.0)
    assert type(other.num_features) is int
    assert choice.num_features == 4
    assert at(other, num_features=4, kl_weight=0.5) == choice


@pytest.mark.parametrize(
    "change",
    [{"num_features": 19}, {"num_features": 4.5}, {"kl_weight": -1.0}, {"epsilon": 1.0}],
    ids=["more than identified", "not whole", "negative", "not a field"],
)
def test_at_checks_again(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        at(instance_choice(LINEAR), **change)


def test_equal_choices_are_one_key():
    """Built worlds are kept by choice."""
    assert len({instance_choice(LINEAR), instance_choice(dict(LINEAR))}) == 1
    assert len({instance_choice(TEXT | {"path": p}) for p in (["a", "b"], ("a", "b"))}) == 1
    with pytest.raises(ValueError, match="frozen"):
        instance_choice(LINEAR).seed = 2


@pytest.mark.parametrize(
    ("choice", "kind", "states"),
    [
        pytest.param(LinearChoice(**LINEAR), LinearWorld, 6, id="linear"),
        pytest.param(TextChoice(**TEXT), LinearWorld, 400, id="preference_text"),
        pytest.param(HypercubeChoice(**CUBE), TwoArmWorld, 8, id="hypercube"),
        pytest.param(LargeDifferenceChoice(**LARGE), TwoArmWorld, 1, id="large_difference"),
        pytest.param(BadArmsChoice(**ARMS), LinearWorld, 1, id="bad_arms"),
    ],
)
def test_every_choice_builds_its_world(choice, kind, states, tmp_path):
    world = build_world(choice, tmp_path, "cpu")
    assert isinstance(world, kind)
    assert world.state_prob.shape == (states,)
    assert bool(torch.isfinite(world.optimal_policy).all())
    assert world.kl_weight == (choice.kl_weight or 4.0)


def test_what_is_no_choice_has_no_world(tmp_path):
    with pytest.raises(TypeError, match="no world for dict"):
        build_world(LINEAR, tmp_path, "cpu")
