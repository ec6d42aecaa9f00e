"""Noise that P3 prints for the covariance Σ_D (Algorithm 2), as a Gaussian shift."""

from __future__ import annotations

import math

REPLACEMENT = math.sqrt(2.0)
"""‖Σ_D − Σ_D'‖_F over 4L²/n when an item is replaced by one with an orthogonal difference."""


def printed_shift(epsilon: float, dp_delta: float) -> float:
    """4L²/(nσ) for the printed σ² = 64·log(1/δ)·L⁴/(ε²n²) (Lemma A.7); n and L cancel.

    >>> round(printed_shift(1.0, 1e-6), 4)
    0.1345
    """
    return epsilon / (2 * math.sqrt(math.log(1 / dp_delta)))
