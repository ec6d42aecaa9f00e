"""A central mechanism's noise as a stage: what is really added, whatever the curator believes."""

from __future__ import annotations

from dataclasses import dataclass


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
