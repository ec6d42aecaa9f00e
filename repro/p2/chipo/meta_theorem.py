"""Proofs by intervals of χPO's meta theorems, and counterexamples (price_of_adaptivity.md).

The policy π̂ maximises E_π[r̂] − βD(π), D = χ² + KL, for its own implicit reward r̂, so that

    gap ≤ A·√C + A·√Ĉ + β·(D(π*) − D(π̂)),    A = ρ·err,  C = C^π*,  Ĉ = C^π̂,

by Cauchy and Schwarz with both cosines set to 1; 2χ² + 1 is C and KL(π̂) ≥ 0.  Over βC, with
τ = A/(β√C), u = √(Ĉ/C) and q = KL(π*)/C ≤ log(C)/C ≤ 1/e, it is at most τ + τu + ½(1 − u²) + q.
"""

from __future__ import annotations

from collections.abc import Callable

from repro.core.proofs import Claimed, Interval, iv

FAR = (0.0, 1e4)
"""τ and u.  Beyond it nothing changes: the proofs use that a square is not negative, no more."""
UNIT = (0.0, 1.0)
DIVERGENCE = (0.0, 0.36788)
"""q, up to 1/e."""
PLAYED = (0.5, 0.9)
"""π̂ of the overrated response in the counterexamples."""
OVERRATED = 0.1
"""What its implicit reward is above that of the other, over R_max; its reward is R_max below."""


def meta(first: float, last: float) -> Claimed:
    """Over βC·(first·τ + 1 + last·τ²).

    Where first ≥ 1 and last ≥ ½ the right side less the left is at least ½ − q + ½(τ − u)².
    """

    def ratio(tau: Interval, u: Interval, q: Interval) -> Interval:
        right = first * tau + 1 + last * tau**2
        more = (first - 1) * tau + (last - 0.5) * tau**2
        return 1 - (more + iv.mpf(0.5) - q + (tau - u) ** 2 / 2) / right

    return Claimed((FAR, FAR, DIVERGENCE), ratio)


def cap() -> Claimed:
    """Over β₀C·((1+√2)·τ + 1), τ = A/(β₀√C): the capped rule has Ĉ ≤ 2C, u = √2·part.

    Where β̂ > β₀ it has u = √2, and β̂(½(1 − u²) + q) is below β₀ times the same, as q < ½.
    """
    root = iv.sqrt(iv.mpf(2))

    def ratio(tau: Interval, part: Interval, q: Interval) -> Interval:
        left_over = iv.mpf(0.5) - q + part**2 + tau * root * (1 - part)
        return 1 - left_over / (1 + (1 + root) * tau)

    return Claimed((FAR, UNIT, DIVERGENCE), ratio)


Bound = Callable[[Interval, Interval], Interval]
"""(err, β) → a right side at C = ρ = R_max = 1."""


def _overrated(rare: Interval, played: Interval) -> tuple[Interval, Interval]:
    """err and β where a response of reference mass ``rare`` and reward 0 is ``played``.

    The other response has reward 1, and π* is π_ref: the gap is played − rare.
    """
    error = iv.sqrt(2 * rare * (1 - rare)) * (1 + iv.mpf(OVERRATED))
    ratio, other = played / rare, (1 - played) / (1 - rare)
    return error, OVERRATED / (ratio - other + iv.log(ratio / other))


def refuted(value: float, bound: Bound) -> Claimed:
    """A wrong bound on the overrated response of mass 1/value."""
    rare = 1 / iv.mpf(value)
    return Claimed((PLAYED,), lambda played: (played - rare) / bound(*_overrated(rare, played)))


def coverage_ignored(coverage: float) -> Claimed:
    """Wrong: C = 1 in Theorem C.1; known rewards of two responses, the good one of mass 1/C.

    err = 0, so β is left of the bound.
    """
    many = iv.mpf(coverage)

    def ratio(played: Interval) -> Interval:
        other = (1 - played) * many / (many - 1)
        return (1 - played) * (played * many - other + iv.log(played * many / other))

    return Claimed((PLAYED,), ratio)
