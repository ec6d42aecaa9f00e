"""Does a regret curve grow like log T or like √T?  Akaike's criterion on its increments."""

from __future__ import annotations

import numpy as np


def akaike_weight(times: np.ndarray, cumulative: np.ndarray, decades: float = 3.0) -> float:
    """Akaike weight of regret = a + b·log T against regret = a + b·√T.

    Both models have one free slope for the increments between half decades, whose variances come
    from the replicates; then AIC differs by χ²(√T) − χ²(log T), and the weight is
    1/(1 + exp(−ΔAIC/2)): 1 when log T is preferred beyond doubt, 0 when √T is.

    Args:
        times: (K,) increasing, the last is the horizon.
        cumulative: (K, R) regret up to each time, R ≥ 2 replicates.
        decades: how far back from the horizon the curve counts.
    """
    steps = int(2 * decades)
    wanted = times[-1] / 10 ** (0.5 * np.arange(steps, -1, -1))
    at = np.unique(np.searchsorted(times, wanted * (1 - 1e-9)))
    gains = np.diff(cumulative[at], axis=0)
    weight = 1 / np.maximum(gains.var(axis=1, ddof=1) / gains.shape[1], 1e-300)

    def misfit(shape: np.ndarray) -> float:
        regressor, mean = np.diff(shape[at]), gains.mean(axis=1)
        slope = (weight * regressor * mean).sum() / (weight * regressor**2).sum()
        return float((weight * (mean - slope * regressor) ** 2).sum())

    difference = misfit(np.sqrt(times)) - misfit(np.log(np.maximum(times, 1)))
    return float(1 / (1 + np.exp(-np.clip(difference / 2, -500, 500))))
