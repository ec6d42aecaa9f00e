"""Privacy seen from outside: a certified lower bound on ε from released outputs alone.

A set of outputs is chosen on one half of the runs and counted on the other.  With confidence
``level``, no mechanism that is (ε, δ)-private for the ε found, or less, gives such counts
(Clopper–Pearson; Jagielski et al. 2020, Nasr et al. 2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.labels.privacy.clopper_pearson import lower, upper

LEVEL = 0.95


@dataclass(frozen=True)
class Counts:
    """How often one set of outputs was hit from each of two neighbouring inputs."""

    hits: int
    trials: int
    other_hits: int
    other_trials: int

    def reversed(self) -> Counts:
        """The same counts with the two inputs exchanged."""
        return Counts(self.other_hits, self.other_trials, self.hits, self.trials)


def certified_epsilon(counts: Counts, dp_delta: float = 0.0, level: float = LEVEL) -> float:
    """Lower bound on ε at ``dp_delta``: log((p − δ)/q) for confidence bounds p and q, at least 0.

    Each bound holds with confidence (1 + level)/2, both with ``level``.

    >>> round(certified_epsilon(Counts(750, 1000, 250, 1000)), 2)
    0.95
    """
    hits, other = np.array(counts.hits), np.array(counts.other_hits)
    return float(_certified(hits, counts.trials, other, counts.other_trials, dp_delta, level))


def _certified(hits, trials, other_hits, other_trials, dp_delta, level) -> np.ndarray:
    each = (1 + level) / 2
    p = lower(hits, trials, each) - dp_delta
    q = upper(other_hits, other_trials, each)
    return np.maximum(np.log(np.maximum(p, 1e-300) / q), 0.0)


@dataclass(frozen=True)
class Attack:
    """A set of outputs: score·sign at least cut; ``flipped`` where the neighbour hits it more."""

    sign: float
    cut: float
    flipped: bool

    def hits(self, scores: np.ndarray) -> int:
        """How many scores lie in the set."""
        return int((self.sign * scores >= self.cut).sum())

    def bound(self, counts: Counts, dp_delta: float, level: float) -> float:
        """Certified ε from counts in the set."""
        ordered = counts.reversed() if self.flipped else counts
        return certified_epsilon(ordered, dp_delta, level)


def choose_attack(
    scores: np.ndarray, other: np.ndarray, dp_delta: float = 0.0, level: float = LEVEL
) -> Attack:
    """The most telling set on pilot runs: upper or lower tail, either direction.

    Args:
        scores: (n,) from one input.
        other: (m,) from its neighbour.
        dp_delta: δ of the claim.
        level: confidence.
    """
    best, chosen = -1.0, Attack(1.0, 0.0, False)
    ascending = [np.sort(x) for x in (scores, other, np.concatenate([scores, other]))]
    for sign in (1.0, -1.0):
        *two_sides, pooled = ascending if sign > 0 else [-x[::-1] for x in ascending]
        cuts = np.unique(np.quantile(pooled, _LEVELS))
        sides = [(_above(x, cuts), x.size) for x in two_sides]
        for flipped, (hits_here, two) in ((False, sides), (True, sides[::-1])):
            bounds = _certified(*hits_here, *two, dp_delta, level)
            place = int(np.argmax(bounds))
            if bounds[place] > best:
                best, chosen = float(bounds[place]), Attack(sign, float(cuts[place]), flipped)
    return chosen


def threshold_attack(
    scores: np.ndarray, other: np.ndarray, dp_delta: float = 0.0, level: float = LEVEL
) -> float:
    """Certified ε of outputs summarised by one number: a projection, a log-likelihood ratio.

    The set is chosen on the first halves and counted on the second, so no correction for the
    search is due.

    Args:
        scores: (n,) from one input, in random order.
        other: (m,) from its neighbour.
        dp_delta: δ of the claim.
        level: confidence.
    """
    (fit, test), (other_fit, other_test) = _halves(scores), _halves(other)
    attack = choose_attack(fit, other_fit, dp_delta, level)
    counts = Counts(attack.hits(test), test.size, attack.hits(other_test), other_test.size)
    return attack.bound(counts, dp_delta, level)


_TAIL = np.geomspace(1e-5, 0.05, 24)
_LEVELS = np.concatenate([_TAIL, np.linspace(0.05, 0.95, 41), 1 - _TAIL])
"""Quantiles of the pooled scores that are tried as thresholds."""


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = values.shape[0] // 2
    return values[:middle], values[middle:]


def _above(ascending: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """(len(cuts),) how many of the sorted values reach each cut."""
    return ascending.size - np.searchsorted(ascending, cuts, side="left")
