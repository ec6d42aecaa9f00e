"""What a check claims: its number, its margin, words that are built from the number; and what is
judged.

A claim makes a ``DeclaredCheck``: plain numbers and words, fixed before anything is measured.  It
names the quantity, the algorithm under test and the controls, wrong on purpose, which the very
same code path must contradict.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, Protocol, get_args

from repro.base.errors import among
from repro.base.notation import LINEAR_AXES, SYMBOLS

Direction = Literal["two_sided", "at_most", "at_least"]
Verdict = Literal["supported", "contradicted", "inconclusive", "assumption_failed"]


@dataclass(frozen=True)
class DeclaredCheck:
    """Fields shared by all kinds of checks.

    Attributes:
        name: id within the experiment.
        axis: swept quantity, one of ``repro.base.notation.AXES``.
        grid: swept values, increasing.
        quantity: what is measured, with its unit in brackets where it has one.
        method: name of the implementation under test.
        controls: names of wrong implementations; each must come out contradicted.
        mistakes: what is wrong with a control, in words, by its name.
        expected: pinned verdict.
        claim: the claim in words, as the table and the figure print it.
        settings: the other numbers of the measurement (epsilon, n_pairs, …).
        replicate_factor: multiplies the budget's replicates for this check.
        evidence: how the check knows: measured, exact, searched, proved or computed.
        needs: what it depends on, and must notice when it is taken away.
        statements: catalogue ids that it speaks for.
        substitute: what stands in the place of what a paper ran, in words.
        why: the reason of a pinned verdict other than ``supported``.
        corrected: the check that has the form that holds, where this one has one that does not.
    """

    name: str
    axis: str
    grid: tuple[float, ...]
    quantity: str
    method: str
    controls: tuple[str, ...] = ()
    mistakes: Mapping[str, str] = field(default_factory=dict)
    expected: Verdict = "supported"
    claim: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    replicate_factor: float = 1.0
    evidence: str = ""
    needs: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    substitute: str = ""
    why: str = ""
    corrected: str = ""
    kind: str = field(default="", init=False)

    @property
    def methods(self) -> tuple[str, ...]:
        """The method under test, then its controls."""
        return (self.method, *self.controls)


@dataclass(frozen=True)
class SlopeCheck(DeclaredCheck):
    """Exponent of ``quantity`` along ``axis``: a weighted regression on logarithms."""

    claimed: float = 0.0
    tolerance: float = 0.05
    direction: Direction = "two_sided"
    kind: str = field(default="slope", init=False)


@dataclass(frozen=True)
class RatioCheck(DeclaredCheck):
    """Mean of measured over predicted, over the whole grid: is the constant right?"""

    claimed: float = 1.0
    tolerance: float = 0.05
    direction: Direction = "two_sided"
    kind: str = field(default="ratio", init=False)


@dataclass(frozen=True)
class InequalityCheck(DeclaredCheck):
    """Left-hand side over right-hand side, at most 1 in every case."""

    tolerance: float = 1e-9
    kind: str = field(default="inequality", init=False)


@dataclass(frozen=True)
class FrequencyCheck(DeclaredCheck):
    """How often an event fails (measurements are 0 or 1), at most ``allowed``.

    Reported as kind ``inequality``: max_ratio is the worst frequency over what is allowed.
    """

    allowed: float = 0.05
    kind: str = field(default="inequality", init=False)


RATE = "{rate}"


class Claim(Protocol):
    """A claim about one quantity along one axis: its words, then its number where it has one."""

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
            trial: the check's cases and the experiment's failure probability.
        """
        ...


def refuse_wrong_order(claim: Any, number: object = 0.0, direction: str = "two_sided") -> None:
    """One order for all claims.

    Args:
        claim: with its words and its tolerance.
        number: that it claims.
        direction: of its bound.

    Raises:
        ValueError: the words do not come first, or something that is no number stands for one, or
            the tolerance is negative.

    >>> Frequency(0.05)
    Traceback (most recent call last):
    ...
    ValueError: Frequency(words=0.05): allowed: words, number, direction=…, tolerance=…
    """
    numbers = (number, getattr(claim, "tolerance", 0.0))
    fine = all(isinstance(one, Real) and math.isfinite(one) for one in numbers)
    if isinstance(direction, str) and direction not in get_args(Direction):
        raise ValueError(f"direction={direction!r}: {among(direction, get_args(Direction))}")
    if not isinstance(claim.words, str) or not fine or not isinstance(direction, str):
        raise ValueError(f"{claim}: allowed: words, number, direction=…, tolerance=…")
    if numbers[1] < 0:
        raise ValueError(f"{claim}: allowed: a tolerance of 0 or more")


@dataclass(frozen=True)
class Slope:
    """The exponent of a quantity along the check's axis.

    Attributes:
        words: the claim, with ``{rate}`` where the rate stands.
        exponent: of log quantity on log axis; on a linear axis, such as ``reward_bound``, of log
            quantity on its value.
        direction: ``two_sided`` for tight rates, ``at_most`` for upper bounds.
        tolerance: margin of the equivalence test.
        symbol: of the axis in the words; that of ``notation.SYMBOLS`` unless given.
    """

    words: str
    exponent: float
    direction: Direction = "two_sided"
    tolerance: float = 0.05
    symbol: str = ""
    fewest = 3

    def __post_init__(self) -> None:
        refuse_wrong_order(self, self.exponent, self.direction)
        if RATE not in self.words:
            raise ValueError(f"a slope's words hold {RATE}: {self.words!r}")

    def said(self, axis: str) -> str:
        """The words with the rate in place.

        >>> Slope("gap {rate}", -1).said("n_pairs")
        'gap ∝ 1/n'
        >>> Slope("gap {rate} at ε = 1", 1, "at_most").said("reward_bound")
        'gap ≤ O(e^B) at ε = 1'
        >>> Slope("floor {rate}", 0).said("privacy_cost")
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
        direction: ``two_sided``, or ``at_least`` and ``at_most`` for an effect and a bound.
        tolerance: margin of the equivalence test, or beyond the bound.
    """

    words: str
    value: float = 1.0
    direction: Direction = "two_sided"
    tolerance: float = 0.05
    fewest = 1

    def __post_init__(self) -> None:
        refuse_wrong_order(self, self.value, self.direction)

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

    def __post_init__(self) -> None:
        refuse_wrong_order(self)

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: Any) -> DeclaredCheck:
        return InequalityCheck(**common, tolerance=self.tolerance)


@dataclass(frozen=True)
class Frequency:
    """An event fails with at most the experiment's failure probability."""

    words: str
    fewest = 1

    def __post_init__(self) -> None:
        refuse_wrong_order(self)

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
