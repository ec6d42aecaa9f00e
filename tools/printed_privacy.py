"""Where P3's printed privacy claims fail: the smallest LB and the largest δ, by dimension.

For pairs (and, with HL in the place of L, trajectories) and rankings at ε = 1: by exact δ(ε) of
neighbours in d = 1, of the most telling starts of the search at n = 1e5 in d = 2 and 3, and of a
mirrored record as n → ∞ for the pair (θ̃, Σ̃).  Each number is where a failure was computed; none is
a proof that the claim holds elsewhere.  Prints a Markdown table that
docs/explanations/printed_privacy.md holds.

    python -m tools.printed_privacy
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from repro.families.central import cases_estimate, cases_joint, cases_plane
from repro.families.central.bounds_ranking_distance import gradients_on_grid
from repro.families.central.cases_estimate import LINE, SEARCHED, EstimateCase
from repro.families.central.cases_joint import (
    PAIRS,
    RANKED,
    RANKINGS,
    Comparison,
    JointCase,
)
from repro.families.central.cases_plane import PlaneCase
from repro.families.central.mechanisms_ball import OnBall
from repro.families.central.mechanisms_calibration import curvature, printed
from repro.families.central.mechanisms_gaussian import REPLACEMENT, GaussianShift, printed_shift
from repro.families.central.mechanisms_records import RankedFeatures
from repro.families.central.quantities_divergence import worst_log_delta
from repro.families.central.searches_neighbours import World, most_telling

EPSILON, FAILURE_PROB, N_PAIRS, ANGLES = 1.0, 0.05, 100_000, 80
BOUNDS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
DELTAS = (1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-20, 1e-30)
AT_DELTAS, AT_BOUNDS = (1e-6, 1e-30), (1.0, 5.0)

Leaks = Callable[[float, float], bool]
"""(LB, δ) → whether neighbours with a larger δ(ε) than claimed were found."""
COMMON = {"methods": (), "epsilon": EPSILON, "runs": 1, "failure_prob": FAILURE_PROB}


def _exceeds(method, case) -> bool:
    mechanism, claim = method.run(case)
    return mechanism.exact_delta(claim.epsilon) > claim.dp_delta


def covariance(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.7: Σ̃ at (ε/2, δ/2); LB plays no part."""
    moved = REPLACEMENT if dimension > 1 else 1.0
    shift = GaussianShift(moved * printed_shift(EPSILON, delta))
    return shift.exact_delta(EPSILON / 2) > delta / 2


def estimate(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.10: θ̃ at (ε/2, δ/2)."""
    neighbours = LINE if dimension == 1 else SEARCHED[dimension]
    case = EstimateCase(
        **COMMON, dp_delta=delta, neighbours=neighbours, reward_bound=bound, searched_pairs=N_PAIRS
    )
    return _exceeds(cases_estimate.as_printed, case)


def on_a_line(comparison: Comparison, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) at (ε, δ) in d = 1."""
    case = JointCase(
        **COMMON, dp_delta=delta, comparison=comparison, reward_bound=bound, ridge_multiple=1.0
    )
    return _exceeds(cases_joint.as_printed, case)


def together(dimension: int, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) at (ε, δ) in d ≥ 2: a mirrored record as n → ∞, or θ̃ alone at n = 1e5."""
    plane = PlaneCase(**COMMON, dp_delta=delta, reward_bound=bound)
    if _exceeds(cases_plane.as_printed, plane):
        return True
    made = printed(EPSILON, delta, curvature(bound), dimension, FAILURE_PROB)
    alone = most_telling(World(N_PAIRS, bound, dimension), made, EPSILON)
    return alone.exact_delta(EPSILON) > delta


def rankings_together(dimension: int, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) of rankings at (ε, δ) in d ≥ 2, by θ̃ alone.

    A mirrored ranking as n → ∞; or one along an axis in the place of a tie, all else ties.
    """
    gamma = RANKINGS.gamma(bound)
    made = printed(EPSILON, delta, gamma, dimension, FAILURE_PROB)
    across = gradients_on_grid(RANKED, bound, ANGLES)
    shift = 2 * float(np.abs(across).max()) / made.sigma
    if GaussianShift(shift).exact_delta(EPSILON) > delta:
        return True
    along = tuple((x,) + (0.0,) * (dimension - 1) for x in (1.0, 1.0, -1.0))
    rest = (RANKINGS.ridge_factor * made.ridge, made.sigma, bound, dimension)
    moved, tied = (OnBall(records, *rest) for records in ((RankedFeatures(along),), ()))
    return worst_log_delta(moved, tied, EPSILON) > math.log(delta)


STATEMENTS: dict[tuple[str, int], Leaks] = {
    **{("A.7: Σ̃", d): partial(covariance, d) for d in (1, 2, 3)},
    **{("A.10: θ̃", d): partial(estimate, d) for d in (1, 2, 3)},
    ("4.1: (θ̃, Σ̃); 5.1 with HL for L", 1): partial(on_a_line, PAIRS),
    **{("4.1: (θ̃, Σ̃); 5.1 with HL for L", d): partial(together, d) for d in (2, 3)},
    ("4.3: K = 3, α times K³", 1): partial(on_a_line, RANKINGS),
    **{("4.3: K = 3, α times K³", d): partial(rankings_together, d) for d in (2, 3)},
}


def first(tried: Iterable[float], leaks: Callable[[float], bool]) -> float:
    """The first at which the claim fails; NaN where it does at none."""
    return next((one for one in tried if leaks(one)), math.nan)


def row(name: str, dimension: int, leaks: Leaks) -> str:
    """One line of the table."""
    bounds = [first(BOUNDS, lambda one, d=delta: leaks(one, d)) for delta in AT_DELTAS]
    deltas = [first(DELTAS, lambda one, b=bound: leaks(b, one)) for bound in AT_BOUNDS]
    said = [f"{one:g}" if one == one else "–" for one in (*bounds, *deltas)]
    return f"| {name} | {dimension} | {' | '.join(said)} |"


def table() -> str:
    """All statements."""
    at = [f"smallest LB, δ = {one:g}" for one in AT_DELTAS]
    at += [f"largest δ, LB = {one:g}" for one in AT_BOUNDS]
    lines = [f"| claim | d | {' | '.join(at)} |", "|---" * (2 + len(at)) + "|"]
    return "\n".join([*lines, *(row(*at, leaks) for at, leaks in STATEMENTS.items())])


if __name__ == "__main__":
    print(table())
