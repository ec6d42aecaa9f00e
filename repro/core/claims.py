"""What a row claims: its number, its margin, and words that are built from the number."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from repro.base.notation import LINEAR_AXES, SYMBOLS
from repro.core.declared import (
    DeclaredCheck,
    Direction,
    FrequencyCheck,
    InequalityCheck,
    RatioCheck,
    SlopeCheck,
)

RATE = "{rate}"


class Claim(Protocol):
    """A claim about one quantity along one axis."""

    @property
    def fewest(self) -> int:
        """Grid points that it takes to judge the claim."""
        ...

    @abstractmethod
    def said(self, axis: str) -> str:
        """The claim in words, as the table and the figure print it."""
        ...

    @abstractmethod
    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        """The check that judges it.

        Args:
            common: fields that all kinds of checks share.
            trial: the row's cases and the experiment's failure probability.
        """
        ...


@dataclass(frozen=True)
class Slope:
    """The exponent of a quantity along the row's axis.

    Attributes:
        exponent: of log quantity on log axis; on ``reward_bound`` of log quantity on B.
        words: the claim, with ``{rate}`` where the rate stands.
        direction: ``two_sided`` for tight rates, ``at_most`` for upper bounds.
        tolerance: margin of the equivalence test.
        symbol: of the axis in the words; that of ``notation.SYMBOLS`` unless given.
    """

    exponent: float
    words: str
    direction: Direction = "two_sided"
    tolerance: float = 0.05
    symbol: str = ""
    fewest = 3

    def __post_init__(self) -> None:
        if RATE not in self.words:
            raise ValueError(f"a slope's words hold {RATE}: {self.words!r}")

    def said(self, axis: str) -> str:
        """The words with the rate in place.

        >>> Slope(-1, "gap {rate}").said("n_pairs")
        'gap ∝ 1/n'
        >>> Slope(1, "gap {rate} at ε = 1", "at_most").said("reward_bound")
        'gap ≤ O(e^B) at ε = 1'
        >>> Slope(0, "floor {rate}").said("privacy_cost")
        'floor free of c(ε)'
        """
        return self.words.replace(RATE, _rate(self.exponent, self.direction, axis, self.symbol))

    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        return SlopeCheck(
            **common,
            claimed=self.exponent,
            tolerance=self.tolerance,
            direction=self.direction,
        )


@dataclass(frozen=True)
class Ratio:
    """Measured over predicted is ``value``: the constant is right; or it is at least, or at most.

    Attributes:
        words: the claim.
        value: of the ratio.
        tolerance: margin of the equivalence test, or beyond the bound.
        direction: ``two_sided``, or ``at_least`` and ``at_most`` for an effect and a bound.
    """

    words: str
    value: float = 1.0
    tolerance: float = 0.05
    direction: Direction = "two_sided"
    fewest = 1

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        return RatioCheck(
            **common, claimed=self.value, tolerance=self.tolerance, direction=self.direction
        )


@dataclass(frozen=True)
class Inequality:
    """Left side over right side is at most 1 in every case, up to rounding."""

    words: str
    tolerance: float = 1e-9
    fewest = 1

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        return InequalityCheck(**common, tolerance=self.tolerance)


@dataclass(frozen=True)
class Frequency:
    """An event fails with at most the experiment's failure probability."""

    words: str
    fewest = 1

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        return FrequencyCheck(**common, allowed=trial.failure_prob)


def _rate(exponent: float, direction: Direction, axis: str, symbol: str) -> str:
    """How a quantity grows, in one to three words."""
    base = symbol or SYMBOLS[axis]
    exponential = axis in LINEAR_AXES and not symbol
    power = _exponential(base, exponent) if exponential else _power(base, exponent)
    if not exponent:
        free = {"two_sided": "free of", "at_most": "does not grow with"}
        return f"{free.get(direction, 'does not fall with')} {base}"
    if direction == "two_sided":
        return f"∝ {power}"
    return f"≤ O({power})" if direction == "at_most" else f"≥ Ω({power})"


def _power(base: str, exponent: float) -> str:
    """A power as a mathematician writes it.

    >>> [_power("n", e) for e in (1, 2, -1, -2, 0.5, -0.5, 0, 1.5, 4 / 3, 1 / 6)]
    ['n', 'n²', '1/n', '1/n²', '√n', '1/√n', '1', 'n^1.5', 'n^(4/3)', 'n^(1/6)']
    """
    if exponent < 0:
        return f"1/{_power(base, -exponent)}"
    known: dict[float, str] = {0: "1", 0.5: f"√{base}", 1: base, 2: f"{base}²", 3: f"{base}³"}
    part = Fraction(exponent).limit_denominator(6)
    if part.denominator in (3, 6) and math.isclose(part, exponent):
        return f"{base}^({part})"
    return known.get(exponent, f"{base}^{exponent:g}")


def _exponential(base: str, exponent: float) -> str:
    """e to a multiple of the axis.

    >>> [_exponential("B", e) for e in (1, 2, 0, -1)]
    ['e^B', 'e^(2B)', '1', 'e^(-1B)']
    """
    known: dict[float, str] = {0: "1", 1: f"e^{base}"}
    return known.get(exponent, f"e^({exponent:g}{base})")
