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

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from repro.base.schema import Number, Positive, Share
from repro.families.robust.cases import STRONG_CTL, STRONG_LTC, Attack, RobustExperiment
from repro.families.robust.measures import of_changed_case
from repro.families.robust.quantities_floors import GreedyCase, greedy_floor
from repro.families.robust.quantities_two_arms import MarginCase, TwoArmStates, supremum_gap
from repro.families.robust.worlds_pairs import orthogonal_cells
from repro.families.robust.wrong import as_it_is, biased_reading, huber_adversary, orders_swapped
from repro.study.case import Case, Point
from repro.study.claims import Slope
from repro.study.config import Probes
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row, method

MIN_LABELS = 8 * np.log(2 / 0.05)
"""n·ξ at least: 8·ln(d/δ)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StuckCase(MarginCase):
    """Also the size of the first grid point."""

    first_n_pairs: int
    first_epsilon: float


@method
def stuck_at_first_point(case: StuckCase) -> StuckCase:
    """Wrong: the gap of the first grid point, whatever the point."""
    return replace(case, n_pairs=case.first_n_pairs, epsilon=case.first_epsilon)


algorithm_2 = Method("algorithm_2", as_it_is)
GAP = of_changed_case("sup over margins of the gap", supremum_gap)
FLOOR = of_changed_case("largest margin that is turned", greedy_floor)
NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
ATTACKED = (*NOISY, Need.ADVERSARY)


class UniformCoverageProbes(Probes):
    """Numbers of the experiment; conf/theorem/rlhf_uniform_coverage.yaml gives them."""

    corruption: Number
    min_eigenvalue: Share
    reward_bound: Positive
    margins: tuple[Positive, Positive]


class UniformCoverage(RobustExperiment[Case]):
    """Theorem 6.2 on one state."""

    title = "P4 Theorem 6.2: private and robust offline RLHF, uniform coverage"
    settles = ("p4.thm_6_2",)
    config_type = UniformCoverageProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "gap {rate}"), GAP, algorithm_2,
            (stuck_at_first_point,), needs=NOISY),
        Row("privacy_cost", "privacy_cost", Slope(1, "gap {rate}"), GAP, algorithm_2,
            (stuck_at_first_point,), needs=NOISY),
        Row("noise_coverage", "min_eigenvalue",
            Slope(-1, "gap ≤ O(1/ξ): its exponent in ξ is at least −1, gap {rate}", "at_least"),
            GAP, algorithm_2, needs=NOISY),
        Row("ltc_corruption", "corruption", Slope(1, "LTC: floor {rate}"), FLOOR, algorithm_2,
            (biased_reading,), given=STRONG_LTC, needs=ATTACKED),
        Row("ctl_corruption", "corruption", Slope(1, "CTL: floor {rate}"), FLOOR, algorithm_2,
            (biased_reading,), given=STRONG_CTL, needs=ATTACKED),
        Row("ltc_coverage", "min_eigenvalue", Slope(-1, "LTC: floor {rate}"), FLOOR, algorithm_2,
            (huber_adversary,), given=STRONG_LTC, needs=ATTACKED),
        Row("ctl_coverage", "min_eigenvalue", Slope(-1, "CTL: floor {rate}"), FLOOR, algorithm_2,
            (huber_adversary,), given=STRONG_CTL, needs=ATTACKED),
        Row("ltc_cost", "privacy_cost", Slope(1, "LTC: floor {rate}"), FLOOR, algorithm_2,
            (orders_swapped,), given=STRONG_LTC, needs=(*ATTACKED, Need.ORDER)),
        Row("ctl_cost", "privacy_cost", Slope(0, "CTL: floor {rate}", symbol="ε"), FLOOR,
            algorithm_2, (orders_swapped,), given=STRONG_CTL, needs=(*ATTACKED, Need.ORDER)),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """A gap without corruption, or a floor under an attack."""
        attack = point.row.given
        return self._noisy(point) if attack is None else self._floor(point, attack)

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """The least eigenvalue, which all rows share where they do not sweep it."""
        return {"min_eigenvalue": self.config.min_eigenvalue}

    def _coverage(self, point: Point) -> float:
        return point.swept("min_eigenvalue", self.config.min_eigenvalue)

    def _noisy(self, point: Point) -> StuckCase:
        first = replace(point, value=point.grid[0])
        return StuckCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon,
            world=TwoArmStates(1, self._coverage(point)), width=0.0,
            first_n_pairs=first.n_pairs, first_epsilon=first.epsilon,
        )  # fmt: skip

    def _floor(self, point: Point, attack: Attack) -> GreedyCase:
        world = orthogonal_cells([self._coverage(point)], [0.0], self.config.reward_bound)
        return GreedyCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon, world=world,
            margins=self.config.margins, **self.attacked(point, attack),
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 5.6 and n ≥ 8·ln(d/δ)/ξ at both ends of every sweep."""
        return tuple(
            AssumptionResult(
                f"{trial.row.name} at {point.value:g}: enough labels",
                bool(point.n_pairs >= MIN_LABELS / self._coverage(point)),
                f"ξ = {self._coverage(point):.3g}",
            )
            for trial in self.trials
            for point in (trial.points[0], trial.points[-1])
        )
