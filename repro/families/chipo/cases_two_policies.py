"""What cases share in which labels choose between two policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from repro.base.notation import privacy_cost
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)
from repro.study.case import Case


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPolicyCase(Case):
    """One grid point; a subclass adds its world.

    Attributes:
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimate: (chosen, true) index of a policy → what the algorithm returns.
    """

    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimate: Estimate = as_fitted

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)
