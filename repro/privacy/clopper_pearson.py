"""Exact confidence bounds on a probability from a count (Clopper and Pearson 1934)."""

from __future__ import annotations

from scipy import stats


def lower(hits: int, trials: int, level: float) -> float:
    """Bound that lies below the probability with confidence ``level``.

    >>> lower(0, 10, 0.95)
    0.0
    """
    return float(stats.beta.ppf(1 - level, hits, trials - hits + 1)) if hits > 0 else 0.0


def upper(hits: int, trials: int, level: float) -> float:
    """Bound that lies above the probability with confidence ``level``.

    >>> round(upper(0, 10, 0.95), 4)
    0.2589
    """
    return float(stats.beta.ppf(level, hits + 1, trials - hits)) if hits < trials else 1.0
