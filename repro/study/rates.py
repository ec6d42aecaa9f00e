"""Exponents by weighted least squares on log means, with a bootstrap over replicate blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from scipy import stats

from repro.study.results import Series, finite_mean


@dataclass(frozen=True)
class Interval:
    """A point estimate and its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Slope:
    """A fitted power law log y = intercept + slope·t and how straight it is.

    Attributes:
        slope: overall exponent.
        intercept: of the straight line.
        end_slope: exponent at the largest grid value, from a quadratic fit.
        curvature: second-order coefficient of that fit.
        local: (G−1,) exponents between neighbouring grid points.
    """

    slope: Interval
    intercept: float
    end_slope: Interval
    curvature: Interval
    local: tuple[float, ...]

    @property
    def bends(self) -> bool:
        """Whether the second-order term is significant at 5 %."""
        return self.curvature.low > 0 or self.curvature.high < 0


def fit_slope(t: np.ndarray, series: Series, rng: np.random.Generator, resamples: int) -> Slope:
    """Fit the exponent of a series of positive means.

    Args:
        t: (G,) regressor, log of the axis or the axis itself; G ≥ 3.
        series: measurements, values (G, K, R) with K ≥ 2 blocks.
        rng: stream of the bootstrap.
        resamples: number of bootstrap resamples.

    Raises:
        ValueError: a mean is not positive and finite, so it has no logarithm.
    """
    means = series.means
    if not (np.isfinite(means) & (means > 0)).all():
        raise ValueError("a mean is not positive")
    root_weights = 1.0 / np.maximum(series.standard_errors / means, 1e-12)
    root_weights /= root_weights.max()
    centred = t - t.mean()

    def line(*blocks: np.ndarray, axis: int = -1) -> np.ndarray:
        return _coefficients(centred, blocks, root_weights, 1, axis)[1]

    def bend(*blocks: np.ndarray, axis: int = -1) -> np.ndarray:
        return _coefficients(centred, blocks, root_weights, 2, axis)[2]

    def end(*blocks: np.ndarray, axis: int = -1) -> np.ndarray:
        coefficients = _coefficients(centred, blocks, root_weights, 2, axis)
        return coefficients[1] + 2 * coefficients[2] * centred[-1]

    samples = tuple(series.block_means)
    slope, curvature, end_slope = (
        _bootstrap(samples, f, rng, resamples) for f in (line, bend, end)
    )
    intercept = _coefficients(centred, samples, root_weights, 1, -1)[0] - slope.value * t.mean()
    local = np.diff(np.log(means)) / np.diff(t)
    return Slope(slope, float(intercept), end_slope, curvature, tuple(local.tolist()))


def fit_mean(series: Series, rng: np.random.Generator, resamples: int) -> Interval:
    """Mean over grid points of the series' means, each point weighted equally."""

    def pooled(*blocks: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.mean([finite_mean(block, axis) for block in blocks], axis=0)

    return _bootstrap(tuple(series.block_means), pooled, rng, resamples)


def _coefficients(t, blocks, root_weights, degree, axis) -> np.ndarray:
    """Polynomial coefficients (degree+1, ...) of log block means on t."""
    logs = np.log(np.stack([finite_mean(block, axis) for block in blocks]))
    fit = polynomial.polyfit(t, logs.reshape(len(t), -1), degree, w=root_weights)
    return fit.reshape(degree + 1, *logs.shape[1:])


def _bootstrap(samples, statistic, rng, resamples) -> Interval:
    """Percentile bootstrap; grid points are resampled independently, as their streams are."""
    value = float(statistic(*samples))
    found = stats.bootstrap(
        samples, statistic, n_resamples=resamples, vectorized=True, method="percentile", rng=rng
    ).confidence_interval
    return Interval(value, float(found.low), float(found.high))
