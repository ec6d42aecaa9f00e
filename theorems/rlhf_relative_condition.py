"""P4 Theorem 6.1: private and robust offline RLHF under a finite relative condition number.

Statement (arXiv 2505.15694, Theorem 6.1).  Algorithm 2 with η = 1 has, with probability ≥ 1−δ and
for every π†,

    SubOpt(π̂, π†) ≤ C·√(d·κ(π†, π_ref))·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + B√λ ),

ζ = 1 (CTL) or c(ε) (LTC).

Instances: d states of two responses; π† takes the first, π_ref the second, κ = ρ_s/m_s.  The gap
on one margin decays exponentially in n, so rates are suprema over a ladder of margins whose
maximiser is interior (else the point counts as failed).  Γ is calibrated: it covers with
probability 1 − δ, by χ² for the noise and by our sharper floor for the corruption.

Testable: noise in n, c and κ, two-sided (attained); d, only `at_most`: the printed d (once from √d
and once from √(d + ln(1/δ))) is far from attained on product instances; the floor over the
supremum of m and margin in α (½, attained) and c.  As for Theorem 5.4 the c of the floor is √c
under LTC (`ours_ltc_cost`); the printed c is held `at_most` (`printed_ltc_cost`).

Controls: `fixed_width`, a confidence set that does not shrink with n, c or κ, keeps a constant gap;
`orders_swapped`; for α `corruption_ignored`, whose Γ is that of one fixed α.  The `at_most` rows
have no control of their own: `n_pairs` (same code) and `ours_ltc_cost` play that part.
"""

from __future__ import annotations

import numpy as np

from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import Number, Positive, Probability
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order
from repro.families.robust.bounds_floor import sharper_floor
from repro.families.robust.quantities_floors import swapped
from repro.families.robust.quantities_two_arms import (
    TwoArmStates,
    attacked_floor,
    calibrated_width,
    supremum_gap,
)
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

GAP = "sup over margins of the gap"
FLOOR = "sup of gap / √κ, n → ∞"


class RelativeConditionConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/rlhf_relative_condition.yaml gives them."""

    corruption: Number
    failure_prob: Probability
    mass: Probability
    reward_bound: Positive


class RelativeCondition(SweepExperiment):
    """Theorem 6.1 on two-response states."""

    slug = "rlhf_relative_condition"
    title = "P4 Theorem 6.1: private and robust offline RLHF, relative condition number"
    statements = ("p4.thm_6_1",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = RelativeConditionConfig
    config: RelativeConditionConfig

    rows = (
        Row("n_pairs", "n_pairs", "states", "algorithm_2", ("fixed_width",), GAP, "gap ∝ n^−½"),
        Row("privacy_cost", "privacy_cost", "states", "algorithm_2", ("fixed_width",), GAP,
            "gap ∝ c(ε)"),
        Row("coverage", "coverage", "states", "algorithm_2", ("fixed_width",), GAP,
            "gap ∝ √κ"),
        Row("num_features", "num_features", "states", "algorithm_2", (), GAP, "gap ≤ O(d)"),
        Row("ltc_corruption", "corruption", "rare", "algorithm_2", ("corruption_ignored",), FLOOR,
            "LTC: floor ∝ √α"),
        Row("ctl_corruption", "corruption", "rare", "algorithm_2", ("corruption_ignored",), FLOOR,
            "CTL: floor ∝ √α"),
        Row("printed_ltc_cost", "privacy_cost", "rare", "algorithm_2", (), FLOOR,
            "as printed, LTC: floor ≤ O(c(ε))"),
        Row("ours_ltc_cost", "privacy_cost", "rare", "algorithm_2", ("orders_swapped",), FLOOR,
            "ours, LTC: floor ∝ √c(ε)"),
        Row("ctl_cost", "privacy_cost", "rare", "algorithm_2", ("orders_swapped",), FLOOR,
            "CTL: floor free of ε"),
    )  # fmt: skip

    def __init__(self, config: RelativeConditionConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """A supremum is one number a block."""
        found = self._floor if check.quantity == FLOOR else self._gap
        return {
            m: np.full(replicates, found(check, value, m, rng, replicates)) for m in check.methods
        }

    def _gap(self, check: Check, value: float, method: str, rng, replicates) -> float:
        states, (n_pairs, epsilon) = self._states(check, value), self.size(check, value)
        width = calibrated_width(states, n_pairs, epsilon, self.config.failure_prob)
        if method == "fixed_width":
            return self._fixed_gap(check, value, rng, replicates)
        return supremum_gap(states, n_pairs, epsilon, width, rng, replicates)

    def _fixed_gap(self, check: Check, value: float, rng, replicates) -> float:
        """The gap under the widest set of the sweep, whatever the point."""
        states, (n_pairs, epsilon) = self._states(check, value), self.size(check, value)
        reach = 0.0
        for other in (check.grid[0], check.grid[-1]):
            n, eps = self.size(check, other)
            at = self._states(check, other)
            width = calibrated_width(at, n, eps, self.config.failure_prob)
            reach = max(reach, width / np.sqrt(at.mass))
        return supremum_gap(states, n_pairs, epsilon, reach * np.sqrt(states.mass), rng, replicates)

    def _states(self, check: Check, value: float) -> TwoArmStates:
        if check.axis == "coverage":
            return TwoArmStates(1, 1 / value)
        if check.axis == "num_features":
            return TwoArmStates(round(value), self.config.mass / value)
        return TwoArmStates(1, self.config.mass)

    def _floor(self, check: Check, value: float, method: str, _rng, _replicates) -> float:
        on_cost = check.axis == "privacy_cost"
        epsilon = epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")
        share = value if check.axis == "corruption" else self.config.corruption
        order = Order.CTL if check.name.startswith("ctl") else Order.LTC
        order = swapped(order) if method == "orders_swapped" else order
        worth, bound = (
            privacy_cost(epsilon) if order is Order.LTC else 1.0,
            self.config.reward_bound,
        )
        believed = check.grid[-1] if method == "corruption_ignored" else share
        width = sharper_floor(worth, believed, bound)
        return attacked_floor(order, epsilon, share, bound, width)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """κ is finite and every pair can be drawn: m ≤ ρ_s/2."""
        mass = self.config.mass
        smallest = min(
            (c.grid[0] for c in self.checks() if c.axis == "coverage"), default=float("inf")
        )
        return (
            AssumptionResult("mass of informative pairs", mass <= 0.5, f"m = {mass:g}"),
            AssumptionResult("κ at least 2", smallest >= 2, f"κ ≥ {smallest:g}"),
        )
