"""P2 Theorems 5.2, 5.3 and P4 Theorem 5.7: their costs of privacy and corruption are tight.

Claims (P2 after Theorems 5.2 and 5.3; P4 after Theorem 6.1), by "existing lower bounds for simpler
problems" that neither paper states: up to constants no learner avoids

    c(ε)/√n + α  under CTL,      c(ε)/√n + c(ε)·α  under LTC.

The simpler problem is one context whose label has mean h: a learner of rewards or policies can
estimate h, so what bounds estimates of h bounds it.  Here the bound is computed, not cited: for
h = ±g with a Huber adversary who pulls both laws together, every estimator errs by at least
g·(1 − TV) in the worst case (Le Cam), TV between n private corrupted labels exactly, the
supremum over g taken numerically.  While the two laws coincide, g ≤ α/(1−α) under CTL and
c·α/(1−α) under LTC, no number of labels helps.

Measured: the exponents of that bound in n, c(ε) and α, with the orders swapped or raw labels as
controls; and the same exponents of the debiased mean's error (at h = 0, pushed up), so that the
bounds match.  A strong adversary may do all that a Huber one does, up to the fluctuation of α·n, so
P4's floors are bounded below too.  Not covered: the factors κ and 1/(γξ) in front, and the √α of
P4's Theorem 5.4, which P4 does not call tight.

What would refute a row: an exponent outside its margin.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from repro.base.schema import Share
from repro.families.robust.bounds_two_point import (
    debiased_mean_error,
    mean_floor,
    observed_mean,
    two_point_bound,
)
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

BOUND, ERROR = "exact lower bound of E|ĥ − h|", "E|ĥ − h| of the debiased mean"
CLEAN, CTL, LTC = "clean", "ctl", "ltc"


class TightnessConfig(SweepConfig):
    """Numbers of the experiment; ``corruption`` where it is not swept."""

    corruption: Share


class TightnessPrivateRobust(SweepExperiment):
    """Lower bounds for the mean of a private corrupted label, and their attainment."""

    slug = "tightness_private_robust"
    title = "P2 Thms 5.2, 5.3, P4 Thm 5.7: privacy and corruption cost at least this"
    statements = ("p2.thm_5_2", "p2.thm_5_3", "p4.thm_5_7")
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = TightnessConfig

    rows = (
        Row("n_pairs", "n_pairs", CLEAN, "bound", ("no_labels",), BOUND,
            "no corruption: bound ∝ n^(−1/2)"),
        Row("privacy_cost", "privacy_cost", CLEAN, "bound", ("raw_labels",), BOUND,
            "no corruption: bound ∝ c(ε)"),
        Row("corruption_ctl", "corruption", CTL, "bound", ("no_adversary",), BOUND,
            "CTL, n large: bound ∝ α"),
        Row("corruption_ltc", "corruption", LTC, "bound", ("no_adversary",), BOUND,
            "LTC, n large: bound ∝ α"),
        Row("privacy_cost_ctl", "privacy_cost", CTL, "bound", ("swapped_order",), BOUND,
            "CTL, n large: bound does not depend on c(ε)"),
        Row("privacy_cost_ltc", "privacy_cost", LTC, "bound", ("swapped_order",), BOUND,
            "LTC, n large: bound ∝ c(ε)"),
        Row("attained_n_pairs", "n_pairs", CLEAN, "debiased_mean", ("no_labels",), ERROR,
            "no corruption: error ∝ n^(−1/2)"),
        Row("attained_ctl", "privacy_cost", CTL, "debiased_mean", ("half_debiased",), ERROR,
            "CTL, n large: error does not depend on c(ε)"),
        Row("attained_ltc", "privacy_cost", LTC, "debiased_mean", ("half_debiased",), ERROR,
            "LTC, n large: error ∝ c(ε)"),
    )  # fmt: skip

    def __init__(self, config: TightnessConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.corruption = config.corruption

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """The exact bound, the same for every replicate, or simulated errors."""
        n_pairs, epsilon, corruption, order = self.case(check, value)
        versions = {
            "bound": partial(two_point_bound, n_pairs, epsilon, corruption, order),
            "no_labels": partial(two_point_bound, 1, 1e-6, 0.0, order),
            "raw_labels": partial(two_point_bound, n_pairs, math.inf, corruption, order),
            "no_adversary": partial(two_point_bound, n_pairs, epsilon, 0.0, order),
            "swapped_order": partial(
                two_point_bound, n_pairs, epsilon, corruption, "ltc" if order == "ctl" else "ctl"
            ),
        }
        error = partial(debiased_mean_error, rng, n_pairs, epsilon, corruption, order, replicates)
        root = math.sqrt(math.tanh(epsilon / 2))
        simulated = {
            "debiased_mean": error,
            "half_debiased": partial(error, assumed_signal=root),
        }
        return {
            m: simulated[m]() if m in simulated else np.full(replicates, versions[m]())
            for m in check.methods
        }

    def case(self, check: Check, value: float):
        """n, ε, α and the order of one grid point."""
        world = str(check.settings["world"])
        swept = value if check.axis == "corruption" else self.corruption
        order = LTC if world == LTC else CTL
        return *self.size(check, value), 0.0 if world == CLEAN else swept, order

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2, floors below 1, and two laws that coincide at the floor."""
        return tuple(
            self._floor(check, value)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
        )

    def _floor(self, check: Check, value: float) -> AssumptionResult:
        _, epsilon, corruption, order = self.case(check, value)
        floor = mean_floor(epsilon, corruption, order)
        same = observed_mean(floor, epsilon, corruption, order) < 1e-12
        name = f"{check.name} at {value:g}: one law for ±g at the floor"
        return AssumptionResult(name, same and floor < 1 and corruption < 0.5, f"g = {floor:.3g}")
