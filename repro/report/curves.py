"""One method's measured curve, as figures and the tracker show it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from repro.core.results import Series

Z95 = 1.96
"""Standard errors in a 95 % interval of a mean."""


@dataclass(frozen=True)
class Curve:
    """Means along a sweep; NaN where no replicate finished.

    Attributes:
        grid: (G,) swept values.
        mean: (G,) mean over the finite replicates.
        half_width: (G,) half of the 95 % interval of the mean, 0 where it is unknown.
        worst: (G,) largest finite replicate.
    """

    grid: np.ndarray
    mean: np.ndarray
    half_width: np.ndarray
    worst: np.ndarray


def curve(series: Series) -> Curve:
    """Read a series without numpy's warnings on grid points where everything failed."""
    grid = np.asarray(series.grid, dtype=float)
    flat = np.asarray(series.values, dtype=float).reshape(len(grid), -1)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        mean, half_width = series.means, Z95 * series.standard_errors
        worst = np.nanmax(np.where(np.isfinite(flat), flat, np.nan), axis=1)
    return Curve(grid, mean, np.nan_to_num(half_width, nan=0.0, posinf=0.0), worst)
