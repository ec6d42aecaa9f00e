"""Worlds of label cells as configuration; field names are axis names of the contract."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, model_validator

from repro.base.schema import Finite, Model, Positive, Share
from repro.families.robust.worlds_pairs import PairWorld, isotropic_cells, orthogonal_cells
from repro.instances.choices import Count


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


class IsotropicChoice(Model):
    """d = 1/ξ orthogonal cells of probability ξ each, the largest ξ there is (P4, App. C)."""

    kind: Literal["isotropic"]
    min_eigenvalue: Share
    reward_diff: Annotated[Finite, Field(ge=0)]
    reward_bound: Positive


class SaturatedChoice(Model):
    """One cell, all pairs, ⟨x, θ⟩ a fixed margin below B′: where curvature costs 1/γ."""

    kind: Literal["saturated"]
    reward_bound: Positive
    margin: Positive


PairChoice = CellsChoice | IsotropicChoice | SaturatedChoice
AnyPairChoice = Annotated[PairChoice, Field(discriminator="kind")]


def pair_choice_at(choice: PairChoice, **fields: object) -> PairChoice:
    """The choice with some fields replaced, checked again."""
    return TypeAdapter(AnyPairChoice).validate_python(choice.model_dump() | fields)


@lru_cache(maxsize=256)
def build_pair_world(choice: PairChoice, device: str) -> PairWorld:
    """The world that a choice describes."""
    match choice:
        case CellsChoice():
            signs = [1.0 - 2.0 * (j % 2) for j in range(choice.num_features)]
            return orthogonal_cells(
                [choice.min_eigenvalue] * choice.num_features,
                [sign * choice.reward_diff for sign in signs],
                choice.reward_bound,
                device,
            )
        case IsotropicChoice():
            num = round(1 / choice.min_eigenvalue)
            return isotropic_cells(num, choice.reward_diff, choice.reward_bound, device)
        case SaturatedChoice():
            difference = choice.reward_bound - choice.margin
            return orthogonal_cells([1.0], [difference], choice.reward_bound, device)
