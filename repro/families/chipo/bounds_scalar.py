"""How far apart numbers with close sigmoids are: P2's Lemmas C.2 and C.7 on dense grids."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

POINTS = 801


def inverse_slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|x − y| / |σ(x) − σ(y)| without cancellation; 1/σ'(x) where x = y.

    σ(x) − σ(y) = sinh((x−y)/2) / (2·cosh(x/2)·cosh(y/2)).

    >>> float(inverse_slope(np.array(0.0), np.array(0.0)))
    4.0
    """
    half = (x - y) / 2
    safe = np.where(np.abs(half) < 1e-9, 1.0, half)
    spread = np.where(np.abs(half) < 1e-9, 1.0, safe / np.sinh(safe))
    return 4 * np.cosh(x / 2) * np.cosh(y / 2) * spread


@lru_cache(maxsize=64)
def largest_on_square(bound: float) -> float:
    """max of ``inverse_slope`` over |z|, |z'| ≤ bound, on a grid with its corners."""
    z = np.linspace(-bound, bound, POINTS)
    return float(inverse_slope(z[:, None], z[None, :]).max())


def largest_mean_value(reward: float, value: float) -> float:
    """max of ``inverse_slope`` over |x| ≤ value, |y| ≤ reward, value > reward: at both bounds.

    >>> round(largest_mean_value(1.0, 2.0), 3)
    6.678
    """
    return float(inverse_slope(np.array(value), np.array(reward)))


@lru_cache(maxsize=64)
def largest_over_corrected(bound: float, furthest: float = 50.0) -> float:
    """max over |x| ≤ furthest, |y| ≤ R = bound of inverse_slope/(4cosh²(R/2)·(1 + (|x| − R)₊))."""
    x = np.linspace(-furthest, furthest, 4 * POINTS + 1)
    x = np.concatenate([x, np.linspace(-bound, bound, POINTS)])
    y = np.linspace(-bound, bound, POINTS)
    beyond = np.maximum(np.abs(x) - bound, 0.0)[:, None]
    known = 4 * np.cosh(bound / 2) ** 2 * (1 + beyond)
    return float((inverse_slope(x[:, None], y) / known).max())


@lru_cache(maxsize=64)
def largest_over_sum(bound: float, furthest: float = 50.0) -> float:
    """max over |x| ≤ furthest, |y| ≤ bound of inverse_slope/(|x| + bound).

    In Lemma C.7 X ≥ |x| and Y = bound, and X = |x| is the hardest.
    """
    x = np.linspace(-furthest, furthest, 4 * POINTS + 1)
    y = np.linspace(-bound, bound, POINTS)
    return float((inverse_slope(x[:, None], y) / (np.abs(x)[:, None] + bound)).max())
