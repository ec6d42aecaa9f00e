"""P2 Lemma 3.3: uniform convergence of the square loss under privacy and Huber corruption.

Statement (Lemma 3.3).  For a finite class H of functions to [−1, 1] containing h* = E[y|x], with
probability at least 1−δ, for all n ≤ T and all h,

    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·α²          under CTL,
    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·c(ε)²·α²    under LTC,

with L̂(h) = Σ(h(x) − c(ε)·z)² and E^(n)(h) = Σ_t E[(h(x^(t)) − h*(x^(t)))² | past].

Testable: E/n of least squares on ten inputs against the worst Huber adversary.  Its floor in n
has exponent 2 in α under both orders, and 0 (CTL) or 2 (LTC) in c(ε); before the floor it is
∝ 1/n; the floor's constant is exactly the mean of α²(1+|h*|)² (CTL) or α²(c+|h*|)² (LTC): an
adversary who tosses coins keeps the exponent and misses the constant.  The older bound nα (Zhou
et al., square loss) is loose by a factor that vanishes with α: row older_bound holds E/(nα) ∝ α.
The inequality itself is held at every n ≤ T, for iid and adaptive inputs, with the constants of
repro.families.losses.bounds_uniform.

Slip in the proof: eqs. (4) and (5) bound F* − h* from above only; Lemma B.2 needs |F* − h*|.
The same bound holds from below (row two_sided_bias, proved for every bad mean b and h*), so the
lemma stands.

What would refute it: a floor with a smaller exponent in α, or a larger one in c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.schema import Count, Number, Probability
from repro.corruption.huber_square import worst_bias
from repro.corruption.orders import Order
from repro.families.losses import proofs_bias as bias
from repro.families.losses.uniform_cases import (
    SquareCase,
    SquareSequenceCase,
    square_violations,
    squared_error,
)
from repro.families.losses.variants import (
    corruption_after_privacy,
    corruption_before_privacy,
    square_loss,
    square_without_cost,
    weak_adversary,
)
from repro.losses.sequences import packing_class, random_class
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Frequency, Inequality, Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, Values, per_method

CaseOf = Callable[["UniformConvergenceSquare", Point], Case]
"""What the cases of a row are."""


@dataclass(frozen=True)
class Floors:
    """Cases of the mean squared error.

    Attributes:
        order: of corruption and privacy.
        share: multiple of the α in force.
        small: whether |h*| ≪ c.
    """

    order: Order = Order.CTL
    share: float = 1.0
    small: bool = False

    def __call__(self, experiment: UniformConvergenceSquare, point: Point) -> SquareCase:
        numbers = experiment.config
        return SquareCase(
            **experiment.corrupted(point, self.order, self.share),
            n_pairs=point.n_pairs,
            means=numbers.small_means if self.small else numbers.means,
        )


def biases(experiment: UniformConvergenceSquare, point: Point) -> PointCase:
    """α is all."""
    return PointCase(methods=point.methods, value=point.value)


def iid(experiment: UniformConvergenceSquare, point: Point) -> SquareSequenceCase:
    """Random means and iid inputs, CTL."""
    table = 2 * random_class(experiment.config.class_size) - 1
    return SquareSequenceCase(**experiment.sequence(point, Order.CTL), table=table, design="iid")


def adaptive(experiment: UniformConvergenceSquare, point: Point) -> SquareSequenceCase:
    """A packing of means and adaptive inputs, LTC."""
    table = 2 * packing_class(experiment.config.class_size) - 1
    return SquareSequenceCase(
        **experiment.sequence(point, Order.LTC), table=table, design="adaptive"
    )


def over(quantity: str, unit: Callable[[SquareCase], float]) -> Measure:
    """The mean squared error divided by a number that each case knows."""

    def scaled(case: SquareCase, rng: np.random.Generator, replicates: int) -> Values:
        found = ERROR.of(case, rng, replicates)
        return {name: error / unit(case) for name, error in found.items()}

    return Measure(quantity, scaled, Evidence.MEASURED)


ERROR = Measure("mean squared error of ĥ", per_method(squared_error), Evidence.MEASURED)
FLOOR = over("mean squared error / α²·mean(reach+|h*|)²", lambda case: case.predicted_floor)
OVER_OLD = over("mean squared error / α", lambda case: case.corruption)
VIOLATED = Measure(
    "inequality violated at some n ≤ T [frequency]", square_violations, Evidence.MEASURED
)
BIAS = proved("|E[c·z] − h*| / bound")

CTL, LTC = Floors(), Floors(Order.LTC)
CTL_SMALL, LTC_SMALL = Floors(small=True), Floors(Order.LTC, small=True)
CLEAN, CLEAN_SMALL = Floors(share=0.0), Floors(share=0.0, small=True)
WITHOUT_COST = (square_without_cost,)
LEARNS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
CORRUPTED = (*LEARNS, Need.ADVERSARY)
ORDERED = (*CORRUPTED, Need.ORDER)
BOTH = ("p2.lem_3_3", "p2.lem_b_2")
Means = Annotated[
    tuple[Annotated[Number, Field(ge=-1, le=1)], ...], Field(min_length=1, max_length=1000)
]


class UniformConvergenceSquareProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        means: h* of the ten inputs.
        small_means: h* of the sweep of c, where |h*| ≪ c keeps the exponent clean.
        corruption: α where it is not swept.
        class_size: N of the classes of the inequality.
        failure_prob: δ.
    """

    means: Means
    small_means: Means
    corruption: Probability
    class_size: Count
    failure_prob: Probability


class UniformConvergenceSquare(Experiment[Case]):
    """Lemma 3.3: floors, their constants, and the inequality over all n."""

    title = "P2 Lemma 3.3: uniform convergence of the square loss under CTL and LTC"
    settles = ("p2.lem_3_3",)
    config_type = UniformConvergenceSquareProbes
    config: UniformConvergenceSquareProbes

    rows = (
        Row("corruption_ctl", "corruption", Slope(2, "CTL: floor {rate}"), ERROR, square_loss,
            WITHOUT_COST, on="means", given=CTL, needs=CORRUPTED),
        Row("corruption_ltc", "corruption", Slope(2, "LTC: floor {rate}"), ERROR, square_loss,
            WITHOUT_COST, on="means", given=LTC, needs=CORRUPTED),
        Row("privacy_cost_ctl", "privacy_cost",
            Ratio("CTL: floor = α²·mean (1+|h*|)², free of c(ε)"), FLOOR, square_loss,
            (corruption_after_privacy,), on="small_means", given=CTL_SMALL, needs=ORDERED),
        Row("privacy_cost_ltc", "privacy_cost", Slope(2, "LTC: floor {rate}"), ERROR, square_loss,
            (corruption_before_privacy,), on="small_means", given=LTC_SMALL, needs=ORDERED),
        Row("prefactor_ctl", "corruption", Ratio("CTL: floor = α²·mean (1+|h*|)²"), FLOOR,
            square_loss, (weak_adversary,), on="means", given=CTL, needs=ORDERED),
        Row("prefactor_ltc", "corruption", Ratio("LTC: floor = α²·mean (c+|h*|)²"), FLOOR,
            square_loss, (weak_adversary,), on="means", given=LTC, needs=ORDERED),
        Row("n_pairs", "n_pairs", Slope(-1, "before the floor: {rate}"), ERROR, square_loss,
            WITHOUT_COST, on="means", given=CLEAN, needs=LEARNS),
        Row("privacy_cost", "privacy_cost", Slope(2, "before the floor: {rate}"), ERROR,
            square_loss, WITHOUT_COST, on="small_means", given=CLEAN_SMALL, needs=LEARNS),
        Row("older_bound", "corruption",
            Slope(1, "the older bound nα is loose by a factor {rate}"), OVER_OLD, square_loss,
            WITHOUT_COST, on="means", given=CTL, needs=CORRUPTED),
        Row("two_sided_bias", "corruption",
            Inequality("|F* − h*| ≤ 2α (CTL), (c+1)α (LTC), from both sides"), BIAS,
            bias.both_sides, (bias.reach_one_under_ltc,), given=biases, settles=BOTH),
        Row("all_n_iid", "privacy_cost",
            Frequency("iid inputs: all n ≤ T and all h with probability ≥ 1−δ"), VIOLATED,
            square_loss, WITHOUT_COST, on="random", given=iid, needs=(Need.LABELS, Need.PRIVACY),
            settles=BOTH),
        Row("all_n_adaptive", "privacy_cost", Frequency("adaptive inputs: the same"), VIOLATED,
            square_loss, WITHOUT_COST, on="packing", given=adaptive, needs=(Need.LABELS,),
            settles=BOTH),
    )  # fmt: skip

    def __init__(self, config: UniformConvergenceSquareProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.failure_prob = config.failure_prob

    def case(self, point: Point) -> Case:
        """As the row says."""
        return point.row.given(self, point)

    def corrupted(self, point: Point, order: Order, share: float = 1.0) -> dict[str, Any]:
        """What every case with an adversary has."""
        return {
            "methods": point.methods,
            "epsilon": point.epsilon,
            "corruption": share * point.swept("corruption", self.config.corruption),
            "assumed_order": order,
            "order": order,
        }

    def sequence(self, point: Point, order: Order) -> dict[str, Any]:
        """The same, for the inequality over all n."""
        delta = self.config.failure_prob
        return {
            **self.corrupted(point, order), "horizon": point.horizon, "failure_prob": delta
        }  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """h* inside [−1, 1] with room for the worst bias; α < 1/2."""
        largest = max(abs(mean) for mean in (*self.config.means, *self.config.small_means))
        inside = AssumptionResult("h* inside [−1, 1]", largest < 1, f"|h*| ≤ {largest:g}")
        last = ((trial.row.name, trial.cases[-1]) for trial in self.trials)
        fits = (_fits(name, case) for name, case in last if isinstance(case, SquareCase))
        return (inside, *fits)


def _fits(name: str, case: SquareCase) -> AssumptionResult:
    alpha, cost = case.corruption, case.reports.cost
    bias = worst_bias(np.array(case.means), cost, alpha, case.assumed_order).max()
    detail = f"bias ≤ {bias:.3g}, α = {alpha}"
    fits = bool(alpha < 0.5 and bias < 2)
    return AssumptionResult(f"{name}: clipping leaves the bias", fits, detail)
