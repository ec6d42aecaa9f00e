"""Worlds as configuration: what a YAML file may ask for, checked.

Field names are axis names of the contract, so a sweep replaces one field of a choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from repro.base.errors import BadInput
from repro.base.schema import (
    Count,
    Finite,
    KLWeight,
    Model,
    Number,
    Positive,
    RewardBound,
    Share,
    Whole,
    validate,
    validate_union,
)

Seed = Annotated[Whole, Field(ge=0, le=2**63)]


class LinearChoice(Model):
    """A random linear world (``repro.worlds.instances.linear``)."""

    kind: Literal["linear"]
    num_states: Count
    num_actions: Annotated[Whole, Field(ge=2, le=100)]
    num_features: Count
    radius: Positive
    theta_share: Share
    theta_features: Count | None = None
    kl_weight: KLWeight
    seed: Seed

    @model_validator(mode="after")
    def _identified(self):
        most = self.num_states * (self.num_actions - 1)
        if self.num_features > most:
            raise ValueError(f"num_features at most num_states·(num_actions − 1) = {most}")
        if (self.theta_features or 1) > self.num_features:
            raise ValueError(f"theta_features at most num_features = {self.num_features}")
        return self


class TextChoice(Model):
    """Real or generated preference pairs (``repro.worlds.instances.preference_text``)."""

    kind: Literal["preference_text"]
    path: str | tuple[str, ...] | None
    num_features: Annotated[Whole, Field(ge=5, le=256)]
    theta_share: Share
    reference_tilt: Annotated[Number, Field(ge=0, le=10)]
    kl_weight: KLWeight
    digest: str | None = None


class HypercubeChoice(Model):
    """The hypercube of P1's Theorem 4.5 (``repro.worlds.instances.two_arms``)."""

    kind: Literal["hypercube"]
    num_states: Count
    coverage: Annotated[Finite, Field(gt=2)]
    kl_weight: KLWeight
    reward_bound: RewardBound
    tilt: Positive


class LargeDifferenceChoice(Model):
    """One state, two responses, rewards nearly B apart; kl_weight defaults to B."""

    kind: Literal["large_difference"]
    reward_bound: RewardBound
    margin: Positive
    kl_weight: KLWeight | None = None


class BadArmsChoice(Model):
    """Two good responses and many bad ones with π_ref = 1/coverage."""

    kind: Literal["bad_arms"]
    coverage: Positive
    num_bad: Count
    reward_difference: Positive
    radius: Positive
    kl_weight: KLWeight

    @model_validator(mode="after")
    def _leaves_the_good_ones_something(self):
        if self.coverage <= self.num_bad:
            raise ValueError(f"coverage above num_bad = {self.num_bad}")
        return self


Choice = LinearChoice | TextChoice | HypercubeChoice | LargeDifferenceChoice | BadArmsChoice
AnyChoice = Annotated[Choice, Field(discriminator="kind")]
INSTANCES: dict[str, type[Model]] = {"linear": LinearChoice, "preference_text": TextChoice}


def instance_choice(values: Mapping[str, Any]) -> LinearChoice | TextChoice:
    """Check the composed ``instance`` group.

    Raises:
        BadInput: an unknown kind, a bad value, or more features than the world identifies.
    """
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in INSTANCES:
        raise BadInput("instance.kind", kind, f"allowed: {', '.join(INSTANCES)}")
    return validate(INSTANCES[kind], dict(values), "instance")  # type: ignore[return-value]


def at(choice: Choice, **fields: object) -> Choice:
    """The choice with some fields replaced, checked again.

    Raises:
        BadInput: the first field that it cannot take.
    """
    return validate_union(AnyChoice, choice.model_dump() | fields)
