"""What values an axis can take: outside, its symbol has no meaning or a formula no value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Domain:
    """An interval, with its ends where they are ``closed``; whole numbers only where ``whole``.

    >>> Domain(1).allows(1), Domain(1, closed=True).allows(1), Domain(1, whole=True).allows(2.5)
    (False, True, False)
    """

    least: float = 0.0
    most: float = math.inf
    closed: bool = False
    whole: bool = False

    def allows(self, value: float) -> bool:
        """Whether a swept value lies inside."""
        inside = self.least < value < self.most
        at_end = self.closed and value in (self.least, self.most)
        return (inside or at_end) and (not self.whole or float(value).is_integer())

    @property
    def words(self) -> str:
        """What is allowed, as messages say it."""
        at = "at least" if self.closed else "greater than"
        to = "at most" if self.closed else "less than"
        said = f"{at} {self.least:g}"
        if self.most < math.inf:
            said += f" and {to} {self.most:g}"
        return f"a whole number, {said}" if self.whole else said


POSITIVE = Domain()
COUNT, SEVERAL = Domain(1, closed=True, whole=True), Domain(2, closed=True, whole=True)
DOMAINS: Mapping[str, Domain] = {
    "n_pairs": Domain(1, closed=True),
    "horizon": Domain(1, closed=True),
    "steps": COUNT,
    "privacy_cost": Domain(1),
    "num_features": COUNT,
    "num_states": COUNT,
    "num_actions": SEVERAL,
    "class_size": Domain(1),
    "corruption": Domain(0, 0.5),
    "coverage": Domain(1, closed=True),
    "reward_bound": Domain(0, 700),
    "inverse_reference": Domain(1),
    "value_ratio": Domain(1, closed=True),
    "dp_delta": Domain(0, 1),
    "ranked_actions": SEVERAL,
}
"""By axis; any other takes every positive number."""


def domain_of(axis: str) -> Domain:
    """What an axis can take."""
    return DOMAINS.get(axis, POSITIVE)
