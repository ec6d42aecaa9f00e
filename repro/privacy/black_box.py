"""Privacy seen from outside: a certified lower bound on ε from released outputs alone.

A set of outputs is chosen on one half of the runs and counted on the other.  With confidence
``level``, no mechanism that is (ε, δ)-private for the ε found, or less, gives such counts
(Clopper–Pearson; Jagielski et al. 2020, Nasr et al. 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.privacy.clopper_pearson import lower, upper

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
    each = (1 + level) / 2
    p = lower(counts.hits, counts.trials, each) - dp_delta
    q = upper(counts.other_hits, counts.other_trials, each)
    return max(0.0, math.log(p / q)) if p > 0 else 0.0


def threshold_attack(
    scores: np.ndarray, other: np.ndarray, dp_delta: float = 0.0, level: float = LEVEL
) -> float:
    """Certified ε of outputs summarised by one number: a projection, a log-likelihood ratio.

    Upper and lower tails and both directions compete on the first halves; the winner alone is
    counted on the second halves, so no correction for the search is due.

    Args:
        scores: (n,) from one input, in random order.
        other: (m,) from its neighbour.
        dp_delta: δ of the claim.
        level: confidence.
    """
    fit, test = _halves(scores)
    other_fit, other_test = _halves(other)
    best, chosen = -math.inf, (1.0, 0.0, False)
    for sign in (1.0, -1.0):
        cuts = np.unique(np.quantile(np.concatenate([sign * fit, sign * other_fit]), _LEVELS))
        above, other_above = _above(sign * fit, cuts), _above(sign * other_fit, cuts)
        for cut, a, b in zip(cuts, above, other_above, strict=True):
            counts = Counts(int(a), fit.size, int(b), other_fit.size)
            for flipped in (False, True):
                bound = certified_epsilon(counts.reversed() if flipped else counts, dp_delta, level)
                if bound > best:
                    best, chosen = bound, (sign, float(cut), flipped)
    sign, cut, flipped = chosen
    held = Counts(
        int((sign * test >= cut).sum()),
        test.size,
        int((sign * other_test >= cut).sum()),
        other_test.size,
    )
    return certified_epsilon(held.reversed() if flipped else held, dp_delta, level)


def likelihood_ratio_attack(
    cells: np.ndarray, other: np.ndarray, dp_delta: float = 0.0, level: float = LEVEL
) -> float:
    """Certified ε of discrete outputs: cells in order of their empirical likelihood ratio.

    Args:
        cells: (n,) outputs as whole numbers from 0, from one input, in random order.
        other: (m,) from its neighbour.
        dp_delta: δ of the claim.
        level: confidence.
    """
    fit, test = _halves(cells)
    other_fit, other_test = _halves(other)
    size = int(max(cells.max(initial=0), other.max(initial=0))) + 1
    p = np.bincount(fit, minlength=size) + 0.5
    q = np.bincount(other_fit, minlength=size) + 0.5
    ratio = np.log(p / p.sum()) - np.log(q / q.sum())
    return threshold_of_scores(
        ratio[fit], ratio[test], ratio[other_fit], ratio[other_test], dp_delta, level
    )


def threshold_of_scores(fit, test, other_fit, other_test, dp_delta: float, level: float) -> float:
    """``threshold_attack`` on halves that are split already."""
    return threshold_attack(
        np.concatenate([fit, test]), np.concatenate([other_fit, other_test]), dp_delta, level
    )


_LEVELS = np.concatenate(
    [np.geomspace(1e-5, 0.05, 24), np.linspace(0.05, 0.95, 41), 1 - np.geomspace(0.05, 1e-5, 24)]
)
"""Quantiles of the pooled scores that are tried as thresholds."""


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = values.shape[0] // 2
    return values[:middle], values[middle:]


def _above(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """(len(cuts),) how many values reach each cut."""
    return values.size - np.searchsorted(np.sort(values), cuts, side="left")
