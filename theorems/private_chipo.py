"""P2 Theorem 4.4: Privχ𝖯𝖮 with the mixture log loss reaches c(ε)·√(log|Π|/n).

Statement (Improved bounds for private and robust alignment, Theorem 4.4).  For any comparator π*
and a proper β, with probability at least 1−δ, Algorithm 1 has

    J(π*) − J(π̂) ≲ e^{2R_max}·(V_max/R_max)·√C^π* · c(ε)·√(log(|Π|/δ)/n),

J unregularised.  In code: β is kl_weight, tuned as Theorem C.1 says, β ∝ c·√(S/n)/√C; C^π* is
coverage; log|Π| is of the order of S for S states with a free reward difference (also for the
finite class {±Δ}^S); R_max is reward_bound and V_max = 2·R_max after clipping.

Testable: the exponents in n, c(ε), S and C^π*; Theorem C.1, proved by intervals; the rate
of err²; faster rates under a margin condition.  Rates are attained as a supremum over instances:
on one instance the unregularised gap falls exponentially.  Every grid point takes the worst
reward difference of a ladder from 1e-9 to R_max, found by quadrature before any draw; that it is
interior is an assumption of the run, and ``peak`` simulates the ladder around it.  Fixed β gives
no rate.  A naive likelihood survives n on symmetric states (it only rescales Δ̂), so it is
caught by c(ε) there and by n on the offset instance, rewards (0, x, 0.4) with x unknown.  A
learner who knows the rewards has a gap too, ∝ β and so of the claimed rates; it is taken off.

What would refute it: an exponent above the printed one.

Slips in the proof, none of which touches the statement.  The last display before Theorem 4.4's
conclusion reads err² ≲ e^{4R_max}·c²·log(|Π|/δ), without 1/n: row statistical_error measures the
exponent −1 that the theorem needs.  Algorithm 1 ranks by z although its labels are called ỹ:
without corruption the two are the same.  χ² must be ½·E_ref(π/π_ref − 1)², as C^π* = 2χ² + 1
in the proof of Theorem C.1 says (checked in p2_scalar_lemmas).

The printed V_max/R_max is not attained either: for the best β the factor is √(V_max/R_max), and no
β does better (``own.value_ratio``, docs/explanations/reward_range.md, Theorems 4 and 5): rows
``value_ratio_tuned``, ``value_ratio_every_beta`` and ``value_ratio_bound``.

√log(1/δ) is attained by Algorithm 1 with a β that contains δ, as the proof's does, and necessary
for every algorithm; with a β free of δ the quantile grows like log(1/δ) (``own.confidence``,
Theorems 7 and 8 there): rows ``confidence*``, from exact laws down to δ = 1e-300.

The printed e^{2R_max} is not attained: K_R ~ R·e^R is enough (price_of_adaptivity.md, Lemma 1), and
e^{R_max} is necessary for every algorithm (``own.reward_range``): row ``reward_growth``.

Classes that do not saturate: rows ``printed*`` minimise the algorithm's own loss over policies,
log-linear ones (five features, twelve reward differences) and twelve of them, with π*_β among them;
there is no closed form, as the implicit reward bends with θ.  Under corruption (no claim of
Theorem 4.4) the log loss has the floors of Theorem 5.2.

With instance=preference_text the linear class of text features replaces the random linear world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from repro.base.schema import Count, Positive
from repro.chipo import meta_theorem
from repro.corruption.orders import Order
from repro.families.chipo import quantities
from repro.families.chipo.algorithms_offset import OFFSET
from repro.families.chipo.algorithms_printed import LOG_LOSS
from repro.families.chipo.cases import GAP, ChipoCase, LinearCase, OffsetCase, TabularCase
from repro.families.chipo.cases_nonparametric import (
    BEYOND_KNOWN,
    NonparametricCase,
    log_loss,
    log_loss_fixed,
    log_loss_upside_down,
    naive,
)
from repro.families.chipo.cases_printed import SHAPE, PrintedCase
from repro.families.chipo.confidence import (
    ConfidenceCase,
    confusion,
    free_of_delta,
    gap_quantile,
    knows_delta,
    root_of_log,
    root_of_log_doubled,
)
from repro.families.chipo.nonparametric import FALL, LARGEST, STATES
from repro.families.chipo.quantities import ErrorCase, MarginCase, RightCase
from repro.families.chipo.twin_rewards import TwinCase, TwinRewards, error_of_the_best_test
from repro.families.chipo.value_ratio import (
    BoundCase,
    RatioCase,
    as_printed,
    bound_ratio,
    capped,
    every_beta,
    free_of_the_ratio,
    root_of_the_ratio,
    with_the_ratio,
    without_the_ratio,
    worst_gap,
)
from repro.families.chipo.variants import (
    epsilon_overstated,
    finite_class,
    finite_class_label_flip,
    fixed_kl_weight,
    label_flip,
    naive_likelihood,
    private_chipo,
)
from repro.families.chipo.worlds import RareGoodArm
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, per_method

CaseOf = Callable[["PrivateChipo", Point], Case]
"""What the cases of a row are."""

MARGIN = Measure(GAP.quantity, per_method(quantities.margin_gap), Evidence.MEASURED)
ERROR = Measure("err² [reward²]", per_method(quantities.squared_error), Evidence.MEASURED)
PEAK = Measure("largest simulated gap of the ladder / gap at the chosen Δ",
               per_method(quantities.peak_ratio), Evidence.MEASURED)  # fmt: skip
ERRS = Measure("mistakes of the best test / Φ(−√J/2)", per_method(error_of_the_best_test),
               Evidence.MEASURED)  # fmt: skip
THEOREM_C_1 = Method("theorem_c_1", lambda coverage: meta_theorem.meta(2.0, 2.0))
COVERAGE_IGNORED = Method("coverage_ignored", meta_theorem.coverage_ignored)
BOUND = proved("gap / right-hand side of Theorem C.1")
WORST = Measure("expected gap, the larger of two worlds [reward]", per_method(worst_gap),
                Evidence.EXACT)  # fmt: skip
TUNED = Measure(WORST.quantity, WORST.of, Evidence.COMPUTED)
OVER_ROOT = Measure("gap / corrected right-hand side of Theorem C.1", per_method(bound_ratio),
                    Evidence.SEARCHED)  # fmt: skip
QUANTILE = Measure("(1−δ) quantile of the gap, the larger of two worlds [reward]",
                   per_method(gap_quantile), Evidence.EXACT)  # fmt: skip
TUNED_QUANTILE = Measure(QUANTILE.quantity, QUANTILE.of, Evidence.COMPUTED)
CONFUSION = Measure("δ / chance that the best test errs", per_method(confusion), Evidence.EXACT)

chosen_rung = Method("private_chipo", lambda means: means[len(means) // 2])
ladder_end = Method("ladder_end", lambda means: means[0])
best_test, best_test_flipped = Method("best_test", False), Method("label_flip", True)


def tabular(experiment: PrivateChipo, point: Point) -> TabularCase:
    """The worst reward difference of rare good responses."""
    return TabularCase(**experiment.on_rare_arm(point))


def right(experiment: PrivateChipo, point: Point) -> RightCase:
    """The same, of Algorithm 1 for whatever is measured."""
    return RightCase(**experiment.on_rare_arm(point))


def margin(exponent: float) -> CaseOf:
    """Reward differences with P(Δ ≤ t) = t^exponent."""
    return lambda experiment, point: MarginCase(**experiment.on_rare_arm(point), exponent=exponent)


def one_difference(experiment: PrivateChipo, point: Point) -> ErrorCase:
    """The config's reward difference."""
    difference = experiment.config.difference
    return ErrorCase(**experiment.on_rare_arm(point), difference=difference)


def offset(experiment: PrivateChipo, point: Point) -> OffsetCase:
    """Rewards (0, x, 0.4)."""
    return OffsetCase(**experiment.common(point))


def linear(experiment: PrivateChipo, point: Point) -> LinearCase:
    """The instance, its θ along one direction."""
    fixed = experiment.config.fixed_kl_weight
    return LinearCase(**experiment.common(point), world=experiment.world, fixed_kl_weight=fixed)


def printed(finite: bool = False, order: Order = Order.CTL) -> CaseOf:
    """The log loss of Algorithm 1, minimised over policies; corrupted where α is swept."""

    def of(experiment: PrivateChipo, point: Point) -> PrintedCase:
        config = experiment.config
        return PrintedCase(
            **experiment.common(point), loss=LOG_LOSS, reward_bound=config.reward_bound,
            fixed_kl_weight=config.fixed_kl_weight, finite=finite,
            corruption=point.swept("corruption", 0.0), assumed_order=order, order=order,
        )  # fmt: skip

    return of


def falling(experiment: PrivateChipo, point: Point) -> NonparametricCase:
    """Preferences that fall no faster than L along the states."""
    fixed = experiment.config.fixed_kl_weight
    return NonparametricCase(**experiment.common(point), fixed_kl_weight=fixed)


def twins(experiment: PrivateChipo, point: Point) -> TwinCase:
    """Two worlds at the swept R_max."""
    world = TwinRewards(point.value)
    return TwinCase(methods=point.methods, epsilon=point.epsilon, world=world)


def of_ratio(kind: type[RatioCase]) -> CaseOf:
    """The known and the spurious world at the swept V_max/R_max."""
    return lambda experiment, point: kind(
        methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
        value_ratio=point.value, coverage=experiment.config.coverage,
        reward_bound=experiment.config.reward_bound,
    )  # fmt: skip


ratio, ratio_with_penalty = of_ratio(RatioCase), of_ratio(BoundCase)


def the_value(experiment: PrivateChipo, point: Point) -> PointCase:
    """The swept value alone."""
    return PointCase(methods=point.methods, value=point.value)


def confidence(experiment: PrivateChipo, point: Point) -> ConfidenceCase:
    """The known and the spurious world at the swept log(1/δ)."""
    return ConfidenceCase(
        methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
        log_inverse_delta=point.value, coverage=experiment.config.coverage,
        reward_bound=experiment.config.reward_bound,
    )  # fmt: skip


class PrivateChipoProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        num_states, coverage, reward_bound: S, C^π* and R_max where they are not swept.
        tuning: β = tuning·c·√(S/n)/√C.
        fixed_kl_weight: β of the control that does not tune it.
        difference: Δ of the row of the statistical error.
    """

    num_states: Count
    coverage: Positive
    reward_bound: Positive
    tuning: Positive
    fixed_kl_weight: Positive
    difference: Positive


LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
PRIVATE = (*LABELS, Need.PRIVACY)
FLOOR = (*LABELS, Need.ADVERSARY)


class PrivateChipo(Experiment[Case]):
    """Theorem 4.4 on rare good responses, an offset instance and linear rewards."""

    title = "P2 Theorem 4.4: offline χPO with the private log loss"
    settles = ("p2.thm_4_4", "p2.alg_1")
    config_type = PrivateChipoProbes
    config: PrivateChipoProbes

    rows = (
        Row("n_pairs_linear", "n_pairs", Slope(-0.5, "linear class: worst gap {rate}"), GAP,
            private_chipo, (fixed_kl_weight,), on=INSTANCE, given=linear, needs=LABELS),
        Row("n_pairs", "n_pairs", Slope(-0.5, "Algorithm 1: worst gap {rate}"), GAP,
            private_chipo, (fixed_kl_weight, label_flip), on="tabular", given=tabular,
            needs=LABELS),
        Row("n_pairs_offset", "n_pairs", Slope(-0.5, "rewards (0, x, 0.4): worst gap {rate}"), GAP,
            private_chipo, (naive_likelihood, epsilon_overstated, label_flip), on="offset",
            given=offset, needs=PRIVATE),
        Row("privacy_cost", "privacy_cost", Slope(1, "worst gap {rate}"), GAP, private_chipo,
            (naive_likelihood,), on="tabular", given=tabular, needs=PRIVATE),
        Row("num_states", "num_states", Slope(0.5, "worst gap {rate}"), GAP, private_chipo,
            (fixed_kl_weight,), on="tabular", given=tabular, needs=LABELS),
        Row("num_states_finite_class", "num_states",
            Slope(0.5, "class of 2^S policies: worst gap {rate}", symbol="log|Π|"), GAP,
            finite_class, (finite_class_label_flip,), on="tabular", given=tabular, needs=LABELS),
        Row("coverage", "coverage", Slope(0.5, "worst gap {rate}", symbol="C^π*"), GAP,
            private_chipo, (fixed_kl_weight,), on="tabular", given=tabular,
            needs=(*LABELS, Need.COVERAGE)),
        Row("margin_one", "n_pairs", Slope(-1, "P(Δ ≤ t) = t: gap {rate}"), MARGIN,
            private_chipo, (fixed_kl_weight,), on="tabular", given=margin(1.0), needs=LABELS),
        Row("margin_two", "n_pairs", Slope(-1.5, "P(Δ ≤ t) = t²: gap {rate}"), MARGIN,
            private_chipo, (fixed_kl_weight,), on="tabular", given=margin(2.0), needs=LABELS),
        Row("statistical_error", "n_pairs",
            Slope(-1, "err² {rate}; the proof's last display lacks 1/n"), ERROR, private_chipo,
            (naive_likelihood,), on="tabular", given=one_difference,
            needs=PRIVATE),
        Row("peak", "n_pairs", Ratio("the chosen Δ is the ladder's maximum"), PEAK, chosen_rung,
            (ladder_end,), on="tabular", given=right, needs=(Need.LABELS,)),
        Row("meta_theorem", "coverage", Inequality("Theorem C.1 holds for every policy"), BOUND,
            THEOREM_C_1, (COVERAGE_IGNORED,), on="every_policy", given=the_value,
            settles=("p2.thm_c_1",)),
        Row("printed", "n_pairs",
            Slope(-0.5, "log loss over log-linear policies: worst gap {rate}"), GAP, private_chipo,
            (fixed_kl_weight, label_flip), on="log_linear", given=printed(), needs=LABELS),
        Row("printed_finite", "n_pairs", Slope(-0.5, "log loss over 12 policies: worst gap {rate}"),
            GAP, private_chipo, (label_flip,), on="log_linear", given=printed(finite=True),
            needs=LABELS),
        Row("printed_privacy_cost", "privacy_cost",
            Slope(1, "log loss over log-linear policies: worst gap {rate}"), GAP, private_chipo,
            (naive_likelihood,), on="log_linear", given=printed(), needs=PRIVATE),
        Row("printed_ctl", "corruption",
            Slope(1, "CTL, log loss over log-linear policies: floor {rate}"), GAP, private_chipo,
            (fixed_kl_weight,), on="log_linear", given=printed(), needs=FLOOR,
            settles=("p2.alg_1",)),
        Row("printed_ltc", "corruption",
            Slope(1, "LTC, log loss over log-linear policies: floor {rate}"), GAP, private_chipo,
            (fixed_kl_weight,), on="log_linear", given=printed(order=Order.LTC), needs=FLOOR,
            settles=("p2.alg_1",)),
        Row("nonparametric", "n_pairs", Slope(-1 / 3, "log loss, class of entropy 1/τ: {rate}"),
            BEYOND_KNOWN, log_loss, (log_loss_fixed, log_loss_upside_down), on="falling",
            given=falling, needs=LABELS, settles=("own.metric_entropy",)),
        Row("nonparametric_privacy_cost", "privacy_cost",
            Slope(2 / 3, "log loss, class of entropy 1/τ: {rate}"), BEYOND_KNOWN, log_loss,
            (naive,), on="falling", given=falling, needs=PRIVATE, settles=("own.metric_entropy",)),
        Row("reward_growth", "reward_bound",
            Ratio("n ∝ C·c²·e^{2R_max}: the best test errs as a gap ∝ e^{R_max}·√C·c/√n says"),
            ERRS, best_test, (best_test_flipped,), on="twin_rewards", given=twins, needs=PRIVATE,
            settles=("own.reward_range",)),
        Row("value_ratio_tuned", "value_ratio",
            Slope(0.5, "β ∝ √(V_max/R_max): worst gap {rate}"), TUNED, root_of_the_ratio,
            (as_printed, free_of_the_ratio), on="spurious", given=ratio,
            settles=("own.value_ratio",)),
        Row("value_ratio_every_beta", "value_ratio", Slope(0.5, "best β: worst gap {rate}"),
            WORST, every_beta, (capped,), on="spurious", given=ratio,
            needs=(Need.TRUTH_HIDDEN,), settles=("own.value_ratio",)),
        Row("value_ratio_bound", "value_ratio",
            Inequality("gap ≤ 6√(C·err²) + (3V_max/R_max + ½)·err²/β + 2βC"), OVER_ROOT,
            with_the_ratio, (without_the_ratio,), on="spurious", given=ratio_with_penalty,
            needs=(Need.PESSIMISM,), settles=("own.value_ratio", "p2.thm_c_1")),
        Row("confidence", "log_inverse_delta",
            Slope(0.5, "β ∝ √log(|Π|/δ): quantile of the gap {rate}"), TUNED_QUANTILE,
            knows_delta, (free_of_delta,), on="spurious", given=confidence,
            settles=("p2.thm_4_4", "own.confidence")),
        Row("confidence_free", "log_inverse_delta",
            Slope(1, "β free of δ: quantile of the gap {rate}"), QUANTILE, free_of_delta,
            (knows_delta,), on="spurious", given=confidence, needs=(Need.TRUTH_HIDDEN,),
            settles=("own.confidence",)),
        Row("confidence_every_algorithm", "log_inverse_delta",
            Inequality("h(Δ) = c(ε)·√(ℓ/(n+ℓ)), ℓ = log(1/4δ): the best test errs with chance ≥ δ"),
            CONFUSION, root_of_log, (root_of_log_doubled,), on="spurious", given=confidence,
            needs=(Need.TRUTH_HIDDEN, Need.PRIVACY), settles=("own.confidence",)),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """As the row says."""
        return point.row.given(self, point)

    def common(self, point: Point) -> dict[str, Any]:
        """What every case has."""
        return {
            "methods": point.methods,
            "epsilon": point.epsilon,
            "n_pairs": point.n_pairs,
            "tuning": self.config.tuning,
        }

    def on_rare_arm(self, point: Point) -> dict[str, Any]:
        """The same, and the tabular world."""
        config = self.config
        states = int(point.swept("num_states", config.num_states))
        coverage = float(point.swept("coverage", config.coverage))
        world = RareGoodArm(states, coverage, config.reward_bound)
        return {
            **self.common(point), "world": world, "fixed_kl_weight": config.fixed_kl_weight
        }  # fmt: skip

    @cached_property
    def world(self) -> LinearWorld:
        """The linear world or the text pairs of the ``instance`` group."""
        choice = instance_choice(self.setting.instance)
        world = build_world(choice, self.setting.cache, "cpu")
        assert isinstance(world, LinearWorld)
        return world

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world."""
        fields = {
            "tabular": self.config.model_dump(include={"num_states", "coverage", "reward_bound"}),
            "offset": {"offset": OFFSET},
            INSTANCE: dict(self.setting.instance),
            "log_linear": SHAPE,
            "falling": {"num_states": STATES, "fall": FALL, "largest": LARGEST},
            "twin_rewards": {},
            "every_policy": {},
            "spurious": self.config.model_dump(include={"coverage", "reward_bound"}),
        }
        return {"world_fields": fields[row.on]}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The worst instance is interior at both ends of every sweep, and realizable."""
        return tuple(
            AssumptionResult(
                f"{place}: worst instance interior",
                *case.interior(trial.row.method.run),
            )
            for kind in (ChipoCase, NonparametricCase)
            for trial, place, case in self.ends(kind)
        )
