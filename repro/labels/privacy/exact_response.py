"""Randomized response on real labels: exact coins from the operating system's entropy.

No floating-point number touches a label.  The flip probability 1/(1+e^ε) is irrational for every
rational ε > 0, so it is rounded **up** to a multiple of 2⁻⁶⁴ and a label is flipped when a uniform
64-bit word lies below it.  The probabilities of the two outputs then have a ratio of at most e^ε,
exactly (P1, eq. 7 with a little more noise).  Nothing here takes a seed; simulations use
``repro.worlds.estimators.two_arm_mle``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import chain, repeat

from repro.base.errors import BadInput

WORD_BITS = 64
WORDS = 1 << WORD_BITS
FEWEST, MOST = Decimal("1e-6"), Decimal(40)
ALLOWED = f"allowed: a number from {FEWEST:f} to {MOST} with at most six decimals, such as 0.5"
_WRITTEN = re.compile(r"(?:0|[1-9][0-9]?)(?:\.[0-9]{1,6})?")
_EXACT = Context(prec=80)
_MARGIN = _EXACT.add(1, Decimal(10) ** -60)
"""Far above the error of 80-digit arithmetic, far below 2⁻⁶⁴."""


def parse_epsilon(text: str) -> Decimal:
    """The budget as the exact decimal number that the user wrote, in its shortest form.

    Raises:
        BadInput: anything but ASCII digits and a point, or outside [1e-6, 40]; ∞ would release raw
            labels, and Python reads "0_5" as 5.

    >>> parse_epsilon("0.50"), str(parse_epsilon("40"))
    (Decimal('0.5'), '40')
    """
    epsilon = Decimal(text) if _WRITTEN.fullmatch(text) else Decimal(0)
    if not FEWEST <= epsilon <= MOST:
        raise BadInput("epsilon", text[:40], ALLOWED)
    return Decimal(format(epsilon.normalize(), "f"))


def flip_threshold(epsilon: Decimal) -> int:
    """Smallest safe count of 64-bit words that flip: at least 2⁶⁴/(1+e^ε).

    >>> flip_threshold(Decimal(40)), flip_threshold(Decimal("1e-6")) <= 2**63
    (79, True)
    """
    odds = _EXACT.add(1, _EXACT.exp(epsilon))
    share = _EXACT.multiply(_EXACT.divide(Decimal(WORDS), odds), _MARGIN)
    return int(share.to_integral_value(ROUND_FLOOR)) + 1


@dataclass(frozen=True)
class ExactResponse:
    """Randomized response with a rational flip probability.

    Attributes:
        epsilon: budget claimed.
        threshold: number of the 2⁶⁴ words that flip.
    """

    epsilon: Decimal
    threshold: int

    @classmethod
    def at(cls, epsilon: Decimal) -> ExactResponse:
        """The mechanism of a budget in [1e-6, 40]."""
        return cls(epsilon, flip_threshold(epsilon))

    @property
    def flip_prob(self) -> Fraction:
        """The exact probability of a flip, below one half."""
        return Fraction(self.threshold, WORDS)

    @property
    def epsilon_spent(self) -> Decimal:
        """log((1−flip)/flip), at most ``epsilon``; to 30 digits."""
        odds = _EXACT.divide(Decimal(WORDS - self.threshold), Decimal(self.threshold))
        return Context(prec=30, rounding=ROUND_FLOOR).plus(_EXACT.ln(odds))

    def flips(self) -> Iterator[bool]:
        """An endless stream of exact coins, True where the label is to be flipped."""
        return map(self.threshold.__gt__, random_words())


def random_words(block: int = 8192) -> Iterator[int]:
    """Uniform 64-bit words of the operating system, fetched ``block`` at a time."""
    blocks = (memoryview(os.urandom(8 * block)).cast("Q") for _ in repeat(None))
    return chain.from_iterable(blocks)


def random_bytes(block: int = 1 << 16) -> Iterator[int]:
    """Uniform bytes of the operating system, as whole numbers."""
    return chain.from_iterable(os.urandom(block) for _ in repeat(None))
