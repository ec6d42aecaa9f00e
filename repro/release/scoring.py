"""How well an attack guesses labels, and whether randomized response allows it.

Two questions, each with an exact p-value on lines that the attack was not fitted to.

- *Within the budget?*  Whoever sees a label through randomized response guesses it with
  probability at most keep_prob = e^ε/(1+e^ε): a binomial test (``scored``).
- *Anything beside the label?*  Given the released label, nothing else in a release may say
  whether it was kept.  Among lines of one stratum guesses and truth are then independent, so with
  both margins held fixed the number of hits is hypergeometric (Fisher 1935), and its sum over
  strata a convolution (``excess``).  No budget enters, so this finds leaks at any ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import gammaln
from scipy.stats import binom

from repro.privacy.clopper_pearson import lower, upper

LEVEL = 1e-4
"""Probability that all attacks together accuse a sound release."""

TESTS = 20
"""Tests that share it (Bonferroni); a test counts the tests that an audit makes."""

EACH = LEVEL / TESTS

DIRECT = 256
"""Support below which two distributions are convolved term by term; above, FFT's 1e-16 is far
below the p-values that decide (5e-6)."""


@dataclass(frozen=True)
class Finding:
    """One attack's success.

    Attributes:
        attack: its name.
        measure: ``accuracy`` of guesses, or ``epsilon``, certified from below.
        value: estimate on held-out lines.
        low: what it certainly reaches.
        limit: what a sound release allows.
        guesses: labels guessed; 0 where there was nothing to go by.
        leaks: whether it certainly exceeds what is allowed.
        detail: how, in words that name no label.
    """

    attack: str
    measure: str
    value: float
    low: float
    limit: float
    guesses: int
    leaks: bool
    detail: str


@dataclass(frozen=True)
class Excess:
    """Hits of guesses, against chance with the margins of each stratum fixed.

    Attributes:
        hits: guesses that are right.
        trials: guesses made.
        expected: hits that chance gives on average.
        p_value: probability of so many or more by chance.
        critical: fewest hits whose probability is at most ``level``.
        level: what the p-value is held against.
    """

    hits: int
    trials: int
    expected: float
    p_value: float
    critical: int
    level: float


def excess(guess: np.ndarray, truth: np.ndarray, strata: np.ndarray, searched: int = 1) -> Excess:
    """Exact conditional test that guesses and truth are independent within strata.

    Args:
        guess: (n,) ±1, or 0 where no guess is made.
        truth: (n,) ±1.
        strata: (n,) whole numbers.
        searched: rules among which this one was chosen on these same lines; they share EACH.
    """
    level = EACH / searched
    made = guess != 0
    guess, truth, strata = guess[made], truth[made], strata[made]
    least, pmf = 0, np.ones(1)
    base = 0
    for cell in np.unique(strata):
        here = strata == cell
        count, ones = int(here.sum()), int((truth[here] > 0).sum())
        drawn = int((guess[here] > 0).sum())
        base += count - ones - drawn
        low, high = max(0, drawn + ones - count), min(drawn, ones)
        least += low
        if high > low:
            chances = _hypergeometric(np.arange(low, high + 1), count, ones, drawn)
            pmf = _convolved(pmf, chances)
    both = int(((guess > 0) & (truth > 0)).sum())
    tail = np.cumsum(pmf[::-1])[::-1]
    above = np.flatnonzero(tail <= level)
    critical = least + (int(above[0]) if above.size else pmf.size)
    mean = least + float(pmf @ np.arange(pmf.size))
    p_value = min(1.0, float(tail[both - least]))
    return Excess(base + 2 * both, guess.size, base + 2 * mean, p_value, base + 2 * critical, level)


def independent(attack: str, found: Excess, detail: str) -> Finding:
    """Score a channel beside the label by its hits on held-out lines."""
    if not found.trials:
        return Finding(attack, "accuracy", np.nan, np.nan, np.nan, 0, False, detail)
    share = 1 / found.trials
    value, limit = found.hits * share, found.expected * share
    low = value - (found.critical - found.expected) * share
    leaks = found.p_value <= found.level
    return Finding(attack, "accuracy", value, low, limit, found.trials, leaks, detail)


def scored(attack: str, right: np.ndarray, allowed: float, detail: str) -> Finding:
    """Score guesses of labels against the budget: (n,) booleans, one for each held-out label."""
    hits, trials = int(np.sum(right)), int(np.size(right))
    if not trials:
        return Finding(attack, "accuracy", np.nan, np.nan, allowed, 0, False, detail)
    low = float(lower(hits, trials, 1 - EACH))
    return Finding(attack, "accuracy", hits / trials, low, allowed, trials, low > allowed, detail)


def chance(right: np.ndarray, allowed: float) -> float:
    """Probability of so many right guesses, or more, where each is right with ``allowed``."""
    return float(binom.sf(int(np.sum(right)) - 1, int(np.size(right)), allowed))


def agreement_bound(right: np.ndarray) -> float:
    """Upper bound on the accuracy behind some guesses; stands in for an unknown keep_prob."""
    return float(upper(int(np.sum(right)), int(np.size(right)), 1 - EACH))


def _hypergeometric(hits: np.ndarray, count: int, ones: int, drawn: int) -> np.ndarray:
    """Probability of ``hits`` ones among ``drawn`` of ``count``; far quicker than scipy's."""
    rest = count - ones
    ways = _log_choose(ones, hits) + _log_choose(rest, drawn - hits) - _log_choose(count, drawn)
    return np.exp(ways)


def _log_choose(count: int, chosen):
    return gammaln(count + 1) - gammaln(chosen + 1) - gammaln(count - chosen + 1)


def _convolved(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    if min(one.size, other.size) <= DIRECT:
        return np.convolve(one, other)
    return np.maximum(fftconvolve(one, other), 0.0)
