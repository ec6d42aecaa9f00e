"""Checks of kind ``privacy``: a claimed (ε, δ), the exact ε, and what an attacker certifies.

Measurements are shares of runs that fall into a set of outputs chosen beforehand on pilot runs:
replicates 0, 2, 4, … from one input, 1, 3, 5, … from its neighbour, ``runs`` runs each.  The
exact ε decides; the black-box bound must lie below it, and it alone can refute a claim where
nothing exact is known, but never support one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from repro.core.claims import DeclaredCheck
from repro.core.judge import judge
from repro.core.results import Outcome, Series
from repro.core.witness import Witness, at_point, farthest
from repro.labels.privacy.audit import judge_privacy
from repro.labels.privacy.black_box import Attack, Counts

MISS = 0.001
"""How often the audit bound may lie above the truth, over all grid points, at any budget."""


@dataclass(frozen=True)
class Exact:
    """What is known of one method at one grid point.

    Attributes:
        epsilon: exact ε at the claimed δ; inf where there is none, NaN where nothing is known.
        dp_delta: exact δ at the claimed ε.
        attack: the set that is counted.
    """

    epsilon: float
    dp_delta: float
    attack: Attack


@dataclass(frozen=True)
class PrivacyCheck(DeclaredCheck):
    """A mechanism is (claimed_epsilon, dp_delta)-private at every grid point.

    Attributes:
        claimed_epsilon: ε of the claim.
        dp_delta: δ of the claim.
        tolerance: relative slack of the exact ε, for rounding.
        runs: runs behind each replicate.
        exact: by method, one entry a grid point.
    """

    claimed_epsilon: float = 1.0
    dp_delta: float = 0.0
    tolerance: float = 1e-6
    runs: int = 1000
    exact: Mapping[str, tuple[Exact, ...]] = field(default_factory=dict)
    kind: str = field(default="privacy", init=False)


@judge.register
def _(check: PrivacyCheck, method, series, check_error) -> Outcome:
    exact = check.exact[method]
    level = 1 - min(MISS, check_error) / len(check.grid)
    bounds = [
        at.attack.bound(counts_of(row, check.runs), check.dp_delta, level)
        for at, row in zip(exact, series.values, strict=True)
    ]
    by_point, audit = [at.epsilon for at in exact], max(bounds)
    numbers: dict[str, object] = {
        "claimed": check.claimed_epsilon,
        "claimed_epsilon": check.claimed_epsilon,
        "dp_delta": check.dp_delta,
        "exact_delta": max(at.dp_delta for at in exact),
        "audit_lower_bound": audit,
        "audit_by_point": bounds,
        "exact_by_point": by_point,
        "runs_a_side": check.runs * series.values[0].size // 2,
        "tolerance": check.tolerance,
    }
    if math.isfinite(max(by_point)):
        numbers["exact_epsilon"] = max(by_point)
    verdict = judge_privacy(check.claimed_epsilon, by_point, bounds, check.tolerance)
    shown = [e if math.isfinite(e) else b for e, b in zip(by_point, bounds, strict=True)]
    return Outcome(method, verdict, numbers, _flat(series, shown))


@farthest.register
def _(check: PrivacyCheck, series: Series) -> Witness:
    """The swept value of the largest ε: exact, or certified by the audit."""
    return at_point(series, int(np.nanargmax(series.means)), check.claimed_epsilon)


def counts_of(shares: np.ndarray, runs: int) -> Counts:
    """Hits and runs of either input behind shares of shape (blocks, replicates)."""
    left, other = shares[:, 0::2], shares[:, 1::2]
    return Counts(
        round(float(left.sum()) * runs),
        left.size * runs,
        round(float(other.sum()) * runs),
        other.size * runs,
    )


def _flat(series: Series, values: list[float]) -> Series:
    """Exact ε along the grid, as the figure shows it."""
    blocks = series.values.shape[1]
    return Series(
        series.grid, np.repeat(np.array(values, dtype=float), 2 * blocks).reshape(-1, blocks, 2)
    )
