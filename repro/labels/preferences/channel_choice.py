"""A channel as configuration: what ``channel=`` may ask for, checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import FiniteEpsilon, Model, Number, validate
from repro.labels.preferences.label_mixture import ROUNDING, LabelMixture, mixture_of_flips

Chance = Annotated[Number, Field(ge=0, le=1)]


class MixtureChoice(Model):
    """Randomized response with probability ``truth``, else a constant answer."""

    kind: Literal["mixture"]
    truth: Annotated[Number, Field(gt=0, le=1)]
    always_yes: Chance

    def channel(self) -> LabelMixture:
        """The channel.

        Raises:
            BadInput: the two are no probabilities together.
        """
        if self.truth + self.always_yes > 1 + ROUNDING:
            allowed = f"allowed: at most 1 − channel.truth = {1 - self.truth:g}"
            raise BadInput("channel.always_yes", self.always_yes, allowed)
        return LabelMixture(self.truth, self.always_yes)


class FlipsChoice(Model):
    """Flip probabilities of −1 and of +1 at one ε."""

    kind: Literal["flips"]
    p0: Chance
    p1: Chance
    epsilon: FiniteEpsilon

    def channel(self) -> LabelMixture:
        """The channel.

        Raises:
            BadInput: it is not ε-private.
        """
        return mixture_of_flips(self.p0, self.p1, self.epsilon)


KINDS: dict[str, type[MixtureChoice] | type[FlipsChoice]] = {
    "mixture": MixtureChoice,
    "flips": FlipsChoice,
}


def chosen_channel(values: Any) -> LabelMixture:
    """The channel of the composed ``channel`` group.

    Raises:
        BadInput: an unknown kind, a bad value, or a channel that is not private.
    """
    if not isinstance(values, dict):
        raise BadInput("channel", values, "allowed: channel=NAME, or channel.KEY=VALUE")
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadInput("channel.kind", kind, f"allowed: {', '.join(KINDS)}")
    return validate(KINDS[kind], values, "channel").channel()
