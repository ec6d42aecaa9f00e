"""Definition 3.5 of P1 as printed and as meant, on a class where the readings differ.

The pair eluder dimension leaves open which first responses it is over: one state; response 0 has
features 0 and π¹, so that U of response k is |θ_k| over its data; the others are one-hot.  Its
supremum names contexts and second responses only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from repro.study.row import Method


@dataclass(frozen=True)
class FirstResponse:
    """Where a¹ of a pair comes from.

    Attributes:
        learnt: by how much a round's pair tells about the response asked.
    """

    learnt: int


DRAWN = Method("drawn", FirstResponse(1))
"""From π¹, that is response 0."""
FREE = Method("free", FirstResponse(0))
"""In the supremum as well: then a pair of the same response twice is uncertain and says nothing."""


def eluder_sums(count: int, ridge: float, horizon: int, first: FirstResponse) -> np.ndarray:
    """(T,) greedy partial sums Σ min(1, U_t²), a lower bound of the supremum.

    Args:
        count: d one-hot responses besides response 0.
        ridge: λ over the squared diameter of the class.
        horizon: T.
        first: where first responses come from.
    """
    information = np.zeros(count)
    gains = np.empty(horizon)
    for t in range(horizon):
        asked = int(information.argmin())
        gains[t] = min(1.0, 1 / (ridge + information[asked]))
        information[asked] += first.learnt
    return np.cumsum(gains)


def eluder_closed_form(count: int, ridge: float, horizon: float) -> float:
    """The drawn sum at a multiple of d rounds and λ ≤ 1: d·(1 + Σ_{1≤k<T/d} 1/(λ+k)).

    >>> round(eluder_closed_form(1, 1.0, 3), 9)
    1.833333333
    """
    return count * float(1 + digamma(horizon / count + ridge) - digamma(1 + ridge))
