"""Simulated private and corrupted labels, pair by pair, by the core's channels.

A study that repeats a release over seeds uses the core's seeded channel, since its numbers have
to come back from the same seed.  Labels of real people are never released this way: that is
``python -m repro.privatize``, whose coins are the operating system's, and whose output
``repro.llm.pairs`` reads with the labels as they are.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.corruption.debiasing import debiased
from repro.corruption.orders import Channel, Order, Randomize
from repro.corruption.random_flips import mask_process
from repro.preferences.label_counts import LabelCounts


def private_labels(rng: np.random.Generator, labels: Tensor, epsilon: float) -> Tensor:
    """Randomised response (P1, eq. 7).

    Args:
        rng: simulation stream.
        labels: (n,) true labels in {−1, +1}.
        epsilon: ε in (0, inf].
    """
    return _through(Randomize.response(epsilon), rng, labels, epsilon)


def masked_labels(
    rng: np.random.Generator, labels: Tensor, order: Order, epsilon: float, corruption: float
) -> Tensor:
    """P4's Appendix D: privacy flips a mask, corruption sets it with probability α.

    Args:
        rng: simulation stream.
        labels: (n,) true labels in {−1, +1}.
        order: CTL corrupts before privacy, LTC behind it.
        epsilon: ε in (0, inf].
        corruption: α in [0, 1/2).
    """
    return _through(mask_process(order, epsilon, corruption), rng, labels, epsilon)


def _through(stage: Randomize, rng: np.random.Generator, labels: Tensor, epsilon: float) -> Tensor:
    """Each label as a cell with one pair."""
    counts = LabelCounts(torch.ones(1, len(labels), dtype=torch.float64), (labels + 1)[None] / 2)
    wins = Channel((stage,)).apply(rng, counts, debiased(epsilon)).wins[0]
    return (2 * wins - 1).to(labels)
