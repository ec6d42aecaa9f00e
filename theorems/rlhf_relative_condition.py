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

from dataclasses import dataclass, replace

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Number, Positive, Probability
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order
from repro.families.robust.bounds_floor import sharper_floor
from repro.families.robust.measures import of_changed_case
from repro.families.robust.quantities_two_arms import (
    MarginCase,
    TwoArmStates,
    attacked_floor,
    calibrated_width,
    supremum_gap,
)
from repro.study.case import Case, Point
from repro.study.claims import Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, method, per_method


@dataclass(frozen=True, eq=False, kw_only=True)
class WideCase(MarginCase):
    """Also the reach of the widest confidence set of the sweep, in units of a margin."""

    widest_reach: float


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorCase(Case):
    """The floor of n → ∞ labels, exactly.

    Attributes:
        corruption: α.
        believed: α that Γ is set for.
        most_corruption: the largest α of the sweep.
        reward_bound: B′, largest margin.
        order: CTL or LTC.
    """

    corruption: float
    believed: float
    most_corruption: float
    reward_bound: float
    order: Order

    @property
    def width(self) -> float:
        """Γ by our sharper floor."""
        worth = privacy_cost(self.epsilon) if self.order is Order.LTC else 1.0
        return sharper_floor(worth, self.believed, self.reward_bound)


@method
def algorithm_2(case):
    """The case as it is."""
    return case


@method
def fixed_width(case: WideCase) -> WideCase:
    """Wrong: the widest confidence set of the sweep, whatever the point."""
    return replace(case, width=case.widest_reach * np.sqrt(case.world.mass))


@method
def corruption_ignored(case: FloorCase) -> FloorCase:
    """Wrong: Γ of one fixed α, the largest of the sweep."""
    return replace(case, believed=case.most_corruption)


@method
def orders_swapped(case: FloorCase) -> FloorCase:
    """Wrong: the other order."""
    return replace(case, order=case.order.swapped)


def exact_floor(case: FloorCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
    """sup over mass and margin of SubOpt/√κ under the strong adversary."""
    one = m.run(case)
    return attacked_floor(one.order, one.epsilon, one.corruption, one.reward_bound, one.width)


GAP = of_changed_case("sup over margins of the gap", supremum_gap)
FLOOR = Measure("sup of gap / √κ, n → ∞", per_method(exact_floor), Evidence.EXACT)
NOISY = (Need.LABELS, Need.PRIVACY)
ATTACKED = (Need.LABELS, Need.ADVERSARY)
ORDERED = (*ATTACKED, Need.ORDER)


class RelativeConditionProbes(Probes):
    """Numbers of the experiment; conf/theorem/rlhf_relative_condition.yaml gives them."""

    corruption: Number
    failure_prob: Probability
    mass: Probability
    reward_bound: Positive


class RelativeCondition(Experiment[Case]):
    """Theorem 6.1 on two-response states."""

    title = "P4 Theorem 6.1: private and robust offline RLHF, relative condition number"
    settles = ("p4.thm_6_1",)
    config_type = RelativeConditionProbes
    config: RelativeConditionProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "gap {rate}"), GAP, algorithm_2, (fixed_width,),
            needs=NOISY),
        Row("privacy_cost", "privacy_cost", Slope(1, "gap {rate}"), GAP, algorithm_2,
            (fixed_width,), needs=NOISY),
        Row("coverage", "coverage", Slope(0.5, "gap {rate}", symbol="κ"), GAP, algorithm_2,
            (fixed_width,), needs=NOISY),
        Row("num_features", "num_features", Slope(1, "gap {rate}", "at_most"), GAP, algorithm_2,
            needs=NOISY),
        Row("ltc_corruption", "corruption", Slope(0.5, "LTC: floor {rate}"), FLOOR, algorithm_2,
            (corruption_ignored,), given=Order.LTC, needs=ATTACKED),
        Row("ctl_corruption", "corruption", Slope(0.5, "CTL: floor {rate}"), FLOOR, algorithm_2,
            (corruption_ignored,), given=Order.CTL, needs=ATTACKED),
        Row("printed_ltc_cost", "privacy_cost",
            Slope(1, "as printed, LTC: floor {rate}", "at_most"), FLOOR, algorithm_2,
            given=Order.LTC, needs=ORDERED),
        Row("ours_ltc_cost", "privacy_cost", Slope(0.5, "ours, LTC: floor {rate}"), FLOOR,
            algorithm_2, (orders_swapped,), given=Order.LTC, needs=ORDERED),
        Row("ctl_cost", "privacy_cost", Slope(0, "CTL: floor {rate}", symbol="ε"), FLOOR,
            algorithm_2, (orders_swapped,), given=Order.CTL, needs=ORDERED),
    )  # fmt: skip

    def __init__(self, config: RelativeConditionProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def case(self, point: Point) -> Case:
        """A gap without corruption, or an exact floor under an order."""
        return self._noisy(point) if point.row.given is None else self._floor(point)

    def _noisy(self, point: Point) -> WideCase:
        ends = (replace(point, value=value) for value in (point.grid[0], point.grid[-1]))
        reach = max(self._width(end) / np.sqrt(self._states(end).mass) for end in ends)
        return WideCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon,
            world=self._states(point), width=self._width(point), widest_reach=float(reach),
        )  # fmt: skip

    def _width(self, point: Point) -> float:
        """Γ that covers with probability 1−δ."""
        states, delta = self._states(point), self.config.failure_prob
        return calibrated_width(states, point.n_pairs, point.epsilon, delta)

    def _states(self, point: Point) -> TwoArmStates:
        """κ by the mass of one state, or d states that share a mass."""
        if point.row.over == "coverage":
            return TwoArmStates(1, 1 / point.value)
        count = point.swept("num_features", 1)
        return TwoArmStates(round(count), self.config.mass / count)

    def _floor(self, point: Point) -> FloorCase:
        share = point.swept("corruption", self.config.corruption)
        most = point.grid[-1] if point.row.over == "corruption" else share
        return FloorCase(
            methods=point.methods, epsilon=point.epsilon, corruption=share, believed=share,
            most_corruption=most, reward_bound=self.config.reward_bound, order=point.row.given,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """κ is finite and every pair can be drawn: m ≤ ρ_s/2."""
        mass = self.config.mass
        kappas = [trial.grid[0] for trial in self.trials if trial.row.over == "coverage"]
        smallest = min(kappas, default=float("inf"))
        return (
            AssumptionResult("mass of informative pairs", mass <= 0.5, f"m = {mass:g}"),
            AssumptionResult("κ at least 2", smallest >= 2, f"κ ≥ {smallest:g}"),
        )
