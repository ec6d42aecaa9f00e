"""An adversary who sees past labels, against the debiased mean of one pair's reports.

Only the sum of the reports so far matters to the squared error, so backward induction over it finds
the best of all adversaries that see everything before their label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np


@dataclass(frozen=True)
class Cell:
    """n reports of one pair of responses, one after another.

    Attributes:
        n_pairs: n.
        clean_mean: h in (−1, 1), the mean of a label ±1.
        cost: c(ε) ≥ 1; a report has mean h/c without corruption.
        reach: κ, by how much a bad label moves the debiased mean: 1 under CTL, c(ε) under LTC.
        corruption: α in [0, 1/2).
    """

    n_pairs: int
    clean_mean: float
    cost: float
    reach: float
    corruption: float

    def report_mean(self, bad: float) -> float:
        """E[z] where the adversary's labels have mean ``bad``."""
        kept = (1 - self.corruption) * self.clean_mean
        return (kept + self.corruption * self.reach * bad) / self.cost

    def error(self, total: np.ndarray) -> np.ndarray:
        """c·z̄ − h of sums of reports."""
        return self.cost * total / self.n_pairs - self.clean_mean

    @property
    def bound(self) -> float:
        """c/√n + α(κ + |h|), no less than the root mean squared error against any adversary."""
        return self.cost / math.sqrt(self.n_pairs) + self.bias

    @property
    def bias(self) -> float:
        """α(κ + |h|), the largest mean error."""
        return self.corruption * (self.reach + abs(self.clean_mean))


Adversary = Callable[[Cell], np.ndarray]
"""What its labels' means are: (n, 2n + 1), at [k, s + k] after k reports with the sum s."""


@lru_cache(maxsize=16)
def sees_the_past(cell: Cell) -> np.ndarray:
    """The largest mean squared error of all that see everything before their label."""
    best = np.zeros((cell.n_pairs, 2 * cell.n_pairs + 1))
    for k, rises, _ in _induction(cell):
        best[k, : 2 * k + 1] = np.where(rises, 1.0, -1.0)
    return best


def sees_nothing(cell: Cell) -> np.ndarray:
    """The largest mean squared error of all that fix their labels beforehand: one side always."""
    side = -1.0 if cell.clean_mean > 0 else 1.0
    return np.full((cell.n_pairs, 2 * cell.n_pairs + 1), side)


def idle_adversary(cell: Cell) -> np.ndarray:
    """Puts back labels of the mean that it takes."""
    return np.full((cell.n_pairs, 2 * cell.n_pairs + 1), cell.clean_mean / cell.reach)


@lru_cache(maxsize=4096)
def largest_squared_error(cell: Cell) -> float:
    """E[(c·z̄ − h)²] against the best adversary that sees the past."""
    *_, (_, _, value) = _induction(cell)
    return float(value[0])


def oblivious_squared_error(cell: Cell) -> float:
    """E[(c·z̄ − h)²] against ``sees_nothing``: its bias and the variance of a report."""
    side = -1.0 if cell.clean_mean > 0 else 1.0
    mean = cell.report_mean(side)
    variance = cell.cost**2 * (1 - mean**2) / cell.n_pairs
    return (cell.cost * mean - cell.clean_mean) ** 2 + variance


def simulated_errors(
    win_prob: np.ndarray, cell: Cell, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) debiased means of reports drawn one after another.

    Args:
        win_prob: (n, 2n + 1) P(z = +1) at [k, s + k].
        cell: what they are debiased for.
        rng: the block's stream.
        replicates: R.
    """
    total = np.zeros(replicates, dtype=np.int64)
    for k, row in enumerate(win_prob):
        total += 2 * (rng.random(replicates) < row[total + k]) - 1
    return cell.cost * total / cell.n_pairs


def _induction(cell: Cell) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """From k = n − 1 down to 0: at sums −k..k, whether +1 is the better label, and the value."""
    n = cell.n_pairs
    value = cell.error(np.arange(-n, n + 1)) ** 2
    high, low = ((1 + cell.report_mean(side)) / 2 for side in (1.0, -1.0))
    for k in range(n - 1, -1, -1):
        up, down = value[2:], value[:-2]
        rises = up >= down
        value = down + np.where(rises, high, low) * (up - down)
        yield k, rises, value
