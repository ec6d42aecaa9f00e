"""Hold a claimed (ε, δ) against any mechanism: what is exact, what an attacker certifies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from repro.labels.privacy.black_box import LEVEL, threshold_attack
from repro.labels.privacy.mechanism import Guarantee, Mechanism

ROUNDING = 1e-9
"""Relative slack of a bound that must lie below an exact ε."""

Finding = Literal["supported", "contradicted", "inconclusive"]


@dataclass(frozen=True)
class Audit:
    """What is known of a mechanism.

    Attributes:
        claim: the (ε, δ) in question.
        exact_epsilon: exact ε at the claim's δ; NaN where nothing exact is known, inf where none.
        exact_delta: exact δ at the claim's ε, or NaN.
        lower_bound: ε that the attacker certifies at the claim's δ.
        verdict: what follows.
    """

    claim: Guarantee
    exact_epsilon: float
    exact_delta: float
    lower_bound: float
    verdict: Finding


def audit(
    mechanism: Mechanism,
    claim: Guarantee,
    rng: np.random.Generator,
    runs: int = 1_000_000,
    level: float = LEVEL,
) -> Audit:
    """Audit a mechanism from inside, where it can be, and from outside.

    Args:
        mechanism: two neighbouring inputs and what is released from each.
        claim: the guarantee claimed.
        rng: stream of the simulated runs.
        runs: runs from either input; half choose what is counted on the other half.
        level: confidence of the lower bound.
    """
    sides = [mechanism.scores(rng, neighbour, runs) for neighbour in (False, True)]
    bound = threshold_attack(sides[0], sides[1], claim.dp_delta, level)
    exact = mechanism.exact_epsilon(claim.dp_delta)
    verdict = judge_privacy(claim.epsilon, [exact], [bound], tolerance=1e-6)
    return Audit(claim, exact, mechanism.exact_delta(claim.epsilon), bound, verdict)


def judge_privacy(
    claimed: float, exact: Sequence[float], bounds: Sequence[float], tolerance: float
) -> Finding:
    """The exact ε decides; a bound alone can refute a claim and never support it.

    Args:
        claimed: ε of the claim.
        exact: exact ε of each case, NaN where unknown.
        bounds: certified lower bound of each case; above its exact ε one of the two is wrong.
        tolerance: relative slack of the claim, for rounding.

    >>> judge_privacy(0.5, [float("nan")], [0.4], 1e-6)
    'inconclusive'
    """
    if any(low > high * (1 + ROUNDING) for low, high in zip(bounds, exact, strict=True)):
        return "inconclusive"
    known = [epsilon for epsilon in exact if not math.isnan(epsilon)]
    allowed = claimed * (1 + tolerance)
    if max([*known, *bounds]) > allowed:
        return "contradicted"
    return "supported" if len(known) == len(exact) else "inconclusive"
