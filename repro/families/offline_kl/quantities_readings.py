"""Definitions 3.2 and 3.5 of P1 as printed and as meant, on classes where the readings differ.

D² is computed on random linear classes.  The pair eluder dimension leaves open which first
responses it is over: one state; response 0 has features 0 and π¹, so that U of response k is |θ_k|
over its data; the others are one-hot.  Its supremum names contexts and second responses only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import digamma

from repro.study.row import Method, method

LARGEST = 1e12
"""Ratios are cut here: the literal D² is 0."""
STATES = 3
RESPONSES_PER_FEATURE = 2


@dataclass(frozen=True, eq=False)
class RandomClass:
    """Linear functions of d features, and one difference g − h of two of them.

    The error is g − h less its mean under π_ref, in [−B, B] with B the largest |g − h|.

    Attributes:
        features: (S, A, d).
        reference: (S, A) π_ref; states are uniform.
        direction: (d,) of g − h.
    """

    features: np.ndarray
    reference: np.ndarray
    direction: np.ndarray

    @cached_property
    def centred(self) -> np.ndarray:
        """(S, A, d) φ̃, features less their mean under π_ref."""
        mean = np.einsum("sa,sad->sd", self.reference, self.features)
        return self.features - mean[:, None]

    def moment(self, phi: np.ndarray) -> np.ndarray:
        """(d, d) E φφᵀ of features (S, A, d)."""
        return np.einsum("sa,sai,saj->ij", self.reference, phi, phi) / STATES

    @property
    def variance(self) -> float:
        """E Var(g − h)."""
        return float(self.direction @ self.moment(self.centred) @ self.direction)

    def largest(self, squared_distance: np.ndarray) -> float:
        """Largest error²/(D²·E Var) over responses, for D² (S, A)."""
        error = (self.centred @ self.direction) ** 2
        allowed = np.maximum(squared_distance * self.variance, error / LARGEST)
        return float((error / allowed).max())

    def leverage(self, phi: np.ndarray) -> np.ndarray:
        """(S, A) φᵀ(E φφᵀ)⁻¹φ."""
        return np.einsum("sai,ij,saj->sa", phi, np.linalg.inv(self.moment(phi)), phi)


def random_class(num_features: float, rng: np.random.Generator) -> RandomClass:
    """A random class of d features.

    Half of the cases point g − h along Σ⁻¹φ̃(s, a) of some response, where the Cauchy–Schwarz
    inequality is an equality.
    """
    count = int(num_features)
    responses = RESPONSES_PER_FEATURE * count + 1
    features = rng.standard_normal((STATES, responses, count)) + 2 * rng.standard_normal(count)
    reference = rng.dirichlet(np.ones(responses), STATES)
    drawn = RandomClass(features, reference, rng.standard_normal(count))
    if rng.random() >= 0.5:
        return drawn
    worst = np.linalg.solve(drawn.moment(drawn.centred), drawn.centred[0, 0])
    return replace(drawn, direction=worst)


@method
def infimum_inside(case: RandomClass) -> float:
    """As printed: inf_b (g − h − b(s))² over E Var, with b in [−B, B]."""
    difference = case.features @ case.direction
    bound = np.abs(difference).max()
    rest = difference - np.clip(difference, -bound, bound)
    return case.largest(rest**2 / case.variance)


@method
def centred(case: RandomClass) -> float:
    """As meant: φ̃ᵀΣ⁻¹φ̃."""
    return case.largest(case.leverage(case.centred))


@method
def uncentred(case: RandomClass) -> float:
    """Wrong: φᵀ(E φφᵀ)⁻¹φ, which forgets the bias."""
    return case.largest(case.leverage(case.features))


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
