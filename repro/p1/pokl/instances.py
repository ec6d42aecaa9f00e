"""Instances of the online experiments as configuration, and how they are built."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import (
    Finite,
    KLWeight,
    Model,
    Positive,
    RewardBound,
    Share,
    Whole,
)
from repro.worlds.instances.build import build_world
from repro.worlds.instances.choices import Count, LinearChoice, Seed
from repro.worlds.instances.linear import LinearWorld, random_linear_world


class SteadyPolicyChoice(Model):
    """A random linear world whose rewards scale with kl_weight, so that π* does not move."""

    kind: Literal["steady_policy"]
    num_states: Count
    num_actions: Annotated[Whole, Field(ge=2, le=100)]
    num_features: Count
    radius: Positive
    tilt: Positive
    kl_weight: KLWeight
    seed: Seed


class HiddenArmChoice(Model):
    """One state; π_ref hardly ever draws the best response."""

    kind: Literal["hidden_arm"]
    num_actions: Annotated[Whole, Field(ge=3, le=100)]
    best_prob: Share
    advantage: Positive
    radius: Positive
    kl_weight: KLWeight


class TwoRewardsChoice(Model):
    """One state, two responses, the first better by the whole reward bound."""

    kind: Literal["two_rewards"]
    reward_bound: RewardBound
    kl_weight: KLWeight


class NearBoundChoice(Model):
    """Two responses a state whose rewards differ by reward_bound − room, or by ``difference``.

    ``coverage`` is π*/π_ref in odds, so that kl_weight is that difference over log(coverage).
    """

    kind: Literal["near_bound"]
    num_states: Count
    best_prob: Share
    coverage: Annotated[Finite, Field(gt=1)]
    reward_bound: RewardBound
    room: Positive | None = None
    difference: Positive | None = None

    @property
    def apart(self) -> float:
        """The difference.

        Raises:
            BadInput: it is not given in one way, or not between 0 and the bound.
        """
        if (self.room is None) == (self.difference is None):
            raise BadInput("room", self.room, "allowed: either room or difference is given")
        difference = self.difference if self.room is None else self.reward_bound - self.room
        if difference is None or not 0 < difference <= self.reward_bound:
            allowed = f"allowed: a difference between 0 and the reward bound {self.reward_bound:g}"
            raise BadInput("room" if self.difference is None else "difference", difference, allowed)
        return difference


OnlineChoice = Annotated[
    LinearChoice | SteadyPolicyChoice | HiddenArmChoice | TwoRewardsChoice | NearBoundChoice,
    Field(discriminator="kind"),
]


@build_world.register
def _(choice: SteadyPolicyChoice, cache: Path, device: str) -> LinearWorld:
    values = choice.model_dump(exclude={"kind", "tilt"})
    share = choice.tilt * choice.kl_weight / choice.radius
    return random_linear_world(**values, theta_share=share, device=device)


@build_world.register
def _(choice: HiddenArmChoice, cache: Path, device: str) -> LinearWorld:
    return hidden_arm_world(**choice.model_dump(exclude={"kind"}), device=device)


@build_world.register
def _(choice: TwoRewardsChoice, cache: Path, device: str) -> LinearWorld:
    return two_rewards_world(choice.reward_bound, choice.kl_weight, device)


@build_world.register
def _(choice: NearBoundChoice, cache: Path, device: str) -> LinearWorld:
    given = choice.model_dump(exclude={"kind", "room", "difference"})
    return near_bound_world(**given, difference=choice.apart, device=device)


def hidden_arm_world(
    num_actions: int,
    best_prob: float,
    advantage: float,
    radius: float,
    kl_weight: float,
    device: str = "cpu",
) -> LinearWorld:
    """One state, one feature per response but the first; the last is the best, and rare.

    Args:
        num_actions: A ≥ 3.
        best_prob: π_ref of the best response; the others share the rest.
        advantage: its reward over all others.
        radius: of the class.
        kl_weight: weight of KL in the objective.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    features = torch.zeros(1, num_actions, num_actions - 1, **options)
    features[0, 1:] = torch.eye(num_actions - 1, **options)
    reference = torch.full((1, num_actions), (1 - best_prob) / (num_actions - 1), **options)
    reference[0, -1] = best_prob
    theta = torch.zeros(num_actions - 1, **options)
    theta[-1] = advantage
    return LinearWorld(
        features=features,
        state_prob=torch.ones(1, **options),
        reference=reference,
        theta=theta,
        radius=radius,
        reward_bound=2.0 * radius,
        kl_weight=kl_weight,
    )


def two_rewards_world(reward_bound: float, kl_weight: float, device: str = "cpu") -> LinearWorld:
    """One state, two responses, rewards (B, 0).

    Args:
        reward_bound: B.
        kl_weight: weight of KL.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    return LinearWorld(
        features=torch.tensor([[[1.0], [0.0]]], **options),
        state_prob=torch.ones(1, **options),
        reference=torch.full((1, 2), 0.5, **options),
        theta=torch.full((1,), reward_bound, **options),
        radius=reward_bound,
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )


def near_bound_world(
    num_states: int,
    best_prob: float,
    coverage: float,
    reward_bound: float,
    difference: float,
    device: str = "cpu",
) -> LinearWorld:
    """Two responses in each of S equally likely states; the first is better by a difference.

    π* plays it with best_prob; π_ref's odds of it are those of π* over ``coverage``.

    Args:
        num_states: S ≥ 1.
        best_prob: π*(first), in (0, 1).
        coverage: > 1.
        reward_bound: B.
        difference: in (0, B].
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    odds = best_prob / (1 - best_prob) / coverage
    reference = torch.tensor([odds / (1 + odds), 1 / (1 + odds)], **options)
    features = torch.zeros(num_states, 2, num_states, **options)
    features[:, 0] = torch.eye(num_states, **options)
    return LinearWorld(
        features=features,
        state_prob=torch.full((num_states,), 1 / num_states, **options),
        reference=reference.expand(num_states, 2).clone(),
        theta=torch.full((num_states,), difference, **options),
        radius=reward_bound * math.sqrt(num_states),
        reward_bound=reward_bound,
        kl_weight=difference / math.log(coverage),
    )
