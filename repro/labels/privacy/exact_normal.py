"""Normal noise for real releases: the operating system's bits, and no rounding that can be read.

A coordinate is ν·Φ⁻¹(U) with U uniform, of which 256 bits are drawn.  Doubles alone would not do:
which doubles a sum of data and noise can be tells of the data (Mironov 2012).  So the sum is made
with 320 bits and rounded to a grid, and what is rounded is so near the real sum that another grid
point comes out with a probability of at most ``MISSED``: rounding is post-processing of the real
mechanism, and ``MISSED`` is charged to δ.  Nothing here takes a seed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath.ctx_mp import MPContext
from scipy.special import ndtri

BITS = 256
PRECISION = 320
NEWTON_STEPS = 3
MISSED = 2.0**-150
"""Largest probability that a coordinate is not that of the real mechanism.

The middle of a cell of U stands for all of it.  A cell that holds an edge of the grid has a
probability of 2^−256, and fewer than 2^30 edges lie within 18.6 deviations, beyond which no
midpoint lies; the outermost cells have 2^−255.  Newton's steps leave less than 2^−180 of a
deviation, which an edge of a grid of ν/2^20 or coarser meets with a probability below 2^−155.
"""
FURTHEST = 19.0
"""Deviations: no coordinate is farther from 0."""


def _context() -> Any:
    context = MPContext()
    context.prec = PRECISION
    return context


_MP = _context()


def quantile(word: int) -> Any:
    """Φ⁻¹((word + ½)/2^256) with 320 bits.

    >>> round(float(quantile(1 << 255)), 12), float(quantile(0)) > -FURTHEST
    (0.0, True)
    """
    upper = word >> (BITS - 1)
    tail = (1 << BITS) - 1 - word if upper else word  # symmetric about the middle
    share = _MP.mpf(2 * tail + 1) / (1 << (BITS + 1))
    z = _MP.mpf(-float(ndtri(float(share))))  # of a tail of at most ½ the upper end
    for _ in range(NEWTON_STEPS):
        density = _MP.exp(-z * z / 2) / _MP.sqrt(2 * _MP.pi)
        z += (_MP.erfc(z / _MP.sqrt(2)) / 2 - share) / density
    return z if upper else -z


def random_quantiles() -> Iterator[Any]:
    """An endless stream of standard normals."""
    while True:
        yield quantile(int.from_bytes(os.urandom(BITS // 8), "big"))


def normal(deviation: float, count: int) -> np.ndarray:
    """(count,) normals as doubles, each within 2^−52 of its size of a real one.

    For noise that is never released itself, nor added to what is: ``on_grid`` is for that.
    """
    quantiles = random_quantiles()
    return np.array([float(deviation * next(quantiles)) for _ in range(count)])


def on_grid(values: np.ndarray, deviation: float, grid: float) -> np.ndarray:
    """Values plus normal noise, rounded to multiples of a grid as real numbers are.

    Args:
        values: (k,) doubles, taken as the exact numbers that they are.
        deviation: ν of the noise.
        grid: a power of two, at least ν/2^20.

    Returns:
        (k,) multiples of the grid.

    Raises:
        ValueError: the grid is no power of two, too fine, or does not fit doubles.
    """
    if np.frexp(grid)[0] != 0.5 or grid < deviation * 2.0**-20:
        raise ValueError(f"grid {grid!r}")
    quantiles, half = random_quantiles(), _MP.mpf(0.5)
    steps = [
        int(_MP.floor((_MP.mpf(value) + deviation * next(quantiles)) / grid + half))
        for value in values.tolist()
    ]
    if max(map(abs, steps), default=0) >= 1 << 53:
        raise ValueError(f"grid {grid!r}")
    return np.array([float(step) for step in steps]) * grid
