"""Worlds of label cells as configuration: what a YAML file may ask for, checked.

Field names are axis names of the contract, so a sweep replaces one field of a choice.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import torch
from pydantic import Field, model_validator

from repro.base.schema import (
    Finite,
    Model,
    Number,
    Positive,
    RewardBound,
    Share,
    validate_union,
)
from repro.p4.label_cells.log_linear import lopsided_arms, three_arms, uncovered_arms
from repro.p4.label_cells.pairs import (
    PairWorld,
    PolicyPairs,
    isotropic_cells,
    orthogonal_cells,
    pair_world,
    pairs_of,
    unseen_direction,
)
from repro.p4.label_cells.rare_cell import RareCell
from repro.worlds.instances.choices import Choice, Count

Coverage = Annotated[Finite, Field(gt=1)]


class CellsChoice(Model):
    """Orthogonal cells of equal probability.

    Attributes:
        num_features: k, the number of cells.
        min_eigenvalue: ξ, probability of each; the other pairs have two equal responses.
        reward_diff: |⟨x, θ⟩| in every cell, the sign alternating.
        reward_bound: B′, radius of the class.
    """

    kind: Literal["cells"]
    num_features: Count
    min_eigenvalue: Share
    reward_diff: Annotated[Finite, Field(ge=0)]
    reward_bound: Positive

    @model_validator(mode="after")
    def _possible(self):
        if self.num_features * self.min_eigenvalue > 1:
            raise ValueError("num_features·min_eigenvalue at most 1: they are probabilities")
        if self.reward_diff * self.num_features**0.5 > self.reward_bound:
            raise ValueError("reward_diff·√num_features at most reward_bound")
        return self

    def build(self, device: str) -> PairWorld:
        """Cells with rewards of alternating sign."""
        signs = [1.0 - 2.0 * (j % 2) for j in range(self.num_features)]
        return orthogonal_cells(
            [self.min_eigenvalue] * self.num_features,
            [sign * self.reward_diff for sign in signs],
            self.reward_bound,
            device,
        )


class IsotropicChoice(Model):
    """d = 1/ξ orthogonal cells of probability ξ each, the largest ξ there is (P4, App. C)."""

    kind: Literal["isotropic"]
    min_eigenvalue: Share
    reward_diff: Annotated[Finite, Field(ge=0)]
    reward_bound: Positive

    def build(self, device: str) -> PairWorld:
        """1/ξ cells."""
        num = round(1 / self.min_eigenvalue)
        return isotropic_cells(num, self.reward_diff, self.reward_bound, device)


class SaturatedChoice(Model):
    """One cell, all pairs, ⟨x, θ⟩ a fixed margin below B′: where curvature costs 1/γ."""

    kind: Literal["saturated"]
    reward_bound: Positive
    margin: Positive

    def build(self, device: str) -> PairWorld:
        """One cell near the end of the class."""
        difference = self.reward_bound - self.margin
        return orthogonal_cells([1.0], [difference], self.reward_bound, device)


class OppositeChoice(Model):
    """Two responses of features φ and −φ, ‖φ‖ = 1, and θ = B′·φ: ‖x‖ = 2 and ⟨x, θ⟩ = 2B′."""

    kind: Literal["opposite"]
    reward_bound: RewardBound

    def build(self, device: str) -> PairWorld:
        """One cell, all pairs, at the end of the class."""
        options = {"dtype": torch.float64, "device": device}
        x, mass = torch.tensor([[2.0]], **options), torch.ones(1, **options)
        truth = torch.tensor([self.reward_bound], **options)
        return pair_world(x, mass, truth, self.reward_bound)


class UnseenChoice(Model):
    """One cell seen always, one direction of θ never."""

    kind: Literal["unseen"]

    def build(self, device: str) -> PairWorld:
        """Nothing to choose."""
        return unseen_direction(device)


class RareChoice(Model):
    """A cell of mass m, the floor being the supremum over m (``RareCell``).

    Attributes:
        reward_bound: B′, radius of the class.
        reward_share: the truth as a share of B′.
        masses: smallest and largest m.
        ratio: between rungs of the ladder of masses.
        fixed_mass: the m of checks on one mass.
    """

    kind: Literal["rare"]
    reward_bound: Positive
    reward_share: Annotated[Number, Field(ge=-1, le=1)]
    masses: tuple[Share, Share]
    ratio: Annotated[Number, Field(gt=1, le=100)]
    fixed_mass: Share

    def build(self, device: str) -> RareCell:
        """The rare cell; it is measured on the CPU."""
        truth = self.reward_share * self.reward_bound
        return RareCell(self.reward_bound, truth, self.masses, self.ratio, self.fixed_mass)


class ThreeArmsChoice(Model):
    """Three responses in one state: their weights under π_sft, θ_true, B′ and β."""

    kind: Literal["three_arms"]
    reference: tuple[Positive, Positive, Positive]
    reward: tuple[Finite, Finite]
    reward_bound: Positive
    kl_weight: Positive

    def build(self, device: str) -> PolicyPairs:
        """Label cells of ``three_arms``."""
        fields = self.model_dump(exclude={"kind"})
        return pairs_of(three_arms(**fields, device=device))


class LopsidedChoice(Model):
    """Two responses under a lopsided reference.

    Attributes:
        coverage: κ_Π.
        kl_weight: β, small against the class.
    """

    kind: Literal["lopsided"]
    coverage: Coverage
    kl_weight: Positive

    def build(self, device: str) -> PolicyPairs:
        """Label cells of ``lopsided_arms``."""
        return pairs_of(lopsided_arms(self.coverage, self.kl_weight, device))


class UncoveredChoice(Model):
    """Three responses, the third drawn with probability 1/coverage only.

    Attributes:
        coverage: 1/π_sft of the third response.
        rewards: of the three responses, the first the largest.
        reward_bound: B′.
        kl_weight: β.
    """

    kind: Literal["uncovered"]
    coverage: Coverage
    rewards: tuple[Finite, Finite, Finite]
    reward_bound: Positive
    kl_weight: Positive

    def build(self, device: str) -> PolicyPairs:
        """Label cells of ``uncovered_arms``; pessimism is computed on the CPU."""
        share = 1 / self.coverage
        return pairs_of(uncovered_arms(share, self.rewards, self.reward_bound, self.kl_weight))


PairChoice = (
    CellsChoice
    | IsotropicChoice
    | SaturatedChoice
    | OppositeChoice
    | UnseenChoice
    | RareChoice
    | ThreeArmsChoice
    | LopsidedChoice
    | UncoveredChoice
)
AnyPairChoice = Annotated[PairChoice, Field(discriminator="kind")]
AnyPairs = Annotated[PairChoice | Choice, Field(discriminator="kind")]
"""Also those of the ``instance`` group."""


def pair_choice_at(choice: PairChoice, **fields: object) -> PairChoice:
    """The choice with some fields replaced, checked again.

    Raises:
        BadInput: the first field that it cannot take.
    """
    return validate_union(AnyPairChoice, choice.model_dump() | fields)


@lru_cache(maxsize=256)
def build_pair_world(choice: PairChoice, device: str) -> PairWorld | RareCell:
    """The world that a choice describes, built once in a process."""
    return choice.build(device)
