"""The map of losses against an adversary who sees past labels.

Far from both ends of the class an estimate moves by the sum of its labels' influences, whose mean
the adversary may set anywhere between its two one-sided limits, label by label, as it sees the sum.
So its optimum is that of a walk with a drift of one's own choice, by backward induction.  Theorem 3
of docs/explanations/adaptive_adversary.md bounds it for every n without that approximation.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
import torch

from repro.p2.losses.label_losses import LOSSES
from repro.p2.losses.loss_map import ADVERSARIES, LABELS, REWARD_BOUNDS
from repro.p2.losses.scalar_error import ScalarError, scalar_error

STEPS = 100
FAR = 6.0
"""Bias in standard deviations from which one side is kept: looking gains less than 1.4 %."""


@lru_cache(maxsize=4096)
def squared_gain(low: float, high: float) -> float:
    """Largest mean square of a walk of unit variance with drift in [low, high], over that of ±1.

    The divisor is the larger mean square of the two constant drifts.

    >>> round(math.sqrt(squared_gain(-0.7, 0.7)), 2)
    1.16
    >>> squared_gain(0.5, 0.5)
    1.0
    """
    largest = max(abs(low), abs(high))
    if largest > FAR:
        return 1.0
    steps = max(STEPS, math.ceil(2 * largest**2))
    fixed = max(_mean_square(end, end, steps) for end in (low, high))
    return max(1.0, _mean_square(low, high, steps) / fixed)


def _mean_square(low: float, high: float, steps: int) -> float:
    """E X² of the best walk: ±1/√K a step, more often up the larger the drift."""
    value = (np.arange(-steps, steps + 1) / math.sqrt(steps)) ** 2
    falls, rises = ((1 + drift / math.sqrt(steps)) / 2 for drift in (low, high))
    for _ in range(steps):
        up, down = value[2:], value[:-2]
        value = down + np.where(up >= down, rises, falls) * (up - down)
    return float(value[0])


def gains(error: ScalarError, n_pairs: tuple[float, ...]) -> np.ndarray:
    """(N,) squared gain of seeing the past at each n."""
    sign = torch.sign(error.x)
    sides = torch.stack((-sign, sign))
    scale = math.sqrt(float(error.world.metric[0, 0]))
    ends = ((error.limits(sides) - error.world.theta) * scale).tolist()
    noise = error.mean_squared(sides, n_pairs) - error.squared_bias(sides)[:, None]
    spread = noise.mean(0).clamp(min=1e-300).sqrt().tolist()
    return np.array([squared_gain(*sorted(round(e / s, 4) for e in ends)) for s in spread])


def one_sided(error: ScalarError, n_pairs: tuple[float, ...]) -> np.ndarray:
    """(N,) mean squared error under the worse of the two adversaries that keep to one side."""
    sign = torch.sign(error.x)
    return error.mean_squared(torch.stack((-sign, sign)), n_pairs).amax(0).numpy()


@lru_cache(maxsize=256)
def map_errors(epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """All corrupted places of the map at one ε.

    Returns:
        (P, L) mean squared errors of ``LOSSES`` under the worse one-sided adversary, and of who
        looks back.
    """
    blind, seeing = [], []
    corrupted = [adversary for adversary in ADVERSARIES if adversary[0]]
    for bound, (alpha, order) in itertools.product(REWARD_BOUNDS, corrupted):
        each = [scalar_error(bound, kind, epsilon, alpha, order) for kind in LOSSES.values()]
        fixed = np.array([one_sided(error, LABELS) for error in each])
        blind.append(fixed.T)
        seeing.append((fixed * [gains(error, LABELS) for error in each]).T)
    return np.concatenate(blind), np.concatenate(seeing)
