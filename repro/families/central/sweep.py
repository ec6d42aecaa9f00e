"""Sweeps over the constants of P3's trusted curator: a check and a grid value make a budget."""

from __future__ import annotations

import math
from typing import Any

from repro.base.errors import BadInput
from repro.base.schema import Model, Positive, Probability
from repro.families.central.algorithms_budget import CentralBudget
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment

MOST = "allowed: at most 1 (input of P3's Algorithm 1)"


class Curator(Model):
    """What Algorithms 1–3 take besides the data (P3, section 4).

    Attributes:
        dp_delta: δ, at most 1/n² at every n of the sweeps.
        failure_prob: η.
        feature_norm: L.
        radius: B.
        ridge_scale: C of Lemma A.9, in the units L².
    """

    dp_delta: Probability
    failure_prob: Probability
    feature_norm: Positive
    radius: Positive
    ridge_scale: Positive


class CentralConfig(SweepConfig):
    """A sweep experiment with a curator."""

    curator: Curator


class CentralSweep(SweepExperiment):
    """Sweeps n, ε, d or log(1/δ)."""

    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})

    def __init__(self, config: CentralConfig, setting: Setting) -> None:
        epsilon = setting.overrides.epsilon
        if epsilon is not None and epsilon > 1:
            raise BadInput("epsilon", epsilon, MOST)
        for group, claims in config.claims.items():
            for name, claim in claims.items():
                if claim.epsilon is not None and claim.epsilon > 1:
                    raise BadInput(f"theorem.claims.{group}.{name}.epsilon", claim.epsilon, MOST)
        super().__init__(config, setting)
        self.curator = config.curator
        self.allowed_failure = config.curator.failure_prob

    def more_labels(self, row: Row, claim: Any) -> float:
        """Errors depend on ε·n: at another ε as many labels as keep it."""
        epsilon = self.row_epsilon(row, claim)
        if claim.epsilon is None or epsilon is None:
            return 1.0
        return claim.epsilon / epsilon

    def size(self, check: Check, value: float) -> tuple[int, float]:
        """Labels n and budget ε of one grid point."""
        n_pairs = value if check.axis == "n_pairs" else self._fixed(check, "n_pairs")
        epsilon = value if check.axis == "epsilon" else self._fixed(check, "epsilon")
        return int(n_pairs), float(epsilon)

    def budget(self, check: Check, value: float) -> CentralBudget:
        """The curator's constants at one grid point."""
        given = self.curator
        by_delta = check.axis == "log_inverse_delta"
        return CentralBudget(
            epsilon=self.size(check, value)[1],
            log_inverse_delta=value if by_delta else math.log(1 / given.dp_delta),
            failure_prob=given.failure_prob,
            feature_norm=given.feature_norm,
            radius=given.radius,
            ridge_scale=given.ridge_scale,
        )

    def inputs_of_algorithm_1(self, check: Check, value: float) -> tuple[str, bool, str]:
        """ε ≤ 1 and δ ≤ 1/n²."""
        n_pairs, _ = self.size(check, value)
        budget = self.budget(check, value)
        most = -2 * math.log(n_pairs)
        holds = budget.epsilon <= 1 and -budget.log_inverse_delta <= most
        detail = f"ε {budget.epsilon:.3g}, log δ {-budget.log_inverse_delta:.1f} ≤ {most:.1f}"
        return "ε ≤ 1 and δ ≤ 1/n²", holds, detail
