"""Config groups that choose an object: channel, regulariser and reward_class, checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Finite, FiniteEpsilon, Model, Number, Whole, validate
from repro.labels.preferences.label_mixture import (
    RANDOMIZED_RESPONSE,
    ROUNDING,
    LabelMixture,
    mixture_of_flips,
)
from repro.worlds.policies.regularisers import KL, AlphaMixture
from repro.worlds.policies.reward_class import BALL, Ball, Box, FiniteClass

Chance = Annotated[Number, Field(ge=0, le=1)]
Alpha = Annotated[Number, Field(ge=-2, le=4)]
LARGEST_CLASS = 10_000
"""Members of a finite class, each of which is compared on every dataset."""
LARGEST_LOG_RATIO = 20.0
POINTS = 401
"""f″ is looked at in so many ratios from e^−20 to e^20."""


class ObjectChoice(Model):
    """What a file of such a group says."""

    @abstractmethod
    def build(self) -> Any:
        """The object.

        Raises:
            BadInput: the values are allowed one by one, and not together.
        """


class MixtureChoice(ObjectChoice):
    """Randomized response with probability ``truth``, else a constant answer."""

    kind: Literal["mixture"]
    truth: Annotated[Number, Field(gt=0, le=1)]
    always_yes: Chance

    def build(self) -> LabelMixture:
        if self.truth + self.always_yes > 1 + ROUNDING:
            allowed = f"allowed: at most 1 − channel.truth = {1 - self.truth:g}"
            raise BadInput("channel.always_yes", self.always_yes, allowed)
        return LabelMixture(self.truth, self.always_yes)


class FlipsChoice(ObjectChoice):
    """Flip probabilities of −1 and of +1 at one ε, which must be ε-private."""

    kind: Literal["flips"]
    p0: Chance
    p1: Chance
    epsilon: FiniteEpsilon

    def build(self) -> LabelMixture:
        return mixture_of_flips(self.p0, self.p1, self.epsilon)


class RegulariserChoice(ObjectChoice):
    """A convex f by its second derivative, f″(w) = Σ weight·w^(α−2)."""

    terms: Annotated[tuple[tuple[Finite, Alpha], ...], Field(min_length=1, max_length=10)]

    def build(self) -> AlphaMixture:
        mixture = AlphaMixture(tuple((float(weight), float(alpha)) for weight, alpha in self.terms))
        at_one = sum(weight for weight, _ in self.terms)
        shown = [list(term) for term in self.terms]
        if not at_one > 0:
            why = f"f″(1) = {at_one:g}: f is not convex at 1; allowed: weights with a positive sum"
            raise BadInput("regulariser.terms", shown, why)
        ratios: Any = np.exp(np.linspace(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO, POINTS))
        bent = mixture.curvature(ratios) <= 0
        if bool(bent.any()):
            where = float(ratios[bent][0])
            raise BadInput("regulariser.terms", shown, f"f is not convex at {where:.3g}")
        return mixture


class BallChoice(ObjectChoice):
    """The ball of the world's radius."""

    kind: Literal["ball"]

    def build(self) -> Ball:
        return BALL


class BoxChoice(ObjectChoice):
    """A box around the origin."""

    kind: Literal["box"]
    half_width: Annotated[Number, Field(ge=0.01, le=100)]

    def build(self) -> Box:
        return Box(self.half_width)


class FiniteChoice(ObjectChoice):
    """The truth and other members."""

    kind: Literal["finite"]
    size: Annotated[Whole, Field(ge=2, le=LARGEST_CLASS)]
    seed: Annotated[Whole, Field(ge=0, lt=2**63)]

    def build(self) -> FiniteClass:
        return FiniteClass(self.size, self.seed)


KINDS: Mapping[str, Mapping[str, type[ObjectChoice]]] = {
    "channel": {"mixture": MixtureChoice, "flips": FlipsChoice},
    "reward_class": {"ball": BallChoice, "box": BoxChoice, "finite": FiniteChoice},
}
"""Groups whose files have a ``kind``."""
USUAL = {"channel": RANDOMIZED_RESPONSE, "regulariser": KL, "reward_class": BALL}


def chosen(group: str, values: Any) -> Any:
    """The object of one composed group.

    Args:
        group: channel, regulariser or reward_class.
        values: plain values.

    Raises:
        BadInput: an unknown kind, a bad value, a channel that is not private, or an f that is not
            convex.
    """
    if not isinstance(values, dict):
        raise BadInput(group, values, f"allowed: {group}=NAME, or {group}.KEY=VALUE")
    model: type[ObjectChoice] = RegulariserChoice
    if kinds := KINDS.get(group):
        kind = values.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            raise BadInput(f"{group}.kind", kind, f"allowed: {', '.join(kinds)}")
        model = kinds[kind]
    return validate(model, values, group).build()


def chosen_objects(values: Mapping[str, Any]) -> dict[str, Any]:
    """The objects of all groups of a composed config; None for the usual ones."""
    objects = {group: chosen(group, values[group]) for group in USUAL if group in values}
    return {
        group: None if objects.get(group, usual) == usual else objects[group]
        for group, usual in USUAL.items()
    }
