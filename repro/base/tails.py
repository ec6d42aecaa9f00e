"""Tails of counts, without ``scipy.stats``, which takes half a second of CPU to import."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


def binomial_above(count: Any, trials: Any, prob: Any) -> Any:
    """P(Bin(n, p) > k), any shapes; k a whole number, also below 0 or above n.

    >>> float(binomial_above(1, 2, 0.5)), float(binomial_above(-1, 2, 0.5))
    (0.25, 1.0)
    """
    inside = np.clip(count, 0, trials - 1)
    tail = special.betainc(inside + 1, trials - inside, prob)
    return np.where(count < 0, 1.0, np.where(count >= trials, 0.0, tail))


def binomial_up_to(count: Any, trials: Any, prob: Any) -> Any:
    """P(Bin(n, p) ≤ k), likewise, without the cancellation of 1 − ``binomial_above``.

    >>> float(binomial_up_to(0, 2, 0.5)), float(binomial_up_to(2, 2, 0.5))
    (0.25, 1.0)
    """
    inside = np.clip(count, 0, trials - 1)
    tail = special.betaincc(inside + 1, trials - inside, prob)
    return np.where(count < 0, 0.0, np.where(count >= trials, 1.0, tail))


def poisson_chance(count: Any, mean: float) -> Any:
    """P(Poisson(m) = k), any shape of k ≥ 0."""
    return np.exp(special.xlogy(count, mean) - mean - special.gammaln(np.asarray(count) + 1))
