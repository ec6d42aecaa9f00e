"""P1's scalar lemmas A.2, A.4 and A.8, left over right side, and exact martingale crossings."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from repro.preferences.label_information import sigmoid, sigmoid_difference


def log_likelihood_slope(x: float, y: float, keep: float) -> float:
    """|f(x) − f(y)|/|x − y| for f = log(α·σ + (1−α)(1−σ)), α = keep in (½, 1) (Lemma A.2)."""
    signal = 2 * keep - 1
    base = 1 - keep + signal * sigmoid(y)
    return abs(math.log1p(signal * sigmoid_difference(x, y) / base) / (x - y))


def inverse_slope(x: float, y: float, keep: float) -> float:
    """|x − y|/|f(x) − f(y)| for f = (2σ−1)(2α−1) (Lemma A.8)."""
    return abs((x - y) / (2 * (2 * keep - 1) * sigmoid_difference(x, y)))


def inverse_constant(bound: float, keep: float) -> float:
    """(e^−B + 2 + e^B)/(2(2α−1)), the constant of Lemma A.8."""
    return (2 + 2 * math.cosh(bound)) / (2 * (2 * keep - 1))


def largest_root(a: float, b: float) -> float:
    """The largest x with x² ≤ a + b·x, for a, b ≥ 0 (Lemma A.4)."""
    return (b + math.sqrt(b * b + 4 * a)) / 2


def lattice_crossing(
    up: np.ndarray, down: np.ndarray, log_unit: float, level: int, horizon: int
) -> float:
    """P(M reaches u^level within T rounds) for a positive martingale M on powers of u.

    M starts at 1.  In state u^k it moves to u^(k+up) or u^(k−down), with the chance that keeps
    its mean; it stays where it is once it reaches the level or the lowest state.  With
    X = log M_t − log M_{t−1} the mean of e^X is 1, so this is the event of P1's Lemma A.1.

    Args:
        up: (K,) steps up by state, lowest state first, at least 1.
        down: (K,) steps down, at least 1.
        log_unit: log u > 0.
        level: target k > 0; states run from level − K to level − 1.
        horizon: T.
    """
    states = len(up)
    place = np.arange(states)
    to_up = np.minimum(place + up, states)
    to_down = np.maximum(place - down, 0)
    rise, fall = np.expm1((to_up - place) * log_unit), np.expm1((to_down - place) * log_unit)
    chance = np.where(fall < 0, -fall / (rise - fall), 0.0)
    mass = np.zeros(states + 1)
    mass[states - level] = 1.0
    for _ in range(horizon):
        after = np.bincount(to_up, mass[:-1] * chance, states + 1)
        after += np.bincount(to_down, mass[:-1] * (1 - chance), states + 1)
        after[-1] += mass[-1]
        mass = after
    return float(mass[-1])


def walk_crossing(steps: int, boundary: float) -> float:
    """P(max of a ±1 walk over n steps > boundary), by the reflection principle."""
    level = math.floor(boundary) + 1
    return sum(
        float(stats.binom.sf(math.ceil((steps + k) / 2) - 1, steps, 0.5))
        for k in (level, level + 1)
    )


def binomial_excess(count: int, prob: float, boundary: float) -> float:
    """P(Bin(n, p) − np > boundary)."""
    return float(stats.binom.sf(math.floor(count * prob + boundary), count, prob))
