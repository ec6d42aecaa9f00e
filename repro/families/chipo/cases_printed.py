"""From a grid point to Algorithms 1 and 3 as printed, on classes that do not saturate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from repro.corruption.orders import Order
from repro.families.chipo.algorithms_printed import PrintedLoss, PrintedStudy
from repro.families.chipo.cases import ChipoCase
from repro.families.chipo.variants import ChipoVariant
from repro.families.chipo.worlds_log_linear import LogLinearPolicies, log_linear
from repro.study.label_cases import HuberCase

SHAPE = {"num_states": 4, "num_actions": 4, "num_features": 5}
"""Twelve reward differences, five features."""
SEED = 1
FINITE = 12
"""Policies of the finite class, as far apart as directions drawn at random are."""


@lru_cache
def policies_of(reward_bound: float) -> LogLinearPolicies:
    """The log-linear class of ``SHAPE``."""
    return log_linear(**SHAPE, seed=SEED, reward_bound=reward_bound)


@lru_cache
def finite_directions(features: int) -> np.ndarray:
    """(K, d) unit vectors, the first that of the truth."""
    drawn = np.random.default_rng([SEED, 61]).standard_normal((FINITE, features))
    drawn[0] = 1.0
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class PrintedCase(HuberCase, ChipoCase):
    """A log-linear class, or twelve policies of it.

    Attributes:
        loss: of Algorithm 1 or 3.
        reward_bound: R_max.
        fixed_kl_weight: β of the variants that do not tune it.
        finite: whether the class is finite.
        assumed_order: the order of corruption and privacy that β is tuned for.
    """

    loss: PrintedLoss
    reward_bound: float
    fixed_kl_weight: float
    finite: bool = False
    assumed_order: Order = Order.CTL

    @cached_property
    def study(self) -> PrintedStudy:
        """The algorithm and its data at this point."""
        policies = policies_of(self.reward_bound)
        candidates = finite_directions(SHAPE["num_features"]) if self.finite else None
        return PrintedStudy(
            policies, self.loss, self.n_pairs, self.reports, self.assumed_order, self.tuning,
            self.fixed_kl_weight, candidates, self.estimate,
        )  # fmt: skip

    def gaps(self, variant: ChipoVariant, rng: np.random.Generator, replicates: int) -> np.ndarray:
        size = np.array([_worst(self.study, variant)[0]])
        return self.study.gaps(variant, size, rng, replicates)[0]

    def informed_gap(self, variant: ChipoVariant) -> float:
        return self.study.informed_gap(variant, _worst(self.study, variant)[0])

    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        size, inside = _worst(self.study, variant)
        return inside, f"worst ‖θ‖ = {size:.3g} inside the log-linear class"


@lru_cache(maxsize=1024)
def _worst(study: PrintedStudy, variant: ChipoVariant) -> tuple[float, bool]:
    return study.worst(variant)
