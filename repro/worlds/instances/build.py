"""From a choice to its world."""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path

from repro.worlds.instances.arms import bad_arms_world
from repro.worlds.instances.choices import (
    BadArmsChoice,
    HypercubeChoice,
    LargeDifferenceChoice,
    LinearChoice,
    TextChoice,
)
from repro.worlds.instances.linear import LinearWorld, random_linear_world
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world, large_difference_world

World = LinearWorld | TwoArmWorld


@singledispatch
def build_world(choice, cache: Path, device: str) -> World:
    """Build the world that a choice describes.

    Args:
        choice: a checked choice of ``repro.worlds.instances.choices``.
        cache: folder of label-free feature tables.
        device: torch device.
    """
    raise TypeError(f"no world for {type(choice).__name__}")


@build_world.register
def _(choice: LinearChoice, cache: Path, device: str) -> World:
    return random_linear_world(**choice.model_dump(exclude={"kind"}), device=device)


@build_world.register
def _(choice: TextChoice, cache: Path, device: str) -> World:
    from repro.worlds.instances.preference_text import preference_text_world

    return preference_text_world(choice, cache, device)


@build_world.register
def _(choice: HypercubeChoice, cache: Path, device: str) -> World:
    return hypercube_world(**choice.model_dump(exclude={"kind"}), device=device)


@build_world.register
def _(choice: LargeDifferenceChoice, cache: Path, device: str) -> World:
    weight = choice.kl_weight or choice.reward_bound
    return large_difference_world(choice.reward_bound, choice.margin, weight, device)


@build_world.register
def _(choice: BadArmsChoice, cache: Path, device: str) -> World:
    return bad_arms_world(**choice.model_dump(exclude={"kind"}), device=device)
