"""From a grid point of the comparison of losses to its case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from repro.corruption.orders import Order
from repro.losses.label_losses import LabelLoss, MixtureLoss
from repro.losses.risk import (
    LossAdversary,
    LossRisk,
    idle_adversary,
    simulate_risk,
    worst_for_the_loss,
)
from repro.losses.worlds import LogisticWorld
from repro.preferences.label_law import Estimate, as_fitted, bradley_terry, randomized_response
from repro.study.label_cases import LabelCase
from repro.study.row import Method


@dataclass(frozen=True, eq=False, kw_only=True)
class RiskCase(LabelCase):
    """One loss in one setting.

    Attributes:
        kind: of the loss under test.
        world: pairs and truth.
        corruption: α.
        assumed_order: order of corruption and privacy that predictions are for.
        tolerated: excess of variance that a comparison allows.
        adversary: who corrupts them.
        order: of corruption and privacy in force.
        estimate: (fitted, truth) → what the estimator returns.
    """

    kind: type[LabelLoss]
    world: LogisticWorld
    corruption: float = 0.0
    assumed_order: Order = Order.CTL
    tolerated: float = 0.0
    adversary: LossAdversary = worst_for_the_loss
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)
    order: Order = Order.CTL
    estimate: Estimate = as_fitted

    @property
    def actual(self) -> LossRisk:
        """The loss under test in what happens."""
        return _risk(
            self.world, self.kind, self.epsilon, self.corruption, self.order,
            self.labels, self.channel, self.adversary, self.estimate,
        )  # fmt: skip

    def predicted(self, kind: type[LabelLoss], order: Order) -> LossRisk:
        """A loss in what the printed setting says."""
        return _risk(
            self.world, kind, self.epsilon, self.corruption, order,
            bradley_terry, randomized_response, worst_for_the_loss, as_fitted,
        )  # fmt: skip


_risk = lru_cache(maxsize=512)(LossRisk)


def risk_ratio(case: RiskCase, method: Method, rng: np.random.Generator, replicates: int):
    """(R,) simulated over predicted risk; ``method.run`` is the kind of loss that is minimised."""
    predicted = case.predicted(case.kind, case.assumed_order).risk(case.n_pairs)
    return simulate_risk(case.actual, case.n_pairs, rng, replicates, method.run) / predicted


def bias_ratio(case: RiskCase, method: Method, rng: np.random.Generator, replicates: int) -> float:
    """Exact squared bias over that of the influence function, in the order ``method.run`` says."""
    predicted = case.predicted(case.kind, method.run(case.assumed_order))
    return case.actual.squared_bias() / predicted.first_order_squared_bias()


def variance_ratio(
    case: RiskCase, method: Method, rng: np.random.Generator, replicates: int
) -> float:
    """Variance of the loss ``method.run`` over the mixture loss's and the tolerated excess."""
    mixture = case.predicted(MixtureLoss, case.assumed_order).variance
    ratio = case.predicted(method.run, case.assumed_order).variance / mixture
    return ratio / (1 + case.tolerated)
