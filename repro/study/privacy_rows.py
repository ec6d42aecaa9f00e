"""Rows on privacy claims: a method names a mechanism, and every quantity follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.base.schema import FiniteEpsilon, Pairs
from repro.privacy.black_box import choose_attack
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.case import Case
from repro.study.checks import Check
from repro.study.config import Probe, Probes
from repro.study.experiment import C, Experiment, Setting
from repro.study.privacy_check import Exact, PrivacyCheck
from repro.study.row import Evidence, Measure, Method, Values, per_method
from repro.study.stream import stream

PILOT = 200_000
"""Runs a side on which the attacker chooses what to count."""


class PrivacyProbe(Probe):
    """Also the number of runs behind each replicate of an audit."""

    runs: Pairs = 1000


class PrivacyProbes(Probes):
    """Probes of privacy claims.

    Attributes:
        epsilon: budget where it is not swept; the top-level ``epsilon`` replaces it.
    """

    epsilon: FiniteEpsilon
    probes: dict[str, PrivacyProbe]  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivacyCase(Case):
    """A mechanism's setting; each method says which mechanism, and what is claimed of it.

    ``method.run(case)`` returns the mechanism and its claimed guarantee.

    Attributes:
        runs: of the mechanism behind each replicate of an audit.
    """

    runs: int = 1000


class PrivacyExperiment(Experiment[C]):
    """Experiments whose rows are about a budget ε of the whole run."""

    config: Any

    def __init__(self, config: PrivacyProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        given = setting.overrides.epsilon
        self.epsilon = config.epsilon if given is None else given
        if not np.isfinite(self.epsilon):
            raise BadInput("epsilon", self.epsilon, "allowed: a finite number; inf claims nothing")


@dataclass(frozen=True)
class Private:
    """The method's mechanism has the guarantee that is claimed of it, at every grid point.

    Attributes:
        words: the claim.
        tolerance: relative slack of the exact ε, for rounding.
    """

    words: str
    tolerance: float = 1e-6
    fewest = 1

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: Any) -> Check:
        stated = {audited(case, trial.methods[0])[1] for case in trial.cases}
        if len(stated) != 1:
            raise ValueError("a privacy check holds one claim over its whole grid")
        (claimed,) = stated
        exact = {
            m.name: tuple(_examined(audited(case, m)[0], claimed) for case in trial.cases)
            for m in trial.methods
        }
        return PrivacyCheck(
            **common,
            claimed_epsilon=claimed.epsilon,
            dp_delta=claimed.dp_delta,
            tolerance=self.tolerance,
            runs=trial.cases[0].runs,
            exact=exact,
        )


@lru_cache(maxsize=4096)
def audited(case: PrivacyCase, method: Method) -> tuple[Mechanism, Guarantee]:
    """The mechanism that a method stands for in a case, and what is claimed of it."""
    return method.run(case)


def exact_over_claimed(case: PrivacyCase, method: Method, rng: Any, replicates: int) -> float:
    """Exact δ at the claimed ε over the claimed δ; of pure claims exact ε over claimed ε."""
    mechanism, claim = audited(case, method)
    if claim.dp_delta == 0:
        return mechanism.exact_epsilon(0.0) / claim.epsilon
    return mechanism.exact_delta(claim.epsilon) / claim.dp_delta


def exact_epsilon_over_claimed(case: PrivacyCase, method: Method, rng: Any, replicates: int):
    """Exact ε at the claimed δ over the claimed ε."""
    mechanism, claim = audited(case, method)
    return mechanism.exact_epsilon(claim.dp_delta) / claim.epsilon


def exact_ratio(quantity: str) -> Measure:
    """``exact_over_claimed`` under a name."""
    return Measure(quantity, per_method(exact_over_claimed), Evidence.EXACT)


def audit_shares(case: PrivacyCase, rng: np.random.Generator, replicates: int) -> Values:
    """Shares of runs in the set that each method's attack counts, the two inputs in turn."""
    _, claimed = audited(case, case.methods[0])
    return {m.name: _shares(case, m, claimed, rng, replicates) for m in case.methods}


AUDIT = Measure("exact ε at δ", audit_shares, Evidence.MEASURED)


def _shares(case: PrivacyCase, method: Method, claimed: Guarantee, rng, replicates) -> np.ndarray:
    mechanism, _ = audited(case, method)
    attack = _examined(mechanism, claimed).attack
    shares = np.empty(replicates)
    for side in (0, 1):
        count = len(shares[side::2])
        scores = mechanism.scores(rng, bool(side), count * case.runs)
        inside = attack.sign * scores >= attack.cut
        shares[side::2] = inside.reshape(count, case.runs).mean(axis=1)
    return shares


@lru_cache(maxsize=1024)
def _examined(mechanism: Mechanism, claimed: Guarantee) -> Exact:
    """Exact numbers, and the attack found on pilot runs of a fixed stream of their own."""
    pilot = [mechanism.scores(stream(0, "pilot", side), bool(side), PILOT) for side in (0, 1)]
    return Exact(
        mechanism.exact_epsilon(claimed.dp_delta),
        mechanism.exact_delta(claimed.epsilon),
        choose_attack(pilot[0], pilot[1], claimed.dp_delta),
    )
