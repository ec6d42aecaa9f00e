"""Experiments on privacy claims: a row names a mechanism, and every quantity follows from it."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import FiniteEpsilon
from repro.privacy.black_box import Attack, choose_attack
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.checks import Check
from repro.study.config import Claim, FrequencyClaim, InequalityClaim, RatioClaim, SlopeClaim
from repro.study.experiment import Setting
from repro.study.legacy import SweepConfig, SweepExperiment
from repro.study.privacy_check import Exact, PrivacyCheck, PrivacyClaim
from repro.study.results import AssumptionResult
from repro.study.stream import stream

PILOT = 200_000
"""Runs a side on which the attacker chooses what to count."""

AnyPrivacyClaim = Annotated[
    SlopeClaim | RatioClaim | FrequencyClaim | InequalityClaim | PrivacyClaim,
    Field(discriminator="kind"),
]


class PrivacyConfig(SweepConfig):
    """A sweep experiment whose claims may be of kind ``privacy``.

    Attributes:
        epsilon: budget where it is not swept; the top-level ``epsilon`` replaces it.
    """

    epsilon: FiniteEpsilon
    claims: dict[str, dict[str, AnyPrivacyClaim]]  # type: ignore[assignment]


class PrivacySweep(SweepExperiment):
    """Exact δ over claimed δ (pure claims: exact ε over claimed ε) along a sweep, or an audit."""

    instances = ("linear", "preference_text")
    used_overrides = frozenset({"epsilon"})

    def __init__(self, config: PrivacyConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        given = setting.overrides.epsilon
        self.epsilon = config.epsilon if given is None else given
        if not math.isfinite(self.epsilon):
            raise BadInput("epsilon", self.epsilon, "allowed: a finite number; inf claims nothing")
        self._mechanisms: dict[tuple[str, float, str], tuple[Mechanism, Guarantee]] = {}
        self._ratios: dict[tuple[str, float, str], float] = {}

    @abstractmethod
    def audited(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        """The mechanism that ``method`` stands for at a grid value, and what is claimed of it."""

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Shares of runs in the chosen set for privacy checks, else one exact ratio a method."""
        if isinstance(check, PrivacyCheck):
            point = check.grid.index(value)
            return {
                m: self._shares(check, value, m, check.exact[m][point].attack, rng, replicates)
                for m in check.methods
            }
        return {m: np.full(replicates, self._ratio(check.name, value, m)) for m in check.methods}

    def known(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        """``audited``, remembered."""
        key = (row, value, method)
        if key not in self._mechanisms:
            self._mechanisms[key] = self.audited(row, value, method)
        return self._mechanisms[key]

    def _ratio(self, row: str, value: float, method: str) -> float:
        key = (row, value, method)
        if key not in self._ratios:
            self._ratios[key] = self.ratio(row, value, method)
        return self._ratios[key]

    def ratio(self, row: str, value: float, method: str) -> float:
        """Exact over claimed."""
        mechanism, claim = self.known(row, value, method)
        if claim.dp_delta == 0:
            return mechanism.exact_epsilon(0.0) / claim.epsilon
        return mechanism.exact_delta(claim.epsilon) / claim.dp_delta

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """None by default: experiments add what their statement asks."""
        return ()

    def _shares(self, check, value, method, attack: Attack, rng, replicates) -> np.ndarray:
        mechanism, _ = self.known(check.name, value, method)
        shares = np.empty(replicates)
        for side in (0, 1):
            count = len(shares[side::2])
            scores = mechanism.scores(rng, bool(side), count * check.runs)
            inside = attack.sign * scores >= attack.cut
            shares[side::2] = inside.reshape(count, check.runs).mean(axis=1)
        return shares

    def _of_kind(self, claim: Claim, common: dict[str, Any]) -> Check:
        if not isinstance(claim, PrivacyClaim):
            return super()._of_kind(claim, common)
        methods = (common["method"], *common["controls"])
        stated = {self.known(common["name"], v, common["method"])[1] for v in claim.grid}
        if len(stated) != 1:
            raise ValueError("a privacy check holds one claim over its whole grid")
        (claimed,) = stated
        exact = {
            m: tuple(self._exact(common["name"], v, m, claimed) for v in claim.grid)
            for m in methods
        }
        return PrivacyCheck(
            **common,
            claimed_epsilon=claimed.epsilon,
            dp_delta=claimed.dp_delta,
            tolerance=claim.tolerance,
            runs=claim.runs,
            exact=exact,
        )

    def _exact(self, row: str, value: float, method: str, claimed: Guarantee) -> Exact:
        return _examined(self.known(row, value, method)[0], claimed)


@lru_cache(maxsize=1024)
def _examined(mechanism: Mechanism, claimed: Guarantee) -> Exact:
    """Exact numbers, and the attack found on pilot runs of a fixed stream of their own."""
    pilot = [mechanism.scores(stream(0, "pilot", side), bool(side), PILOT) for side in (0, 1)]
    return Exact(
        mechanism.exact_epsilon(claimed.dp_delta),
        mechanism.exact_delta(claimed.epsilon),
        choose_attack(pilot[0], pilot[1], claimed.dp_delta),
    )
