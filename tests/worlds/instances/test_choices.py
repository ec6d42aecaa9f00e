"""Worlds as configuration: what is refused, in which words, and what is built."""

from __future__ import annotations

import pytest
import torch

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


def test_at_replaces_one_field():
    choice = instance_choice(LINEAR)
    other = at(choice, num_features=8.0, kl_weight=2)
    assert isinstance(other, LinearChoice)
    assert (other.num_features, other.kl_weight) == (8, 2.0)
    assert type(other.num_features) is int
    assert choice.num_features == 4
    assert at(other, num_features=4, kl_weight=0.5) == choice


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
    bound = getattr(choice, "reward_bound", world.reward_bound)
    assert world.reward_bound == pytest.approx(bound)


def test_what_is_no_choice_has_no_world(tmp_path):
    with pytest.raises(TypeError, match="no world for dict"):
        build_world(LINEAR, tmp_path, "cpu")
