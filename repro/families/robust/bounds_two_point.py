"""Exact two-point lower bounds for the mean of private, corrupted labels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy import optimize, stats

from repro.base.notation import label_signal

Order = Literal["ctl", "ltc"]
"""Corruption then LDP, or LDP then corruption."""


def observed_mean(mean: float, epsilon: float, corruption: float, order: Order) -> float:
    """Mean of an observed ±1 label whose Huber adversary pulls it towards 0 as far as he can.

    Args:
        mean: of the clean label, in [0, 1].
        epsilon: privacy budget in (0, inf].
        corruption: α in [0, 1/2), the adversary's mass.
        order: where the corruption happens.
    """
    signal = label_signal(epsilon)
    if order == "ctl":
        return signal * max(0.0, (1 - corruption) * mean - corruption)
    return max(0.0, (1 - corruption) * signal * mean - corruption)


def mean_floor(epsilon: float, corruption: float, order: Order) -> float:
    """Largest g for which clean means g and −g can give one and the same observed law."""
    floor = corruption / (1 - corruption)
    return min(1.0, floor if order == "ctl" else floor / label_signal(epsilon))


def overlap(n_pairs: int, observed: float) -> float:
    """1 − TV of n labels of mean ±observed: twice the least probability of a wrong sign."""
    win = (1 + observed) / 2
    below = stats.binom.cdf(math.ceil(n_pairs / 2) - 1, n_pairs, win)
    tie = stats.binom.pmf(n_pairs // 2, n_pairs, win) if n_pairs % 2 == 0 else 0.0
    return float(2 * below + tie)


@lru_cache(maxsize=1024)
def two_point_bound(n_pairs: int, epsilon: float, corruption: float, order: Order) -> float:
    """sup over g of the least worst-case E|ĥ − h| over h = ±g: every estimator errs that much.

    By Le Cam, for given g it is at least g·(1 − TV), exactly, with equal prior weights.

    Args:
        n_pairs: n.
        epsilon: privacy budget in (0, inf].
        corruption: α in [0, 1/2).
        order: of corruption and privacy.
    """

    def bound(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return gap * overlap(n_pairs, observed_mean(gap, epsilon, corruption, order))

    ladder = np.linspace(math.log(1e-9), 0.0, 200)
    best = int(np.argmax([bound(rung) for rung in ladder]))
    around = (ladder[max(0, best - 1)], ladder[min(len(ladder) - 1, best + 1)])
    found: Any = optimize.minimize_scalar(
        lambda x: -bound(x), bounds=around, method="bounded", options={"xatol": 1e-9}
    )
    return max(bound(float(found.x)), bound(float(ladder[best])))


def debiased_mean_error(
    rng: np.random.Generator,
    n_pairs: int,
    epsilon: float,
    corruption: float,
    order: Order,
    replicates: int,
    *,
    assumed_signal: float | None = None,
) -> np.ndarray:
    """(R,) |ĥ − h| of the debiased mean ĥ = c(ε)·z̄ at h = 0, the adversary pushing up.

    Args:
        rng: the block's stream.
        n_pairs: n.
        epsilon: privacy budget.
        corruption: α.
        order: of corruption and privacy.
        replicates: R.
        assumed_signal: 1/c that the estimator divides by; the true one unless given.
    """
    signal = label_signal(epsilon)
    shift = signal * corruption if order == "ctl" else corruption
    wins = rng.binomial(n_pairs, (1 + shift) / 2, replicates)
    return np.abs((2 * wins / n_pairs - 1) / (assumed_signal or signal))
