"""Where P3's printed privacy claims fail, in either adjacency: the smallest LB and the largest δ.

For pairs (and, with HL in the place of L, trajectories) and rankings at ε = 1.  *Replaced*: one
record is replaced by any other.  By exact δ(ε) of neighbours in d = 1, of the most telling starts
of the search in d = 2 and 3, and of a mirrored record as n → ∞ for the pair (θ̃, Σ̃).  Algorithm 1
asks for δ ≤ 1/n²: searches have at most 1e5 and at most δ^(−1/2) records, and the limit n → ∞ is
taken only where 1e6 records are allowed.
*Added or removed*: one record stands in the place of a tie, n being public; by exact δ(ε) of such
neighbours whose other records are all ties.  Each of these numbers is where a failure was
computed; none is a proof that the claim holds elsewhere.  The last table is proved: what the
printed noise gives away at most once the ridge is the certified one.  Prints the Markdown tables
that docs/explanations/printed_privacy.md holds.

    python -m tools.printed_privacy
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from repro.labels.privacy.gaussian import GaussianShift, gaussian_delta
from repro.labels.privacy.mechanism import Mechanism
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.calibration import (
    RIDGE_SHARE,
    Calibration,
    curvature,
    printed,
    tied_otherwise,
)
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import pairs
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound
from repro.p3.objective_perturbation.neighbour_search import World, most_telling
from repro.p3.objective_perturbation.ranking_distance import gradients_on_grid
from repro.p3.objective_perturbation.records import Pair, RankedFeatures
from repro.p3.objective_perturbation.with_covariance import REPLACEMENT, WithGaussian, printed_shift
from theorems import central_dp_privacy as theorem_4_1
from theorems import objective_perturbation_privacy as lemma_a_10
from theorems.central_dp_privacy import (
    PAIRS,
    RANKED,
    RANKINGS,
    ComparisonKind,
    InThePlane,
    OnALine,
)
from theorems.objective_perturbation_privacy import (
    EstimateRelease,
    flipped_or_moved,
    searched,
)

EPSILON, FAILURE_PROB, MOST_PAIRS, ANGLES = 1.0, 0.05, 100_000, 80
LARGE = 1_000_000
"""Records from which on the limit n → ∞ is taken for a mirrored record."""
BOUNDS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
DELTAS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 1e-12, 1e-15, 1e-20, 1e-30)
AT_DELTAS, AT_BOUNDS = (1e-6, 1e-30), (1.0, 5.0)

Leaks = Callable[[float, float], bool]
"""(LB, δ) → whether neighbours with a larger δ(ε) than claimed were found."""


def allowed_pairs(delta: float) -> int:
    """The largest n with δ ≤ 1/n², which Algorithm 1 asks for.

    >>> allowed_pairs(1e-6), allowed_pairs(1e-3)
    (1000, 31)
    """
    return math.floor(delta**-0.5 * (1 + 1e-12))


def _exceeds(algorithm: Callable[[Any], Mechanism], world: Any) -> bool:
    claimed = world.claimed
    return algorithm(world).exact_delta(claimed.epsilon) > claimed.dp_delta


def covariance(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.7: Σ̃ at (ε/2, δ/2); LB plays no part."""
    moved = REPLACEMENT if dimension > 1 else 1.0
    shift = GaussianShift(moved * printed_shift(EPSILON, delta))
    return shift.exact_delta(EPSILON / 2) > delta / 2


def estimate(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.10: θ̃ at (ε/2, δ/2)."""
    world = EstimateRelease(
        epsilon=EPSILON, dp_delta=delta, failure_prob=FAILURE_PROB, reward_bound=bound,
        dimension=dimension, ranked=2, searched_pairs=min(MOST_PAIRS, allowed_pairs(delta)),
        neighbours=flipped_or_moved if dimension == 1 else searched,
    )  # fmt: skip
    return _exceeds(lemma_a_10.printed, world)


def on_a_line(comparison: ComparisonKind, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) at (ε, δ) in d = 1."""
    world = OnALine(
        epsilon=EPSILON, dp_delta=delta, failure_prob=FAILURE_PROB, reward_bound=bound,
        comparison=comparison,
    )  # fmt: skip
    return _exceeds(theorem_4_1.printed, world)


def together(dimension: int, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) at (ε, δ) in d ≥ 2: a mirrored record as n → ∞, or θ̃ alone at n ≤ 1e5."""
    plane = InThePlane(
        epsilon=EPSILON, dp_delta=delta, failure_prob=FAILURE_PROB, reward_bound=bound
    )
    if allowed_pairs(delta) >= LARGE and _exceeds(theorem_4_1.printed, plane):
        return True
    made = printed(EPSILON, delta, curvature(bound), dimension, FAILURE_PROB)
    n_pairs = min(MOST_PAIRS, allowed_pairs(delta))
    alone = most_telling(World(n_pairs, bound, dimension), made, EPSILON)
    return alone.exact_delta(EPSILON) > delta


def rankings_together(dimension: int, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) of rankings at (ε, δ) in d ≥ 2, by θ̃ alone.

    A mirrored ranking as n → ∞; or one along an axis in the place of a tie, all else ties.
    """
    gamma = RANKINGS.gamma(bound)
    made = printed(EPSILON, delta, gamma, dimension, FAILURE_PROB)
    across = gradients_on_grid(RANKED, bound, ANGLES)
    shift = 2 * float(np.abs(across).max()) / made.sigma
    if allowed_pairs(delta) >= LARGE and GaussianShift(shift).exact_delta(EPSILON) > delta:
        return True
    ranking = RankedFeatures(_along((1.0, 1.0, -1.0), dimension))
    return _leaks_from_a_tie(ranking, RANKINGS, dimension, bound, delta, EPSILON, delta)


def _along(values: Iterable[float], dimension: int) -> tuple[tuple[float, ...], ...]:
    """Points of the first axis."""
    return tuple((x,) + (0.0,) * (dimension - 1) for x in values)


def _leaks_from_a_tie(
    record: Pair | RankedFeatures, comparison: ComparisonKind, dimension: int, bound: float,
    delta: float, epsilon: float, allowed: float,
) -> bool:  # fmt: skip
    """Whether θ̃ as printed for δ tells a record from a tie by more than ``allowed`` at ε."""
    gamma = comparison.gamma(bound)
    made = printed(EPSILON, delta, gamma, dimension, FAILURE_PROB)
    rest = (comparison.ridge_factor * made.ridge, made.sigma, bound, dimension)
    added, tied = (OnBall(records, *rest) for records in ((record,), ()))
    return worst_log_delta(added, tied, epsilon) > math.log(allowed)


def covariance_added(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.7 at (ε/2, δ/2): one record moves Σ_D by 4L²/n in every dimension."""
    return covariance(1, bound, delta)


def estimate_added(dimension: int, bound: float, delta: float) -> bool:
    """Lemma A.10: θ̃ at (ε/2, δ/2)."""
    if dimension == 1:
        return _line(PAIRS, bound, delta, 0.0).exact_delta(EPSILON / 2) > delta / 2
    pair = Pair(_along((2.0,), dimension)[0])
    return _leaks_from_a_tie(pair, PAIRS, dimension, bound, delta, EPSILON / 2, delta / 2)


def together_added(comparison: ComparisonKind, dimension: int, bound: float, delta: float) -> bool:
    """(θ̃, Σ̃) at (ε, δ) in d = 1; by θ̃ alone in d ≥ 2."""
    if dimension == 1:
        shift = comparison.moved * printed_shift(EPSILON, delta)
        return _line(comparison, bound, delta, shift).exact_delta(EPSILON) > delta
    record = (
        Pair(_along((2.0,), dimension)[0])
        if comparison is PAIRS
        else RankedFeatures(_along((1.0, 1.0, -1.0), dimension))
    )
    return _leaks_from_a_tie(record, comparison, dimension, bound, delta, EPSILON, delta)


def _line(comparison: ComparisonKind, bound: float, delta: float, shift: float):
    """A record in the place of a tie in d = 1, with a Gaussian shift beside θ̃ where it is not 0."""
    made = printed(EPSILON, delta, comparison.gamma(bound), 1, FAILURE_PROB)
    made = Calibration(made.sigma, comparison.ridge_factor * made.ridge)
    alone = tied_otherwise(made, bound, (), comparison.one)
    return WithGaussian(alone, shift) if shift else alone


STATEMENTS: dict[tuple[str, int], Leaks] = {
    **{("A.7: Σ̃", d): partial(covariance, d) for d in (1, 2, 3)},
    **{("A.10: θ̃", d): partial(estimate, d) for d in (1, 2, 3)},
    ("4.1: (θ̃, Σ̃); 5.1 with HL for L", 1): partial(on_a_line, PAIRS),
    **{("4.1: (θ̃, Σ̃); 5.1 with HL for L", d): partial(together, d) for d in (2, 3)},
    ("4.3: K = 3, α times K³", 1): partial(on_a_line, RANKINGS),
    **{("4.3: K = 3, α times K³", d): partial(rankings_together, d) for d in (2, 3)},
}
"""One record replaced by another."""
DIMENSIONS = (1, 2, 3)
ADDED: dict[tuple[str, int], Leaks] = {
    **{("added, A.7: Σ̃", d): partial(covariance_added, d) for d in DIMENSIONS},
    **{("added, A.10: θ̃", d): partial(estimate_added, d) for d in DIMENSIONS},
    **{
        ("added, 4.1: (θ̃, Σ̃); 5.1 with HL for L", d): partial(together_added, PAIRS, d)
        for d in DIMENSIONS
    },
    **{
        ("added, 4.3: K = 3, α times K³", d): partial(together_added, RANKINGS, d)
        for d in DIMENSIONS
    },
}
"""One record added or removed."""


def noise_of_estimate(adjacency: str, dimension: int, bound: float, delta: float) -> float:
    """Proved bound of δ(ε/2) over δ/2 of θ̃: printed noise, certified ridge."""
    epsilon = EPSILON / 2
    ridge, left = _certified_ridge(epsilon)
    sigma = printed(EPSILON, delta, 1.0, dimension, FAILURE_PROB).sigma
    if adjacency == "replaced":
        found = hockey_stick_bound(pairs(bound, dimension), sigma, ridge, epsilon)
    else:
        found = float(gaussian_delta(_gradient(bound) / sigma, left))
    return found / (delta / 2)


def noise_of_both(bound: float, delta: float) -> float:
    """Proved bound of δ(ε) over δ of (θ̃, Σ̃), a record added: printed noise, certified ridge."""
    _, left = _certified_ridge(EPSILON)
    sigma = printed(EPSILON, delta, 1.0, 1, FAILURE_PROB).sigma
    shift = printed_shift(EPSILON, delta)
    both = math.hypot(_gradient(bound) / sigma, shift)
    return float(gaussian_delta(both, left) + gaussian_delta(shift, left)) / delta


def _certified_ridge(epsilon: float) -> tuple[float, float]:
    """The ridge that spends RIDGE_SHARE of ε on the change of volume, and what it leaves of ε."""
    share = RIDGE_SHARE * epsilon
    return 1 / math.expm1(share), epsilon - share


def _gradient(bound: float) -> float:
    """2·sigmoid(2LB): norm of one pair's gradient on the ball, L = 1."""
    return 2 / (1 + math.exp(-2 * bound))


PROVED_AT = (1e-3, 1e-6, 1e-12, 1e-30)
PROVED: dict[str, Callable[[float, float], float]] = {
    "A.10's noise, replaced, d = 1": partial(noise_of_estimate, "replaced", 1),
    "A.10's noise, replaced, d ≥ 2": partial(noise_of_estimate, "replaced", 2),
    "A.10's noise, added or removed, every d": partial(noise_of_estimate, "added", 2),
    "4.1's noise, added or removed, every d": noise_of_both,
}
"""(LB, δ) → proved bound over the claim."""


def proved_row(name: str, bound: float) -> str:
    """One line of the table of what is proved."""
    ratios = [PROVED[name](bound, delta) for delta in PROVED_AT]
    return f"| {name} | {bound:g} | {' | '.join(f'{one:.2g}' for one in ratios)} |"


def proved_table() -> str:
    """At most this share of the claim, where it is below 1."""
    at = " | ".join(f"δ = {one:g}" for one in PROVED_AT)
    lines = [f"| printed noise, certified ridge | LB | {at} |", "|---" * (2 + len(PROVED_AT)) + "|"]
    return "\n".join([*lines, *(proved_row(name, b) for name in PROVED for b in AT_BOUNDS)])


def first(tried: Iterable[float], leaks: Callable[[float], bool]) -> float:
    """The first at which the claim fails; NaN where it does at none."""
    return next((one for one in tried if leaks(one)), math.nan)


def row(name: str, dimension: int, leaks: Leaks) -> str:
    """One line of the table."""
    bounds = [first(BOUNDS, lambda one, d=delta: leaks(one, d)) for delta in AT_DELTAS]
    deltas = [first(DELTAS, lambda one, b=bound: leaks(b, one)) for bound in AT_BOUNDS]
    said = [f"{one:g}" if one == one else "–" for one in (*bounds, *deltas)]
    return f"| {name} | {dimension} | {' | '.join(said)} |"


def table(statements: dict[tuple[str, int], Leaks]) -> str:
    """All statements in one adjacency."""
    at = [f"smallest LB, δ = {one:g}" for one in AT_DELTAS]
    at += [f"largest δ, LB = {one:g}" for one in AT_BOUNDS]
    lines = [f"| claim | d | {' | '.join(at)} |", "|---" * (2 + len(at)) + "|"]
    return "\n".join([*lines, *(row(*at, leaks) for at, leaks in statements.items())])


if __name__ == "__main__":
    print(table(STATEMENTS), table(ADDED), proved_table(), sep="\n\n")
