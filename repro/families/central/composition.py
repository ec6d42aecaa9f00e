"""Releases made together: exact privacy of a mechanism and an independent Gaussian release.

Where one release has privacy loss ℓ and the other is a Gaussian shift μ on the same pair of
neighbours, δ(ε) = E[δ_μ(ε − ℓ)]: no accountant's discretisation is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.families.central.mechanisms_gaussian import gaussian_delta
from repro.families.central.mechanisms_objective import ObjectivePerturbation
from repro.privacy.mechanism import Mechanism

LARGEST_LOSS = 600.0


@dataclass(frozen=True)
class WithGaussian(Mechanism):
    """An estimate by objective perturbation and an independent Gaussian release of another.

    Attributes:
        estimate: the first release.
        shift: Δ/σ of the second on the same neighbours, > 0.
    """

    estimate: ObjectivePerturbation
    shift: float

    def exact_delta(self, epsilon: float) -> float:
        return max(self._delta(side, epsilon) for side in (0, 1))

    def _delta(self, side: int, epsilon: float) -> float:
        losses = np.clip(self.estimate.losses[side], -LARGEST_LOSS, LARGEST_LOSS)
        return float(
            (self.estimate.mass(side) * gaussian_delta(self.shift, epsilon - losses)).sum()
        )

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        """Sum of the two log likelihood ratios."""
        first = self.estimate.scores(rng, neighbour, count)
        second = rng.standard_normal(count) + neighbour * self.shift
        return first + self.shift * (second - self.shift / 2)
