"""P2 Theorem 5.2: Squareχ𝖯𝖮 under privacy and Huber corruption.

Statement (Theorem 5.2).  For any comparator π* and a proper β, with probability at least 1−δ,
Algorithm 3 has

    J(π*) − J(π̂) ≲ κ(π*)·(c(ε)·√(log(|Π|/δ)/n) + α)            under CTL,
    J(π*) − J(π̂) ≲ κ(π*)·(c(ε)·√(log(|Π|/δ)/n) + c(ε)·α)       under LTC,

J unregularised, κ(π*) ∝ √C^π*.  Theorem D.1 is its form in terms of err_stat.

Testable: the floor in n (at n = 1e13, where c·√(S/n) is far below α) has exponent 1 in α, 0 (CTL)
and 1 (LTC) in c(ε); without corruption the exponents −½ in n and 1 in c(ε).  As in private_chipo
the gap is a supremum over a ladder of reward differences, and the adversary is the worst one: it
always reports the worse response.  The older bound √α is loose by a factor √α (row older_bound).
A gap ∝ β, and so ∝ α, is left to a learner who knows the rewards, and to one whom nobody deceives:
it is taken off.  That the floor under CTL is free of c(ε) is held as a number, its limit at n = ∞;
the floor without a tuned β under LTC as the largest Δ that the adversary hides.

Remark 5.1 calls Algorithm 3 adaptive, that is free of α; Theorem D.1's β ∝ err_stat needs α.  On
this instance, a class of all tables, β tuned from c·√(S/n) alone keeps the rate (rows *_adaptive),
as the bias is of order α at every pair.  That says nothing of the remark: on smaller classes the
rate is lost (``price_of_adaptivity``).

Rows ``printed*`` minimise the square loss itself over policies of classes that do not saturate, a
log-linear one with more reward differences than features and twelve policies of it; there the
tabular rows' closed form does not exist.

Rows ``nonparametric*`` (``own.metric_entropy``, docs/explanations/large_classes.md): the paper says
that other classes follow by covering numbers.  Over a net of N(τ) policies of radius τ in
h = tanh(Δ/2), for every τ ≥ 0 and with probability at least 1−δ, E(h_π̂ − h*)² is at most
A·(c²·log(N(τ)/δ)/n + (τ + ζ)²) + 2τ², A = 8/(1 − e^(−1/4)), ζ ≤ 2α under CTL and (1 + c)α under
LTC.  On a class of entropy 1/τ, preferences that fall no faster than L along the states, every
algorithm has in some world an expected gap of at least L/(8k), k³ ≥ n·L²/(.937c²): exponents −⅓ in
n and ⅔ in c(ε), not those of a finite class.

What would refute it: a floor with a smaller exponent in α or a larger one in c(ε).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Count, Positive, Probability
from repro.corruption.orders import Order
from repro.families.chipo.algorithms_printed import SQUARE_LOSS
from repro.families.chipo.cases import GAP, TabularCase
from repro.families.chipo.cases_nonparametric import (
    BEYOND_KNOWN,
    LOWER_OVER,
    OVER_ERROR_BOUND,
    EveryTruthCase,
    LowerBoundCase,
    NonparametricCase,
    blind,
    class_ignored,
    counted,
    counted_upside_down,
    fixed,
    greedy,
    greedy_with_more,
    nonparametric,
    not_counted,
    upside_down,
)
from repro.families.chipo.cases_printed import SHAPE, PrintedCase
from repro.families.chipo.nonparametric import FALL, LARGEST, STATES
from repro.families.chipo.variants import (
    adaptive_corruption_before_privacy,
    adaptive_tuning,
    corruption_after_privacy,
    fixed_kl_weight,
    label_flip,
    square_chipo,
    without_privacy_cost,
)
from repro.families.chipo.worlds import RareGoodArm, hidden_difference
from repro.study.case import Point
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, Values

AnyCase = TabularCase | PrintedCase | NonparametricCase


def tabular(numbers: SquareChipoProbes, common: Mapping[str, Any]) -> AnyCase:
    """Rare good responses; the class is all tables."""
    world = RareGoodArm(numbers.num_states, numbers.coverage, numbers.reward_bound)
    return TabularCase(**common, world=world)


def printed(finite: bool) -> Callable[[SquareChipoProbes, Mapping[str, Any]], AnyCase]:
    """The square loss of Algorithm 3, minimised over policies."""
    return lambda numbers, common: PrintedCase(
        **common, loss=SQUARE_LOSS, reward_bound=numbers.reward_bound, finite=finite
    )


def falling(numbers: SquareChipoProbes, common: Mapping[str, Any]) -> AnyCase:
    """Preferences that fall no faster than L along the states."""
    return NonparametricCase(**common)


def every_truth(numbers: SquareChipoProbes, common: Mapping[str, Any]) -> AnyCase:
    """The same, where no truth is chosen."""
    return EveryTruthCase(**common)


def every_algorithm(numbers: SquareChipoProbes, common: Mapping[str, Any]) -> AnyCase:
    """The same, where the k of the lower bound is one of those tried."""
    return LowerBoundCase(**common)


@dataclass(frozen=True)
class Corruption:
    """What happens to labels besides privacy.

    Attributes:
        order: of corruption and privacy, which β is tuned for.
        share: multiple of the α in force.
        case: (numbers, fields of every case) → a case of the world.
    """

    order: Order = Order.CTL
    share: float = 1.0
    case: Callable[[SquareChipoProbes, Mapping[str, Any]], AnyCase] = tabular


PRIVACY_ONLY = Corruption(share=0.0)
CTL, LTC = Corruption(), Corruption(Order.LTC)
LOG_LINEAR, TWELVE = printed(finite=False), printed(finite=True)
LARGE, LARGE_CTL = Corruption(share=0.0, case=falling), Corruption(case=falling)
LARGE_LTC = Corruption(Order.LTC, case=falling)
EVERY_TRUTH = Corruption(share=0.0, case=every_truth)
EVERY_ALGORITHM = Corruption(share=0.0, case=every_algorithm)


def over_old_bound(case: TabularCase, rng: np.random.Generator, replicates: int) -> Values:
    """Gaps over √α."""
    found = GAP.of(case, rng, replicates)
    return {name: gap / np.sqrt(case.corruption) for name, gap in found.items()}


def over_floor(case: TabularCase, rng: np.random.Generator, replicates: int) -> Values:
    """Gaps at the worst Δ of n = ∞ under CTL, over the largest gap there, which knows no ε."""
    worst, floor = case.world.floor(case.corruption, case.tuning)
    drawn = {m.name: case.study.simulate(m.run, np.array(worst), rng, replicates)
             for m in case.methods}  # fmt: skip
    return {name: gap / floor for name, gap in drawn.items()}


def over_hidden(case: TabularCase, rng: np.random.Generator, replicates: int) -> Values:
    """Worst gaps over the largest Δ that the adversary hides under LTC."""
    hidden = hidden_difference(case.corruption, privacy_cost(case.epsilon))
    return {m.name: case.gaps(m.run, rng, replicates) / hidden for m in case.methods}


OVER_FLOOR = Measure("suboptimality / its limit", over_floor, Evidence.MEASURED)
OVER_HIDDEN = Measure("suboptimality / hidden Δ", over_hidden, Evidence.MEASURED)
OVER_OLD = Measure("suboptimality / √α", over_old_bound, Evidence.MEASURED)

LEARNT = (Need.LABELS, Need.TRUTH_HIDDEN)
FLOOR = (*LEARNT, Need.ADVERSARY)
COSTS = (*FLOOR, Need.PRIVACY, Need.ORDER)
FIXED = (fixed_kl_weight,)
STATED = ("p2.thm_5_2", "p2.thm_d_1", "p2.alg_3")
ADAPTIVE = ("p2.alg_3",)
ENTROPY = ("own.metric_entropy",)


class SquareChipoProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        num_states, coverage, reward_bound: S, C^π* and R_max.
        tuning: β = tuning·(c·√(S/n) + α or c·α)/√C.
        fixed_kl_weight: β of the control that does not tune it.
        corruption: α where it is not swept.
    """

    num_states: Count
    coverage: Positive
    reward_bound: Positive
    tuning: Positive
    fixed_kl_weight: Positive
    corruption: Probability


class SquareChipo(Experiment[AnyCase]):
    """Theorem 5.2 on rare good responses against the worst Huber adversary."""

    title = "P2 Theorem 5.2: offline χPO with the square loss under CTL and LTC"
    settles = STATED
    config_type = SquareChipoProbes
    config: SquareChipoProbes

    rows = (
        Row("corruption_ctl", "corruption", Slope(1, "CTL: floor {rate}"), GAP, square_chipo,
            FIXED, on="tabular", given=CTL, needs=FLOOR),
        Row("corruption_ltc", "corruption", Slope(1, "LTC: floor {rate}"), GAP, square_chipo,
            FIXED, on="tabular", given=LTC, needs=FLOOR),
        Row("privacy_cost_ctl", "privacy_cost",
            Ratio("CTL: floor → sup Δ·π̂(worse | Δ̂ = 2·artanh((1−α)h − α)), free of c(ε)"),
            OVER_FLOOR, square_chipo, (without_privacy_cost, corruption_after_privacy),
            on="tabular", given=CTL, needs=COSTS),
        Row("privacy_cost_ltc", "privacy_cost", Slope(1, "LTC: floor {rate}"), GAP, square_chipo,
            (without_privacy_cost,), on="tabular", given=LTC, needs=COSTS),
        Row("privacy_cost_ltc_adaptive", "privacy_cost",
            Ratio("LTC, β free of α: floor → 2·artanh(c·α/(1−α))"), OVER_HIDDEN,
            adaptive_tuning, (adaptive_corruption_before_privacy,), on="tabular", given=LTC,
            needs=COSTS, settles=ADAPTIVE),
        Row("corruption_ctl_adaptive", "corruption", Slope(1, "CTL, β free of α: floor {rate}"),
            GAP, adaptive_tuning, FIXED, on="tabular", given=CTL, needs=FLOOR, settles=ADAPTIVE),
        Row("corruption_ltc_adaptive", "corruption", Slope(1, "LTC, β free of α: floor {rate}"),
            GAP, adaptive_tuning, FIXED, on="tabular", given=LTC, needs=FLOOR, settles=ADAPTIVE),
        Row("older_bound", "corruption",
            Slope(0.5, "the older bound √α is loose by a factor {rate}"), OVER_OLD, square_chipo,
            FIXED, on="tabular", given=CTL, needs=FLOOR, settles=("p2.thm_5_2", "p2.alg_3")),
        Row("n_pairs", "n_pairs", Slope(-0.5, "no corruption: {rate}"), GAP, square_chipo,
            (fixed_kl_weight, label_flip), on="tabular", given=PRIVACY_ONLY, needs=LEARNT),
        Row("privacy_cost", "privacy_cost", Slope(1, "no corruption: {rate}"), GAP, square_chipo,
            (without_privacy_cost,), on="tabular", given=PRIVACY_ONLY,
            needs=(*LEARNT, Need.PRIVACY)),
        Row("printed", "n_pairs", Slope(-0.5, "square loss over log-linear policies: {rate}"), GAP,
            square_chipo, (fixed_kl_weight, label_flip), on="log_linear",
            given=Corruption(share=0.0, case=LOG_LINEAR), needs=LEARNT),
        Row("printed_ctl", "corruption",
            Slope(1, "CTL, square loss over log-linear policies: floor {rate}"), GAP, square_chipo,
            FIXED, on="log_linear", given=Corruption(case=LOG_LINEAR), needs=FLOOR),
        Row("printed_ltc", "corruption",
            Slope(1, "LTC, square loss over log-linear policies: floor {rate}"), GAP, square_chipo,
            FIXED, on="log_linear", given=Corruption(Order.LTC, case=LOG_LINEAR), needs=FLOOR),
        Row("printed_privacy_cost_ltc", "privacy_cost",
            Slope(1, "LTC, square loss over log-linear policies: floor {rate}"), GAP, square_chipo,
            (without_privacy_cost,), on="log_linear", given=Corruption(Order.LTC, case=LOG_LINEAR),
            needs=COSTS),
        Row("printed_finite_ctl", "corruption",
            Slope(1, "CTL, square loss over 12 policies: floor {rate}"), GAP, square_chipo,
            FIXED, on="log_linear", given=Corruption(case=TWELVE), needs=FLOOR),
        Row("printed_finite_ltc", "corruption",
            Slope(1, "LTC, square loss over 12 policies: floor {rate}"), GAP, square_chipo,
            FIXED, on="log_linear", given=Corruption(Order.LTC, case=TWELVE), needs=FLOOR),
        Row("nonparametric", "n_pairs", Slope(-1 / 3, "class of entropy 1/τ: {rate}"),
            BEYOND_KNOWN, nonparametric, (fixed, class_ignored, upside_down), on="falling",
            given=LARGE, needs=LEARNT, settles=ENTROPY),
        Row("nonparametric_privacy_cost", "privacy_cost",
            Slope(2 / 3, "class of entropy 1/τ: {rate}"), BEYOND_KNOWN, nonparametric, (blind,),
            on="falling", given=LARGE, needs=(*LEARNT, Need.PRIVACY), settles=ENTROPY),
        Row("nonparametric_ctl", "corruption", Slope(1, "CTL, class of entropy 1/τ: floor {rate}"),
            BEYOND_KNOWN, nonparametric, (fixed,), on="falling", given=LARGE_CTL, needs=FLOOR,
            settles=ENTROPY),
        Row("nonparametric_ltc", "corruption", Slope(1, "LTC, class of entropy 1/τ: floor {rate}"),
            BEYOND_KNOWN, nonparametric, (fixed,), on="falling", given=LARGE_LTC, needs=FLOOR,
            settles=ENTROPY),
        Row("nonparametric_bound", "n_pairs",
            Inequality("net: E(h − h*)² ≤ A·(c²·log(N(τ)/δ)/n + τ²) + 2τ² with probability .95"),
            OVER_ERROR_BOUND, counted, (not_counted, counted_upside_down), on="falling",
            given=EVERY_TRUTH, needs=(Need.LABELS,), settles=ENTROPY),
        Row("nonparametric_every_algorithm", "n_pairs",
            Inequality("gap ≥ L/(8k), k³ ≥ n·L²/(.937·c²)"), LOWER_OVER, greedy,
            (greedy_with_more,), on="falling", given=EVERY_ALGORITHM, needs=(Need.TRUTH_HIDDEN,),
            settles=ENTROPY),
    )  # fmt: skip

    def case(self, point: Point) -> AnyCase:
        """World and labels of one grid point."""
        numbers, corruption = self.config, point.row.given
        common = {
            "methods": point.methods,
            "epsilon": point.epsilon,
            "n_pairs": point.n_pairs,
            "tuning": numbers.tuning,
            "fixed_kl_weight": numbers.fixed_kl_weight,
            "corruption": corruption.share * point.swept("corruption", numbers.corruption),
            "assumed_order": corruption.order,
            "order": corruption.order,
        }
        return corruption.case(numbers, common)

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the world, and α where it is not swept."""
        fields = {
            "tabular": self.config.model_dump(include={"num_states", "coverage", "reward_bound"}),
            "log_linear": SHAPE,
            "falling": {"num_states": STATES, "fall": FALL, "largest": LARGEST},
        }
        alpha = row.given.share * self.config.corruption
        return {"world_fields": fields[row.on], "corruption": alpha}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The worst Δ is interior and α < 1/2 at both ends of every sweep."""
        kinds = (TabularCase, PrintedCase, NonparametricCase)
        cases = [end for kind in kinds for end in self.ends(kind)]
        return tuple(_interior(place, case) for _, place, case in cases)


def _interior(where: str, case: AnyCase) -> AssumptionResult:
    inside, detail = case.interior(case.methods[0].run)
    fits = inside and case.corruption < 0.5
    detail = f"{detail}, α = {case.corruption:g}"
    return AssumptionResult(f"{where}: worst instance interior, α < 1/2", fits, detail)
