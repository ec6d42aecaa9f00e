"""What Definition 3.5 (P1) leaves open: which first responses the pair eluder dimension is over.

One state; response 0 has features 0 and π¹, so that U of response k is |θ_k| over its data; the
others are one-hot.  The definition's supremum names contexts and second responses only.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import digamma

FirstResponse = Literal["drawn", "free"]


def eluder_sums(count: int, ridge: float, horizon: int, first: FirstResponse) -> np.ndarray:
    """(T,) greedy partial sums Σ min(1, U_t²), a lower bound of the supremum.

    Args:
        count: d one-hot responses besides response 0.
        ridge: λ over the squared diameter of the class.
        horizon: T.
        first: ``drawn`` from π¹, that is response 0; or ``free``, in the supremum as well: then
            a pair of the same response twice is uncertain and says nothing.
    """
    information = np.zeros(count)
    gains = np.empty(horizon)
    for t in range(horizon):
        asked = int(information.argmin())
        gains[t] = min(1.0, 1 / (ridge + information[asked]))
        information[asked] += first == "drawn"
    return np.cumsum(gains)


def eluder_closed_form(count: int, ridge: float, horizon: float) -> float:
    """The drawn sum at a multiple of d rounds and λ ≤ 1: d·(1 + Σ_{1≤k<T/d} 1/(λ+k)).

    >>> round(eluder_closed_form(1, 1.0, 3), 9)
    1.833333333
    """
    return count * float(1 + digamma(horizon / count + ridge) - digamma(1 + ridge))
