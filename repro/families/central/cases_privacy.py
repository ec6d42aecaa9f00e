"""From a grid point of P3's privacy claims to its case."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from repro.base.schema import Probability
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.case import EPSILON_OF, Point
from repro.study.experiment import C
from repro.study.privacy_rows import (
    PrivacyCase,
    PrivacyExperiment,
    PrivacyProbe,
    PrivacyProbes,
    exact_epsilon_over_claimed,
)
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, per_method


class CentralPrivacyProbes(PrivacyProbes):
    """Numbers that P3's privacy experiments share.

    Attributes:
        dp_delta: δ where it is not swept.
        audit_delta: δ of the black-box audits.
    """

    dp_delta: Probability
    audit_delta: Probability


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseCase(PrivacyCase):
    """A release of the trusted curator.

    Attributes:
        dp_delta: δ of the whole run, with ``epsilon``.
        noise: what the curator really adds.
    """

    dp_delta: float
    noise: CentralNoise = GAUSSIAN

    @property
    def half(self) -> tuple[float, float]:
        """(ε/2, δ/2), the share of one of two releases."""
        return self.epsilon / 2, self.dp_delta / 2


@lru_cache(maxsize=1024)
def _epsilon_over_claimed(case: ReleaseCase, method: Method) -> float:
    return exact_epsilon_over_claimed(case, method, None, 1)


def epsilon_ratio(quantity: str) -> Measure:
    """Exact ε at the claimed δ over the claimed ε; infinite, so no number, without any noise.

    Above 1 where exact δ at the claimed ε is above the claimed δ, and in the unit that a reader
    of a privacy claim thinks in.
    """
    return Measure(
        quantity,
        per_method(lambda case, m, rng, replicates: _epsilon_over_claimed(case, m)),
        Evidence.EXACT,
    )


def at_half(name: str, mechanism: Callable[..., Mechanism]) -> Method:
    """A method whose mechanism is claimed to be (ε/2, δ/2)-private."""
    return Method(name, lambda case: (mechanism(case), Guarantee(*case.half)))


class CentralPrivacy(PrivacyExperiment[C]):
    """Privacy claims of Algorithms 1 and 2."""

    config: CentralPrivacyProbes

    def epsilon_at(self, point: Point) -> float:
        """ε where a row sweeps it, else that of the experiment."""
        swept = EPSILON_OF.get(point.row.over)
        return swept(point.value) if swept else self.epsilon

    def runs(self, point: Point) -> int:
        """Runs behind each replicate of an audit."""
        assert isinstance(point.probe, PrivacyProbe)
        return point.probe.runs

    def within_algorithm_1(self, largest_delta: float) -> tuple[AssumptionResult, ...]:
        """ε ≤ 1, and an n ≥ 2 with δ ≤ 1/n²."""
        n_pairs = math.isqrt(int(1 / largest_delta))
        return (
            AssumptionResult("ε ≤ 1", self.epsilon <= 1, f"ε = {self.epsilon:g}"),
            AssumptionResult("δ ≤ 1/n²", largest_delta <= 0.25, f"n up to {n_pairs}"),
        )
