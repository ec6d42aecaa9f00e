"""What cases share in which labels choose between two policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from repro.base.notation import privacy_cost
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import LabelCase


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPolicyCase(LabelCase):
    """One grid point; a subclass adds its world.

    Attributes:
        estimate: (chosen, true) index of a policy → what the algorithm returns.
    """

    estimate: Estimate = as_fitted

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)
