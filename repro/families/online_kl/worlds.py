"""Worlds of the online experiments as configuration, and how they are built."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
from pydantic import Field, TypeAdapter

from repro.base.schema import KLWeight, Model, Positive, Share, Whole
from repro.instances.choices import Count, LinearChoice, Seed
from repro.instances.linear import LinearWorld, random_linear_world


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
    reward_bound: Positive
    kl_weight: KLWeight


OnlineChoice = Annotated[
    LinearChoice | SteadyPolicyChoice | HiddenArmChoice | TwoRewardsChoice,
    Field(discriminator="kind"),
]


def replaced(choice: Model, **fields: object) -> Model:
    """The choice with some fields replaced, checked again."""
    return TypeAdapter(OnlineChoice).validate_python(choice.model_dump() | fields)


def online_world(choice: Model, device: str = "cpu") -> LinearWorld:
    """Build the world that a choice describes."""
    match choice:
        case HiddenArmChoice():
            return hidden_arm_world(**choice.model_dump(exclude={"kind"}), device=device)
        case TwoRewardsChoice():
            return two_rewards_world(choice.reward_bound, choice.kl_weight, device)
        case SteadyPolicyChoice():
            values = choice.model_dump(exclude={"kind", "tilt"})
            share = choice.tilt * choice.kl_weight / choice.radius
            return random_linear_world(**values, theta_share=share, device=device)
        case LinearChoice():
            return random_linear_world(**choice.model_dump(exclude={"kind"}), device=device)
    raise TypeError(f"no world for {type(choice).__name__}")


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
