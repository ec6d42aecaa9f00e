"""The states along whose axes P3's results are measured, as configuration.

Each choice becomes an ``AxisWorld``: where pairs are compared, where policies are judged, and θ*.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from repro.base.schema import Count, Model, Share
from repro.p3.curator.axis_world import (
    AxisWorld,
    even_world,
    half_null_world,
    half_seen_world,
    hardest_even_world,
    multi_scale_world,
    trapped_world,
)


class AxisStates(Model):
    """States along coordinate axes, one pair of responses each."""

    @abstractmethod
    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        """The states.

        Args:
            length: of every pair's feature difference.
            norm: ‖θ*‖.
            n_pairs: n, for the states whose θ* depends on it.
        """


class ScalesChoice(AxisStates):
    """Data mass ∝ 4^(−k), test mass ∝ 2^(−k)."""

    kind: Literal["scales"]
    num_levels: Count

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return multi_scale_world(self.num_levels, length, norm)


class TrappedChoice(AxisStates):
    """The same with a state whose worse response was never compared, of test mass ``trap_prob``."""

    kind: Literal["trapped"]
    num_levels: Count
    trap_prob: Share

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return trapped_world(self.num_levels, length, norm, self.trap_prob)


class HardestChoice(AxisStates):
    """A table of d states with the costliest reward difference at n labels, whatever ‖θ*‖."""

    kind: Literal["hardest"]
    num_features: Count

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return hardest_even_world(self.num_features, length, n_pairs)


class EvenChoice(AxisStates):
    """Equal masses: only benign directions."""

    kind: Literal["even"]
    num_features: Count

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return even_world(self.num_features, length, norm)


class HalfNullChoice(AxisStates):
    """Half of the coordinates are never compared; θ* is 0 on them."""

    kind: Literal["half_null"]
    num_features: Count

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return half_null_world(self.num_features, length, norm)


class HalfSeenChoice(AxisStates):
    """Half of the coordinates are never compared; θ* is of one size on all."""

    kind: Literal["half_seen"]
    num_features: Count

    def built(self, length: float, norm: float, n_pairs: int) -> AxisWorld:
        return half_seen_world(self.num_features, length, norm)


AxisChoice = Annotated[
    ScalesChoice | TrappedChoice | HardestChoice | EvenChoice | HalfNullChoice | HalfSeenChoice,
    Field(discriminator="kind"),
]
"""What a world's ``instance`` may be."""


@lru_cache(maxsize=256)
def axis_states(choice: AxisStates, length: float, norm: float, n_pairs: int) -> AxisWorld:
    """``choice.built``, once a process."""
    return choice.built(length, norm, n_pairs)
