"""Proofs by intervals of P3's bounds on derivatives (A.3, B.3, C.3), and instances beyond them.

The norm of a derivative is at most a sum over choices of a number in one or two variables, which is
held over all their values.  A wrong bound is refuted by the derivative of one comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repro.study.case import Case
from repro.study.proofs import Box, Claimed, Interval, iv, proved
from repro.study.row import Method

UNIT = (0.0, 1.0)
FAR = 40.0
"""A reward difference at which a sigmoid is 1 up to 1e-17."""


@dataclass(frozen=True)
class Norm:
    """The norm of one derivative for one kind of comparison, L = 1; sizes are d, K or H.

    Norms of gradients are in units of L, those of Hessians in units of L², as their bounds are.

    Attributes:
        box: of the variables of ``most``.
        most: (size, *variables) → what the norm is at most.
        attained: size → the norm of one comparison, near the largest.
        printed: size → the bound as printed.
        sharp: size → the largest value.
        forgetful: size → the bound with a factor forgotten.
    """

    box: Box
    most: Callable[..., Interval]
    attained: Callable[[float], Interval]
    printed: Callable[[float], float]
    sharp: Callable[[float], float]
    forgetful: Callable[[float], float]


Largest = tuple[Box, Callable[..., Interval], Callable[[float], Interval]]
"""``box``, ``most`` and ``attained`` of a norm."""


def _win(difference: float) -> Interval:
    return 1 / (1 + iv.exp(iv.mpf(-difference)))


def _pair_gradient(longest: Callable[[float], float]) -> Largest:
    """‖σ(−m)·x‖, σ(−m) = p in [0, 1] and ‖x‖ a share ρ of the longest; most where m is far."""
    return (
        (UNIT, UNIT),
        lambda size, p, share: p * share * longest(size),
        lambda size: _win(FAR) * longest(size),
    )


def _pair_hessian(longest: Callable[[float], float]) -> Largest:
    """σ′(m)·‖x‖²; most at m = 0."""
    return (
        ((0.0, FAR), UNIT),
        lambda size, m, share: (share * longest(size)) ** 2 / (2 + iv.exp(m) + iv.exp(-m)),
        lambda size: iv.mpf(longest(size)) ** 2 / 4,
    )


def _ranking_gradient(size: float, p: Interval, share: Interval) -> Interval:
    """K − 1 choices, each with ‖Σ_k p_k·(φ_top − φ_k)‖ ≤ (1 − p_top)·2L."""
    return (size - 1) * 2 * share * (1 - p)


def _last_is_best(size: float) -> Interval:
    """φ = −L but for the response ranked last, +L; its reward is higher by ``FAR``.

    It is preferred by p = e^FAR/(e^FAR + m − 1) in a choice among m.
    """
    far = iv.exp(iv.mpf(FAR))
    return sum((2 * far / (far + m - 1) for m in range(2, int(size) + 1)), iv.mpf(0))


def _ranking_hessian(size: float, mean: Interval) -> Interval:
    """K − 1 choices, each with a variance of numbers in [−L, L], at most L² less their mean's."""
    return (size - 1) * (1 - mean**2)


def _by_turns(size: float) -> Interval:
    """φ = ±L by turns and θ = 0: a choice among m has the variance 1, or 1 − 1/m² for odd m."""
    among = range(2, int(size) + 1)
    return sum((1 - iv.mpf(m % 2) / m**2 for m in among), iv.mpf(0))


GRADIENT_OF_PAIRS = Norm(
    *_pair_gradient(lambda d: 2.0), lambda d: 2.0, lambda d: 2.0, lambda d: 1.0
)  # fmt: skip
HESSIAN_OF_PAIRS = Norm(
    *_pair_hessian(lambda d: 2.0), lambda d: 4.0, lambda d: 1.0, lambda d: 0.25
)  # fmt: skip
GRADIENT_OF_RANKINGS = Norm(
    (UNIT, UNIT), _ranking_gradient, _last_is_best,
    lambda k: 2 * k**2, lambda k: 2 * (k - 1), lambda k: 2.0,
)  # fmt: skip
HESSIAN_OF_RANKINGS = Norm(
    ((-1.0, 1.0),), _ranking_hessian, _by_turns, lambda k: 4 * k**3, lambda k: k - 1, lambda k: 1.0
)
GRADIENT_OF_TRAJECTORIES = Norm(
    *_pair_gradient(lambda steps: 2 * steps),
    lambda steps: 2 * steps, lambda steps: 2 * steps, lambda steps: 2.0,
)  # fmt: skip
HESSIAN_OF_TRAJECTORIES = Norm(
    *_pair_hessian(lambda steps: 2 * steps),
    lambda steps: 4 * steps**2, lambda steps: steps**2, lambda steps: 1.0,
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class NormCase(Case):
    """The norm of one derivative at one size.

    Attributes:
        norm: which.
        size: d, K or H.
    """

    norm: Norm
    size: float


def _proved(one: NormCase) -> Claimed:
    bound = one.norm.printed(one.size)
    return Claimed(one.norm.box, lambda *at: one.norm.most(one.size, *at) / bound)


def _refuted(wrong: Callable[[Norm, float], float]) -> Callable[[NormCase], Claimed]:
    """One comparison over a bound; the box is a point that nothing hangs on."""

    def claimed(one: NormCase) -> Claimed:
        bound = wrong(one.norm, one.size)
        return Claimed((UNIT,), lambda _: one.norm.attained(one.size) / bound)

    return claimed


OVER_BOUND = proved("largest norm / printed bound", of=lambda case: case)

printed_norm = Method("printed", _proved)
features_for_differences = Method(
    "features_for_differences", _refuted(lambda norm, size: norm.forgetful(size))
)
"""Wrong: L in the place of 2L."""
pair_bound = Method("pair_bound", _refuted(lambda norm, size: norm.forgetful(size)))
"""Wrong: the sharp bound of a pair, without K or H."""
sharp_ten_percent = Method("sharp_ten_percent", _refuted(lambda norm, size: 0.9 * norm.sharp(size)))
"""Wrong: 10 % below the largest value."""
