"""A world in which a trusted curator's release is held to a claim of privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from repro.base.schema import FiniteEpsilon, Pairs, Probability
from repro.core.check import Assumed
from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE, CentralNoise
from repro.labels.privacy.mechanism import Guarantee


@dataclass(frozen=True, kw_only=True)
class CuratorRelease:
    """A release of the trusted curator; what is swept or audited is for subclasses.

    Attributes:
        epsilon, dp_delta: (ε, δ) of the whole run.
        noise: what the curator really adds.
        runs: of the mechanism behind each replicate of an audit.
    """

    epsilon: FiniteEpsilon
    dp_delta: Probability
    noise: CentralNoise = GAUSSIAN
    runs: Pairs = 1000
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE}
    }

    @property
    def claimed(self) -> Guarantee:
        """The whole budget, unless a subclass says otherwise."""
        return Guarantee(self.epsilon, self.dp_delta)

    @property
    def half(self) -> tuple[float, float]:
        """(ε/2, δ/2), the share of one of two releases."""
        return self.epsilon / 2, self.dp_delta / 2


def within_algorithm_1(world: CuratorRelease) -> Iterator[Assumed]:
    """ε ≤ 1, and an n ≥ 2 with δ ≤ 1/n²: what Algorithm 1 of P3 asks for."""
    yield "ε ≤ 1", world.epsilon <= 1, f"ε = {world.epsilon:g}"
    most = math.isqrt(int(1 / world.dp_delta))
    yield "δ ≤ 1/n²", world.dp_delta <= 0.25, f"n up to {most}"
