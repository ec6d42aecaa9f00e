"""A central mechanism's noise as a stage: what is really added, whatever the curator believes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repro.labels.privacy.mechanism import Mechanism


@dataclass(frozen=True)
class CentralNoise:
    """Noise in units of what the mechanism says it adds.

    Attributes:
        multiple: of the stated standard deviation: 1 as stated, 0 none; at least 0.
    """

    multiple: float


GAUSSIAN = CentralNoise(1.0)
"""The noise that the mechanism states."""

NO_NOISE = CentralNoise(0.0)
"""Releases are exact, and the curator still believes in their noise."""


@dataclass(frozen=True)
class Revealed(Mechanism):
    """Both inputs are released as they are, and differ: every run tells which it was."""

    def exact_delta(self, epsilon: float) -> float:
        return 1.0

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        return np.full(count, float(neighbour))


def under(noise: CentralNoise, mechanism: Callable[[float], Mechanism]) -> Mechanism:
    """The mechanism under the noise that there really is.

    Args:
        noise: in units of what the mechanism states.
        mechanism: a positive multiple of the stated standard deviations → the mechanism.
    """
    # Densities have no limit at a deviation of 0; what is left there is the release itself.
    return Revealed() if noise.multiple == 0 else mechanism(noise.multiple)
