"""Definitions 3.2 and 3.5 of P1 as printed and as meant, on classes where the readings differ.

D² is computed on random linear classes.  The pair eluder dimension leaves open which first
responses it is over: one state; response 0 has features 0 and π¹, so that U of response k is |θ_k|
over its data; the others are one-hot.  Its supremum names contexts and second responses only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from scipy.special import digamma

LARGEST = 1e12
"""Ratios are cut here: the literal D² is 0."""
STATES = 3
RESPONSES_PER_FEATURE = 2


def distance_ratios(
    count: int, readings: Iterable[str], rng: np.random.Generator, replicates: int
) -> dict[str, np.ndarray]:
    """(R,) error²/(D²·E Var) by reading, largest over the responses of a random class.

    g − h is a linear function of d = count features; half of the cases point it along
    Σ⁻¹φ̃(s, a) of some response, where the Cauchy–Schwarz inequality is an equality.  The error is
    g − h less its mean under π_ref, in [−B, B] with B the largest |g − h|.

    Readings: ``infimum_inside``, inf_b (g − h − b(s))² with b in [−B, B], over E Var, as printed;
    ``centred``, φ̃ᵀΣ⁻¹φ̃; ``uncentred``, φᵀ(E φφᵀ)⁻¹φ, which forgets the bias.
    """
    found: dict[str, list[float]] = {reading: [] for reading in readings}
    for _ in range(replicates):
        case = _case(count, rng)
        for reading, values in found.items():
            values.append(_largest(reading, *case))
    return {reading: np.array(values) for reading, values in found.items()}


def _case(count: int, rng: np.random.Generator):
    """(S, A, d) features, (S, A) π_ref and (d,) g − h."""
    responses = RESPONSES_PER_FEATURE * count + 1
    features = rng.standard_normal((STATES, responses, count)) + 2 * rng.standard_normal(count)
    reference = rng.dirichlet(np.ones(responses), STATES)
    direction = rng.standard_normal(count)
    if rng.random() < 0.5:
        centred, covariance = _centred(features, reference)
        direction = np.linalg.solve(covariance, centred[0, 0])
    return features, reference, direction


def _centred(features: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ̃ (S, A, d) and Σ = E φ̃φ̃ᵀ under uniform states and π_ref."""
    centred = features - np.einsum("sa,sad->sd", reference, features)[:, None]
    return centred, np.einsum("sa,sai,saj->ij", reference, centred, centred) / STATES


def _largest(reading: str, features, reference, direction) -> float:
    centred, covariance = _centred(features, reference)
    error, difference = (centred @ direction) ** 2, features @ direction
    variance = float(direction @ covariance @ direction)
    if reading == "infimum_inside":
        bound = np.abs(difference).max()
        distance = (difference - np.clip(difference, -bound, bound)) ** 2 / variance
    else:
        phi = centred if reading == "centred" else features
        moment = np.einsum("sa,sai,saj->ij", reference, phi, phi) / STATES
        distance = np.einsum("sai,ij,saj->sa", phi, np.linalg.inv(moment), phi)
    return float((error / np.maximum(distance * variance, error / LARGEST)).max())


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
