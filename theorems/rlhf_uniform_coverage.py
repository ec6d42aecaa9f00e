"""P4 Theorem 6.2: private and robust greedy RLHF under uniform coverage.

Statement (arXiv 2505.15694, Theorem 6.2).  If λ_min(E[xxᵀ]) ≥ ξ, Algorithm 2 (η = 0) has

    SubOpt(π̂, π*) ≤ C·( ζα/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   ζ = 1 (CTL) or c(ε) (LTC).

Instances: one state, two responses, an informative pair of probability ξ.  On one margin the gap
decays exponentially, so the margin is the multiple .7518 of the standard error s = 2c(ε)/√(nξ) that
costs most, .17·s: a number, and the law of the one estimate is summed, not sampled.  The floor is
the largest margin that the strong adversary turns, of infinitely many labels, exactly: to first
order 4ζα/ξ, that is the printed ζα/(γξ) at γ = σ′(0).

Along B′ the labelled pair shows the margin and B′ of a direction that all other pairs show (taken
as known), so that labels are uneven: 1/γ.  Along δ the margin is the one lost with probability δ.

Testable: the noise as a number along n, c, 1/γ, ln(1/δ) and ξ; in ξ it goes like ξ^−½ for a fixed
number of features, inside the printed ξ^−1 (`noise_coverage`), −1 needs ξ = 1/d (see
estimation_l2).  Floors as numbers along α, ξ and c (attained, with constant 1).

Controls: `stuck_at_first_point`, which ignores the sweep; `every_pair_informs`, ξ = 1;
`huber_adversary`, whose floor is free of ξ; `orders_swapped`; `biased_reading`, an offset of 1 % in
the flip probability, which does not vanish with α.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from repro.base.schema import Number, Positive, Share
from repro.families.robust.bounds_response import flipped_margin
from repro.families.robust.cases import STRONG_CTL, STRONG_LTC, Attack, RobustExperiment
from repro.families.robust.measures import over_claimed
from repro.families.robust.quantities_floors import GreedyCase, greedy_floor
from repro.families.robust.quantities_two_arms import (
    CalibratedCase,
    MarginCase,
    TwoArmStates,
    deviation,
    exact_fall,
    exact_gap,
    worst_margin,
)
from repro.families.robust.worlds_pairs import orthogonal_cells
from repro.families.robust.wrong import (
    as_it_is,
    biased_reading,
    even_labels,
    huber_adversary,
    orders_swapped,
    with_fields,
)
from repro.study.case import Case, Point
from repro.study.claims import Ratio
from repro.study.config import Probes
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row, method

MIN_LABELS = 8 * np.log(2 / 0.05)
"""n·ξ at least: 8·ln(d/δ)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StuckCase(CalibratedCase):
    """Also the size of the first grid point."""

    first_n_pairs: int
    first_epsilon: float


@method
def stuck_at_first_point(case: StuckCase) -> StuckCase:
    """Wrong: the gap of the first grid point, whatever the point."""
    return replace(case, n_pairs=case.first_n_pairs, epsilon=case.first_epsilon)


@method
def every_pair_informs(case: MarginCase) -> MarginCase:
    """Wrong for a sweep of ξ: no pair has two equal responses."""
    return replace(case, world=replace(case.world, mass=1.0))


lost_at_even_odds = with_fields("lost_at_even_odds", failure_prob=0.5)
"""Wrong for a sweep of δ: the margin that is lost half of the time."""


algorithm_2 = Method("algorithm_2", as_it_is)
GAP = over_claimed("gap / .17·2c(ε)/√(nξ)", exact_gap)
LOST = over_claimed("margin lost with probability δ / z_δ·2c(ε)/√(nξ)", exact_fall)
FLOOR = over_claimed("largest margin that is turned / claimed", greedy_floor)
NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
CTL_FLOOR = (Need.LABELS, Need.TRUTH_HIDDEN, Need.ADVERSARY, Need.ORDER)
"""Not privacy: a flip in front of the randomizer turns a win rate of ½ whatever randomizes it,
which is the claim; greedy choices see no more than the sign."""
LTC_FLOOR = (*CTL_FLOOR, Need.PRIVACY)
INFINITE = ("n_pairs",)


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
        Row("n_pairs", "n_pairs", Ratio("gap = .17·2c(ε)/√(nξ), along n"), GAP, algorithm_2,
            (stuck_at_first_point,), needs=NOISY),
        Row("privacy_cost", "privacy_cost", Ratio("gap = .17·2c(ε)/√(nξ), along c"), GAP,
            algorithm_2, (stuck_at_first_point,), needs=NOISY),
        Row("noise_coverage", "min_eigenvalue",
            Ratio("gap = .17·2c(ε)/√(nξ), along ξ: √(1/ξ) where 1/ξ is printed"), GAP,
            algorithm_2, (every_pair_informs,), needs=(*NOISY, Need.COVERAGE)),
        Row("reward_bound", "reward_bound",
            Ratio("gap = .17·c(ε)√(r(1−r))/(σ′(B′)√(nξ)): 1/γ"), GAP, algorithm_2,
            (even_labels,), needs=NOISY),
        Row("log_inverse_delta", "log_inverse_delta",
            Ratio("margin lost with probability δ = z_δ·2c(ε)/√(nξ), z_δ ~ √(2ln(1/δ))"), LOST,
            algorithm_2, (lost_at_even_odds,), needs=NOISY),
        Row("ltc_corruption", "corruption", Ratio("LTC: floor = 4c(ε)·α/ξ, along α"), FLOOR,
            algorithm_2, (biased_reading, orders_swapped), given=STRONG_LTC, needs=LTC_FLOOR,
            fixed=INFINITE),
        Row("ctl_corruption", "corruption", Ratio("CTL: floor = 4α/ξ, along α"), FLOOR,
            algorithm_2, (biased_reading, orders_swapped), given=STRONG_CTL, needs=CTL_FLOOR,
            fixed=INFINITE),
        Row("ltc_coverage", "min_eigenvalue", Ratio("LTC: floor = 4c(ε)·α/ξ, along ξ"), FLOOR,
            algorithm_2, (huber_adversary,), given=STRONG_LTC, needs=(*LTC_FLOOR, Need.COVERAGE),
            fixed=INFINITE),
        Row("ctl_coverage", "min_eigenvalue", Ratio("CTL: floor = 4α/ξ, along ξ"), FLOOR,
            algorithm_2, (huber_adversary,), given=STRONG_CTL, needs=(*CTL_FLOOR, Need.COVERAGE),
            fixed=INFINITE),
        Row("ltc_cost", "privacy_cost", Ratio("LTC: floor = 4c(ε)·α/ξ, along c"), FLOOR,
            algorithm_2, (orders_swapped,), given=STRONG_LTC, needs=LTC_FLOOR, fixed=INFINITE),
        Row("ctl_cost", "privacy_cost", Ratio("CTL: floor = 4α/ξ, free of ε"), FLOOR, algorithm_2,
            (orders_swapped,), given=STRONG_CTL, needs=CTL_FLOOR, fixed=INFINITE),
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
        first, states = replace(point, value=point.grid[0]), TwoArmStates(1, self._coverage(point))
        margin, cost = worst_margin(reach=0.0)
        known, delta = point.swept("reward_bound", 0.0), self.failure_prob
        if point.row.over == "log_inverse_delta":
            delta = math.exp(-point.value)
            margin = cost = -float(ndtri(delta))
        unit = deviation(states, point.n_pairs, point.epsilon, known)
        return StuckCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon, world=states,
            margin=margin * unit, width=0.0, claimed=cost * unit,
            known=known, failure_prob=delta,
            first_n_pairs=first.n_pairs, first_epsilon=first.epsilon,
        )  # fmt: skip

    def _floor(self, point: Point, attack: Attack) -> GreedyCase:
        coverage = self._coverage(point)
        moved = attack.worth(point.epsilon) * self.corruption(point)
        return GreedyCase(
            methods=point.methods, epsilon=point.epsilon, margins=self.config.margins,
            world=orthogonal_cells([coverage], [0.0], self.config.reward_bound),
            claimed=flipped_margin(moved, coverage), **self.attacked(point, attack),
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
            if trial.row.given is None
            for point in (trial.points[0], trial.points[-1])
        )
