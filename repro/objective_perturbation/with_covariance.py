"""θ̃ by objective perturbation released beside a noisy covariance (P3, Algorithms 1 and 2), exactly.

The covariance's release is a Gaussian mechanism.  Composed with a release of privacy loss ℓ on the
same pair of neighbours, δ(ε) = E[δ_μ(ε − ℓ)]: no accountant's discretisation is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.objective_perturbation.one_dimension import ObjectivePerturbation
from repro.privacy.gaussian import gaussian_delta
from repro.privacy.mechanism import Mechanism

REPLACEMENT = math.sqrt(2.0)
"""‖Σ_D − Σ_D'‖_F over 4L²/n when an item is replaced by one with an orthogonal difference."""


def printed_shift(epsilon: float, dp_delta: float) -> float:
    """4L²/(nσ) for the printed σ² = 64·log(1/δ)·L⁴/(ε²n²) (Lemma A.7); n and L cancel.

    >>> round(printed_shift(1.0, 1e-6), 4)
    0.1345
    """
    return epsilon / (2 * math.sqrt(math.log(1 / dp_delta)))


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
