"""Proofs by intervals of P3's bounds on derivatives (A.3, B.3, C.3), and instances beyond them.

The norm of a derivative is at most a sum over choices of a number in one or two variables, which is
held over all their values.  A wrong bound is refuted by the derivative of one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from repro.base.schema import Count
from repro.core.check import named
from repro.core.proofs import Box, Claimed, Interval, iv

UNIT = (0.0, 1.0)
FAR = 40.0
"""A reward difference at which a sigmoid is 1 up to 1e-17."""


@dataclass(frozen=True, kw_only=True)
class Derivative:
    """The norm of one derivative for one kind of comparison, L = 1.

    Norms of gradients are in units of L, those of Hessians in units of L², as their bounds are.

    Attributes:
        size: d, K or H.
    """

    size: Count
    box: ClassVar[Box]
    """Of the variables of ``most``."""

    def most(self, *variables: Interval) -> Interval:
        """What the norm is at most."""
        raise NotImplementedError

    @property
    def attained(self) -> Interval:
        """The norm of one comparison, near the largest."""
        raise NotImplementedError

    @property
    def printed(self) -> float:
        """The bound as printed."""
        raise NotImplementedError

    @property
    def sharp(self) -> float:
        """The largest value."""
        raise NotImplementedError

    @property
    def forgetful(self) -> float:
        """The bound with a factor forgotten."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class PairGradient(Derivative):
    """‖σ(−m)·x‖, σ(−m) = p in [0, 1] and ‖x‖ a share ρ of the longest; most where m is far."""

    box = (UNIT, UNIT)

    @property
    def longest(self) -> float:
        """Largest ‖x‖."""
        return 2.0

    @property
    def forgotten(self) -> float:
        """The same with a factor forgotten."""
        return 1.0

    def most(self, p: Interval, share: Interval) -> Interval:
        return p * share * self.longest

    @property
    def attained(self) -> Interval:
        return 1 / (1 + iv.exp(iv.mpf(-FAR))) * self.longest

    @property
    def printed(self) -> float:
        return self.longest

    @property
    def sharp(self) -> float:
        return self.longest

    @property
    def forgetful(self) -> float:
        return self.forgotten


@dataclass(frozen=True, kw_only=True)
class PairHessian(PairGradient):
    """σ′(m)·‖x‖²; most at m = 0."""

    box = ((0.0, FAR), UNIT)

    def most(self, m: Interval, share: Interval) -> Interval:
        return (share * self.longest) ** 2 / (2 + iv.exp(m) + iv.exp(-m))

    @property
    def attained(self) -> Interval:
        return iv.mpf(self.longest) ** 2 / 4

    @property
    def printed(self) -> float:
        return self.longest**2

    @property
    def sharp(self) -> float:
        return self.longest**2 / 4

    @property
    def forgetful(self) -> float:
        return self.forgotten**2 / 4


@dataclass(frozen=True, kw_only=True)
class TrajectoryGradient(PairGradient):
    """The same of summed features: ‖x‖ is at most 2HL, and H is what may be forgotten."""

    @property
    def longest(self) -> float:
        return 2.0 * self.size

    @property
    def forgotten(self) -> float:
        return 2.0


@dataclass(frozen=True, kw_only=True)
class TrajectoryHessian(TrajectoryGradient, PairHessian):
    """Its Hessian."""


@dataclass(frozen=True, kw_only=True)
class RankingGradient(Derivative):
    """K − 1 choices, each with ‖Σ_k p_k·(φ_top − φ_k)‖ ≤ (1 − p_top)·2L."""

    box = (UNIT, UNIT)

    def most(self, p: Interval, share: Interval) -> Interval:
        return (self.size - 1) * 2 * share * (1 - p)

    @property
    def attained(self) -> Interval:
        """φ = −L but for the response ranked last, +L; its reward is higher by ``FAR``.

        It is preferred by p = e^FAR/(e^FAR + m − 1) in a choice among m.
        """
        far = iv.exp(iv.mpf(FAR))
        return sum((2 * far / (far + m - 1) for m in range(2, self.size + 1)), iv.mpf(0))

    @property
    def printed(self) -> float:
        return 2 * self.size**2

    @property
    def sharp(self) -> float:
        return 2 * (self.size - 1)

    @property
    def forgetful(self) -> float:
        return 2.0


@dataclass(frozen=True, kw_only=True)
class RankingHessian(Derivative):
    """K − 1 choices, each with a variance of numbers in [−L, L], at most L² less their mean's."""

    box = ((-1.0, 1.0),)

    def most(self, mean: Interval) -> Interval:
        return (self.size - 1) * (1 - mean**2)

    @property
    def attained(self) -> Interval:
        """φ = ±L by turns and θ = 0: a choice among m has the variance 1, or 1 − 1/m² for odd m."""
        among = range(2, self.size + 1)
        return sum((1 - iv.mpf(m % 2) / m**2 for m in among), iv.mpf(0))

    @property
    def printed(self) -> float:
        return 4 * self.size**3

    @property
    def sharp(self) -> float:
        return self.size - 1

    @property
    def forgetful(self) -> float:
        return 1.0


def printed(world: Derivative) -> Claimed:
    """The bound as printed, over all values."""
    return Claimed(world.box, lambda *at: world.most(*at) / world.printed)


def beyond(world: Derivative, bound: float) -> Claimed:
    """One comparison over a bound; the box is a point that nothing hangs on."""
    return Claimed((UNIT,), lambda _: world.attained / bound)


def features_for_differences(world: Derivative) -> Claimed:
    """Wrong: L in the place of 2L."""
    return beyond(world, world.forgetful)


def sharp_ten_percent(world: Derivative) -> Claimed:
    """Wrong: 10 % below the largest value."""
    return beyond(world, 0.9 * world.sharp)


PAIR_BOUND = named("pair_bound", features_for_differences)
"""Wrong: the sharp bound of a pair, without K or H."""
