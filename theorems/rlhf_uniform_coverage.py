"""P4 Theorem 6.2: private and robust greedy RLHF under uniform coverage.

Statement (arXiv 2505.15694, Theorem 6.2).  If λ_min(E[xxᵀ]) ≥ ξ, Algorithm 2 (η = 0) has

    SubOpt(π̂, π*) ≤ C·( ζα/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   ζ = 1 (CTL) or c(ε) (LTC).

Instances: one state, two responses, an informative pair of probability ξ.  On one margin the gap
decays exponentially, so the noise is the supremum over a ladder of margins with an interior
maximiser (else the point counts as failed), and the floor the largest margin that the strong
adversary turns.

Testable: noise in n and c (two-sided), floors in α, ξ and c (two-sided: attained).  In ξ the noise
of a fixed number of features goes like ξ^−½, inside the printed ξ^−1 (`noise_coverage`, at_least);
−1 needs ξ = 1/d (see estimation_l2).

Controls: `stuck_at_first_point`, which ignores the sweep; `huber_adversary`, whose floor is free
of ξ; `orders_swapped`; `biased_reading`, an offset of 1 % in the flip probability, which does not
vanish with α.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from repro.base.schema import Number, Positive, Share
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene
from repro.families.robust.quantities_floors import greedy_floor, swapped
from repro.families.robust.quantities_two_arms import TwoArmStates, supremum_gap
from repro.families.robust.sweep import require_labels
from repro.families.robust.worlds_pairs import orthogonal_cells
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

GAP = "sup over margins of the gap"
FLOOR = "largest margin that is turned"


class UniformCoverageConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/rlhf_uniform_coverage.yaml gives them."""

    corruption: Number
    min_eigenvalue: Share
    reward_bound: Positive
    margins: tuple[Positive, Positive]


class UniformCoverage(SweepExperiment):
    """Theorem 6.2 on one state."""

    slug = "rlhf_uniform_coverage"
    title = "P4 Theorem 6.2: private and robust offline RLHF, uniform coverage"
    statements = ("p4.thm_6_2",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = UniformCoverageConfig
    config: UniformCoverageConfig

    rows = (
        Row("n_pairs", "n_pairs", "state", "algorithm_2", ("stuck_at_first_point",), GAP,
            "gap ∝ n^−½"),
        Row("privacy_cost", "privacy_cost", "state", "algorithm_2", ("stuck_at_first_point",), GAP,
            "gap ∝ c(ε)"),
        Row("noise_coverage", "min_eigenvalue", "state", "algorithm_2", (), GAP,
            "gap ≤ O(1/ξ)"),
        Row("ltc_corruption", "corruption", "state", "algorithm_2", ("biased_reading",), FLOOR,
            "LTC: floor ∝ α"),
        Row("ctl_corruption", "corruption", "state", "algorithm_2", ("biased_reading",), FLOOR,
            "CTL: floor ∝ α"),
        Row("ltc_coverage", "min_eigenvalue", "state", "algorithm_2", ("huber_adversary",), FLOOR,
            "LTC: floor ∝ 1/ξ"),
        Row("ctl_coverage", "min_eigenvalue", "state", "algorithm_2", ("huber_adversary",), FLOOR,
            "CTL: floor ∝ 1/ξ"),
        Row("ltc_cost", "privacy_cost", "state", "algorithm_2", ("orders_swapped",), FLOOR,
            "LTC: floor ∝ c(ε)"),
        Row("ctl_cost", "privacy_cost", "state", "algorithm_2", ("orders_swapped",), FLOOR,
            "CTL: floor free of ε"),
    )  # fmt: skip

    def __init__(self, config: UniformCoverageConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        require_labels(self, self._corrupted)

    def _corrupted(self, check: Check, value: float) -> float | None:
        """α of a floor row."""
        if check.quantity != FLOOR:
            return None
        return value if check.axis == "corruption" else self.config.corruption

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """A supremum, or a largest margin, is one number a block."""
        found = self._floor if check.quantity == FLOOR else self._gap
        return {
            m: np.full(replicates, found(check, value, m, rng, replicates)) for m in check.methods
        }

    def _xi(self, check: Check, value: float) -> float:
        return value if check.axis == "min_eigenvalue" else self.config.min_eigenvalue

    def _gap(self, check: Check, value: float, method: str, rng, replicates) -> float:
        states = TwoArmStates(1, self._xi(check, value))
        n_pairs, epsilon = self.size(check, value)
        if method == "stuck_at_first_point":
            n_pairs, epsilon = self.size(check, check.grid[0])
        return supremum_gap(states, n_pairs, epsilon, 0.0, rng, replicates)

    def _floor(self, check: Check, value: float, method: str, rng, _replicates) -> float:
        n_pairs, epsilon = self.size(check, value)
        share = self._corrupted(check, value) or 0.0
        world = orthogonal_cells([self._xi(check, value)], [0.0], self.config.reward_bound)
        order = Order.CTL if check.name.startswith("ctl") else Order.LTC
        scene = Scene(world, order, epsilon, share, "strong")
        match method:
            case "orders_swapped":
                scene = replace(scene, order=swapped(order))
            case "huber_adversary":
                scene = replace(scene, adversary="huber")
            case "biased_reading":
                scene = replace(scene, reading="biased")
        return greedy_floor(scene, n_pairs, rng, self.config.margins)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 5.6 and n ≥ 8·ln(d/δ)/ξ at both ends of every sweep."""
        return tuple(
            AssumptionResult(
                f"{check.name} at {value:g}: enough labels",
                self.size(check, value)[0] >= 8 * np.log(2 / 0.05) / self._xi(check, value),
                f"ξ = {self._xi(check, value):.3g}",
            )
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
        )
