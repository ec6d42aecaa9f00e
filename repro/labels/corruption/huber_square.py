"""Huber corruption of ±1 labels together with randomized response, in means (P2, Definition 2.4).

CTL: corrupt, then privatise.  LTC: privatise, then corrupt.  With h = E[y], c = privacy_cost and
b ∈ [−1, 1] the mean of the adversary's labels, E[z] is ((1−α)h + αb)/c under CTL and
(1−α)h/c + αb under LTC.
"""

from __future__ import annotations

import numpy as np

from repro.labels.corruption.orders import Order


def reported_mean(
    clean_mean: np.ndarray,
    privacy_cost: float,
    corruption: float,
    order: Order,
    bad_mean: np.ndarray | float,
) -> np.ndarray:
    """E[z] of a privatised and corrupted label, in [−1, 1].

    Args:
        clean_mean: h = E[y], any shape.
        privacy_cost: c(ε) ≥ 1.
        corruption: α in [0, 1/2).
        order: CTL or LTC.
        bad_mean: b, the mean of the labels the adversary puts in.

    >>> float(reported_mean(np.float64(0.5), 2.0, 0.1, Order.CTL, -1.0))
    0.175
    """
    inner = bad_mean / privacy_cost if order is Order.CTL else bad_mean
    return (1 - corruption) * clean_mean / privacy_cost + corruption * inner


def worst_bad_mean(clean_mean: np.ndarray) -> np.ndarray:
    """The adversary that moves E[c·z] furthest from h: always the label h disfavours."""
    return np.where(clean_mean >= 0, -1.0, 1.0)


def worst_bias(
    clean_mean: np.ndarray, privacy_cost: float, corruption: float, order: Order
) -> np.ndarray:
    """max over b of |E[c·z] − h|: α(1+|h|) under CTL, α(c+|h|) under LTC (P2, eqs. 4 and 5)."""
    reach = 1.0 if order is Order.CTL else privacy_cost
    return corruption * (reach + np.abs(clean_mean))
