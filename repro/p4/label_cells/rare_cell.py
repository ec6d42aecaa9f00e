"""One cell of unknown mass: where no coverage is assumed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class RareCell:
    """One cell of unknown mass; all other pairs have two equal responses.

    Attributes:
        reward_bound: B′, radius of the class of ⟨x, θ⟩.
        reward_diff: the truth, in [−B′, B′].
        masses: smallest and largest mass.
        ratio: between rungs.
        fixed_mass: a mass that is not looked for.
    """

    reward_bound: float
    reward_diff: float
    masses: tuple[float, float]
    ratio: float
    fixed_mass: float

    def under_uniform_reference(self) -> RareCell:
        """The same where half of all pairs inform, as with two equally likely responses."""
        return replace(self, masses=(0.5, 0.5), fixed_mass=0.5)

    def ladder(self) -> np.ndarray:
        """(L,) masses."""
        low, high = self.masses
        return low * self.ratio ** np.arange(int(np.log(high / low) / np.log(self.ratio)) + 1)
