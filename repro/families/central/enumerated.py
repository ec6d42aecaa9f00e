"""A finite class of policies by their expected features: greedy and pessimistic choices (P3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repro.families.central.algorithms_pessimism import pessimistic_values


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """All policies of an instance.

    Attributes:
        features: (P, d) E[φ(s, π(s))] − v.
        gaps: (P,) true sub-optimality.
    """

    features: Tensor
    gaps: Tensor

    @property
    def optimal_features(self) -> Tensor:
        """(d,) of the best policy."""
        return self.features[self.gaps.argmin()]

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) gap of argmax ⟨θ, E φ⟩."""
        return self.gaps[(theta @ self.features.T).argmax(-1)]

    def pessimistic_gap(
        self, theta: Tensor, matrix: Tensor, error_bound: float, radius: float
    ) -> Tensor:
        """(R,) gap of Algorithm 3; NaN where its confidence set is empty or no ellipsoid."""
        values = pessimistic_values(self.features, theta, matrix, error_bound, radius)
        found = self.gaps[values.nan_to_num(-torch.inf).argmax(-1)]
        return torch.where(values.isnan().any(-1), torch.nan, found)


def all_choices(num_states: int) -> Tensor:
    """(2^S, S) every way to choose one of two responses at each state, as booleans."""
    number = torch.arange(2**num_states)[:, None]
    return (number >> torch.arange(num_states)) % 2 == 1
