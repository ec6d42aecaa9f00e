"""Exact two-point lower bounds for the mean of private, corrupted labels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import optimize, stats

from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order


def observed_mean(mean: np.ndarray, reports: HuberReports) -> np.ndarray:
    """E[z] of a ±1 report whose Huber adversary pulls it towards 0 as far as that goes.

    Args:
        mean: of the clean label, in [0, 1], any shape.
        reports: how a report comes about.
    """
    return np.maximum(0.0, reports.mean(np.asarray(mean, dtype=np.float64)))


def mean_floor(epsilon_cost: float, corruption: float, order: Order) -> float:
    """Largest g for which clean means g and −g can give one and the same observed law.

    Args:
        epsilon_cost: c(ε).
        corruption: α in [0, 1/2).
        order: of corruption and privacy.
    """
    reach = 1.0 if order is Order.CTL else epsilon_cost
    return min(1.0, reach * corruption / (1 - corruption))


def overlap(n_pairs: int, observed: np.ndarray) -> np.ndarray:
    """1 − TV of n labels of mean ±observed: twice the least probability of a wrong sign."""
    win = (1 + np.asarray(observed)) / 2
    below = stats.binom.cdf(math.ceil(n_pairs / 2) - 1, n_pairs, win)
    tie = stats.binom.pmf(n_pairs // 2, n_pairs, win) if n_pairs % 2 == 0 else 0.0
    return 2 * below + tie


@lru_cache(maxsize=1024)
def two_point_bound(n_pairs: int, reports: HuberReports) -> float:
    """sup over g of the least worst-case E|ĥ − h| over h = ±g: every estimator errs that much.

    By Le Cam, for given g it is at least g·(1 − TV), exactly, with equal prior weights.

    Args:
        n_pairs: n.
        reports: how a report comes about.
    """

    def bound(log_gap: Any) -> Any:
        gap = np.exp(log_gap)
        return gap * overlap(n_pairs, observed_mean(gap, reports))

    ladder = np.linspace(math.log(1e-9), 0.0, 200)
    best = int(np.argmax(bound(ladder)))
    around = (ladder[max(0, best - 1)], ladder[min(len(ladder) - 1, best + 1)])
    found: Any = optimize.minimize_scalar(
        lambda x: -float(bound(x)), bounds=around, method="bounded", options={"xatol": 1e-9}
    )
    return max(float(bound(found.x)), float(bound(ladder[best])))
