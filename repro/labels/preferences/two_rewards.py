"""Which of two responses is the better one by Δ: how often n released labels say the wrong one.

The likelier of (Δ, 0) and (0, Δ) is the response that more labels prefer, so the chance that the
best test errs is a sum of binomial tails, and needs no draw.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from scipy.special import expit

from repro.base.errors import BadInput
from repro.labels.preferences.label_law import Channel, LabelLaw, on_arrays, released

FURTHEST = 60.0
"""Standard deviations of a number of pairs, beyond which the chance is below 1e-700."""

LARGEST_LOG = 300 * math.log(10)
"""log(1/δ) of the least δ that doubles hold with all digits."""
BELOW_ONE = 1 - 2.0**-53
"""Twice a difference that can just be hidden may ask for more."""


def refuse_delta(log_inverse_delta: float, n_labels: int, cost: float) -> None:
    """Refuse a δ that doubles underflow at, or at which n labels hide no difference of rewards.

    Raises:
        BadInput: not log 4 < log(1/δ) ≤ log 1e300, or c²·log(1/(4δ)) ≥ n + log(1/(4δ)).
    """
    steepness = max(cost**2 - 1, 1e-300)
    most = min(LARGEST_LOG, math.log(4) + n_labels / steepness)
    if not math.log(4) < log_inverse_delta < most:
        allowed = f"allowed: above log 4 and below {most:.4g} for so many labels at this epsilon"
        raise BadInput("log_inverse_delta", f"{log_inverse_delta:g}", allowed)


def hidden_difference(
    log_inverse_delta: float, n_labels: int, cost: float, share: float = 1.0
) -> float:
    """Δ with h(Δ) = share·c·√(ℓ/(n+ℓ)), ℓ = log(1/(4δ)) (docs/explanations/reward_range.md, 5).

    Args:
        log_inverse_delta: log(1/δ), above log 4.
        n_labels: n.
        cost: c(ε).
        share: 1, or the factor of a control.
    """
    left = log_inverse_delta - math.log(4)
    mean = share * cost * math.sqrt(left / (n_labels + left))
    return 2 * math.atanh(min(mean, BELOW_ONE))


def released_win_prob(
    labels: LabelLaw, channel: Channel, difference: float, epsilon: float
) -> float:
    """P(z = +1) of a pair whose rewards differ by Δ."""
    clean = on_arrays(labels, expit(np.array([difference])))
    return float(released(channel, clean, epsilon)[0])


def wrong_majority_prob(n_labels: int, informative: float, win_prob: float) -> float:
    """Exact chance that the better response loses; a tie counts half.

    Args:
        n_labels: n.
        informative: chance that a label compares the two responses, in (0, 1].
        win_prob: P(z = +1) of a label that does.

    >>> wrong_majority_prob(1, 1.0, 0.75)
    0.25
    """
    pairs = likely_counts(n_labels * informative) if informative < 1 else np.array([n_labels])
    chance = scipy.stats.binom.pmf(pairs, n_labels, informative)
    half = pairs / 2
    lost = scipy.stats.binom.cdf(np.ceil(half) - 1, pairs, win_prob)
    tied = np.where(pairs % 2 == 0, scipy.stats.binom.pmf(np.floor(half), pairs, win_prob), 0.0)
    return float(chance @ (lost + tied / 2))


def likely_counts(expected: float) -> np.ndarray:
    """Whole numbers that matter at an expected one."""
    wide = FURTHEST * math.sqrt(expected) + 30
    return np.arange(max(0, math.floor(expected - wide)), math.ceil(expected + wide))
