"""A class of rewards as configuration: what ``reward_class=`` may ask for, checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Model, Number, Whole, validate
from repro.worlds.policies.reward_class import BALL, Ball, Box, FiniteClass, RewardClass

LARGEST_CLASS = 10_000
"""Members of a finite class, each of which is compared on every dataset."""


class BallChoice(Model):
    """The ball of the world's radius."""

    kind: Literal["ball"]

    def reward_class(self) -> Ball:
        """The class."""
        return BALL


class BoxChoice(Model):
    """A box around the origin."""

    kind: Literal["box"]
    half_width: Annotated[Number, Field(ge=0.01, le=100)]

    def reward_class(self) -> Box:
        """The class."""
        return Box(self.half_width)


class FiniteChoice(Model):
    """The truth and other members."""

    kind: Literal["finite"]
    size: Annotated[Whole, Field(ge=2, le=LARGEST_CLASS)]
    seed: Annotated[Whole, Field(ge=0, lt=2**63)]

    def reward_class(self) -> FiniteClass:
        """The class."""
        return FiniteClass(self.size, self.seed)


KINDS: dict[str, type[BallChoice] | type[BoxChoice] | type[FiniteChoice]] = {
    "ball": BallChoice,
    "box": BoxChoice,
    "finite": FiniteChoice,
}


def chosen_reward_class(values: Any) -> RewardClass:
    """The class of the composed ``reward_class`` group.

    Raises:
        BadInput: an unknown kind or a bad value.
    """
    if not isinstance(values, dict):
        raise BadInput("reward_class", values, "allowed: reward_class=NAME")
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadInput("reward_class.kind", kind, f"allowed: {', '.join(KINDS)}")
    return validate(KINDS[kind], values, "reward_class").reward_class()
