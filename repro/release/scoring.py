"""How well an attack guesses labels, and whether randomized response allows it.

Whoever sees a label through randomized response with budget ε guesses it with probability at most
keep_prob = e^ε/(1+e^ε), or as well as the texts alone allow where that is better.  An attack
that is certainly better (Clopper–Pearson on lines it was not fitted to) has found a leak.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.privacy.clopper_pearson import lower, upper

LEVEL = 0.999
"""Confidence of all attacks together that a sound release is not accused."""

ATTACKS = 10
"""Attacks that share the error probability 1 − LEVEL."""

EACH = 1 - (1 - LEVEL) / ATTACKS


@dataclass(frozen=True)
class Finding:
    """One attack's success.

    Attributes:
        attack: its name.
        measure: ``accuracy`` of guessed labels, or ``epsilon``, certified from below.
        value: measured (an accuracy on held-out lines; for epsilon the bound itself).
        low: what it certainly reaches.
        allowed: what randomized response allows.
        guesses: labels guessed.
        detail: how, in words that name no label.
    """

    attack: str
    measure: str
    value: float
    low: float
    allowed: float
    guesses: int
    detail: str

    @property
    def leaks(self) -> bool:
        """Whether it certainly exceeds what is allowed."""
        return self.low > self.allowed


def scored(attack: str, right: np.ndarray, allowed: float, detail: str) -> Finding:
    """Score guesses: (n,) booleans, one a held-out label."""
    hits, trials = int(np.sum(right)), int(np.size(right))
    value = hits / trials if trials else float("nan")
    low = float(lower(hits, trials, EACH))
    return Finding(attack, "accuracy", value, low, allowed, trials, detail)


def halves(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A fixed random split of lines: fit on one half, count on the other."""
    order = np.random.default_rng(0).permutation(count)
    return np.sort(order[: count // 2]), np.sort(order[count // 2 :])


def agreement_bound(right: np.ndarray) -> float:
    """Upper bound on the accuracy behind some guesses; stands in for an unknown keep_prob."""
    return float(upper(int(np.sum(right)), int(np.size(right)), EACH))
