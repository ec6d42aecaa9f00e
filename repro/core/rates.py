"""Exponents by weighted least squares on log means, with intervals from replicate blocks.

All three numbers of a fit are linear in the logarithms of the means, c·log m with weights c that
the grid fixes.  Grid points have streams of their own, so the variance is Σ c²·se²/m² (delta
method), with Welch and Satterthwaite's degrees of freedom: an interval at any level, without
resampling and without a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from repro.core.results import Series, finite_mean


@dataclass(frozen=True)
class Interval:
    """A point estimate and a confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A number and how well it is known.

    Attributes:
        value: point estimate.
        error: standard error; 0 where the number is exact, NaN where it cannot be told.
        freedom: degrees of freedom behind the standard error.
    """

    value: float
    error: float
    freedom: float

    def interval(self, miss: float = 0.05) -> Interval:
        """Student's interval that misses the truth with probability ``miss``.

        >>> exact = Estimate(2.0, 0.0, 9.0)
        >>> exact.interval()
        Interval(value=2.0, low=2.0, high=2.0)
        """
        half = -self.error * float(stdtrit(self.freedom, miss / 2)) if self.error else 0.0
        return Interval(self.value, self.value - half, self.value + half)


@dataclass(frozen=True)
class SlopeFit:
    """A fitted power law log y = intercept + slope·t and how straight it is.

    Attributes:
        slope: overall exponent.
        intercept: of the straight line.
        end_slope: exponent at the largest grid value, from a quadratic fit.
        curvature: second-order coefficient of that fit.
        local: (G−1,) exponents between neighbouring grid points.
    """

    slope: Estimate
    intercept: float
    end_slope: Estimate
    curvature: Estimate
    local: tuple[float, ...]

    @property
    def bends(self) -> bool:
        """Whether the second-order term is significant at 5 %."""
        curvature = self.curvature.interval()
        return curvature.low > 0 or curvature.high < 0


def fit_slope(t: np.ndarray, series: Series) -> SlopeFit:
    """Fit the exponent of a series of positive means.

    Args:
        t: (G,) regressor, log of the axis or the axis itself; G ≥ 3.
        series: measurements, values (G, K, R) with K ≥ 2 blocks.

    Raises:
        ValueError: a mean is not positive and finite, so it has no logarithm.
    """
    means = series.means
    if not (np.isfinite(means) & (means > 0)).all():
        raise ValueError("a mean is not positive and finite")
    root_weights = 1.0 / np.maximum(series.standard_errors / means, 1e-12)
    root_weights /= root_weights.max()
    centred = t - t.mean()
    line, parabola = (_contrasts(centred, root_weights, degree) for degree in (1, 2))
    logs = _log_estimates(series)
    slope = _combined(line[1], logs)
    local = np.diff(np.log(means)) / np.diff(t)
    return SlopeFit(
        slope,
        _combined(line[0], logs).value - slope.value * float(t.mean()),
        _combined(parabola[1] + 2 * centred[-1] * parabola[2], logs),
        _combined(parabola[2], logs),
        tuple(local.tolist()),
    )


def point_estimates(series: Series) -> list[Estimate]:
    """The mean at each grid point; blocks are the independent units."""
    return [_mean(blocks[np.isfinite(blocks)]) for blocks in series.block_means]


def pooled(points: list[Estimate]) -> Estimate:
    """The mean over grid points, each weighted equally."""
    return _combined(np.full(len(points), 1 / len(points)), points)


def _mean(blocks: np.ndarray) -> Estimate:
    """Mean of block means; one block says nothing about its error, equal blocks are exact."""
    if blocks.size < 2:
        return Estimate(float(finite_mean(blocks, 0)), np.nan, np.nan)
    error = 0.0 if np.ptp(blocks) == 0 else float(blocks.std(ddof=1) / np.sqrt(blocks.size))
    return Estimate(float(blocks.mean()), error, blocks.size - 1.0)


def _log_estimates(series: Series) -> list[Estimate]:
    """Log of the mean at each grid point, its error by the delta method."""
    pairs = zip(series.means, point_estimates(series), strict=True)
    return [Estimate(float(np.log(m)), at.error / m, at.freedom) for m, at in pairs]


def _contrasts(centred: np.ndarray, root_weights: np.ndarray, degree: int) -> np.ndarray:
    """(degree+1, G): weights with which the logs enter the weighted polynomial's coefficients."""
    powers = np.vander(centred, degree + 1, increasing=True)
    return np.linalg.pinv(powers * root_weights[:, None]) * root_weights


def _combined(weights: np.ndarray, parts: list[Estimate]) -> Estimate:
    """Σ w·part of independent estimates, with Welch and Satterthwaite's degrees of freedom."""
    variances = weights**2 * np.array([part.error for part in parts]) ** 2
    total = float(variances.sum())
    freedom = np.array([part.freedom for part in parts])
    shared = total**2 / float((variances**2 / freedom).sum()) if total else float(freedom.sum())
    value = float(weights @ np.array([part.value for part in parts]))
    return Estimate(value, float(np.sqrt(total)), shared)
