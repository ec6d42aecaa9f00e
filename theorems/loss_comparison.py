"""Which loss for privatised labels?  P2's open question (§6): log loss or square loss.

§6 asks for a comparison of log and square loss in the private setting; §5 recommends the square
loss under corruption because it is bounded.  Here the mixture log loss (Lemma 3.1), the square
loss (Lemma 3.3) and the debiased log loss (Chowdhury et al.; P4) are compared where they differ,
in unsaturated classes (in a saturated class all three coincide).  Every loss has a score
w(s)·(p̂ − σ(s))·x; the risk, E_x⟨x, θ̂ − θ⟩², is

    squared bias against the loss's own worst Huber adversary + trace of the sandwich / n.

The scalar world has x uniform (by quadrature) with rewards filling [−B, B]; the other has five
Gaussian features; with instance=preference_text the pairs are texts.

Testable: simulated over predicted risk is 1 for each loss under privacy only, CTL and LTC (54
cells on the scalar world); the exact bias is the influence function's as α → 0; square ≡ mixture
as ε → 0 and debiased ≡ mixture as ε → ∞; at ε = 1 the square loss needs at most 1 % more labels
than the mixture for every B ≤ 12, the debiased loss far more.  ``python -m repro.which_loss``
draws the map over (ε, α, n) and says who wins by how much, small n included.

Against an adversary who sees past labels each loss loses at most a factor 1.15 where it learns,
and the map's best loss stays within 2 % of the best at every place (row ``past_labels``;
docs/explanations/adaptive_adversary.md, Theorem 3).

Controls: a likelihood that ignores privacy; the influence of the other order; another loss's
variance.  What would refute the comparison: simulated risks off the predicted ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from repro.base.schema import Positive, Probability, RewardBound
from repro.corruption.orders import Order
from repro.families.losses.risk_cases import RiskCase, bias_ratio, risk_ratio, variance_ratio
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.losses.label_losses import (
    DebiasedLoss,
    LabelLoss,
    MixtureLoss,
    NaiveLoss,
    SquareLoss,
)
from repro.losses.loss_map import ADVERSARIES, TIE
from repro.losses.past_labels import (
    MapCase,
    always_debiased,
    best_where_nothing_is_seen,
    excess,
)
from repro.losses.worlds import (
    LogisticWorld,
    gaussian_world,
    logistic_world,
    scalar_world,
)
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Ratio
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, per_method


def over_tie(case: MapCase, chosen: Method, rng: object, replicates: int) -> float:
    """Largest ratio of errors over that of a tie."""
    return excess(case, chosen, rng, replicates) / (1 + TIE)


RISK = Measure("simulated risk / predicted risk", per_method(risk_ratio), Evidence.MEASURED)
BIAS = Measure(
    "squared bias / squared bias by the influence function", per_method(bias_ratio), Evidence.EXACT
)
VARIANCE = Measure(
    "variance / variance of the mixture loss", per_method(variance_ratio), Evidence.COMPUTED
)
TOLERATED = Measure("variance / (1 + tolerated)·variance of the mixture loss",
                    per_method(variance_ratio), Evidence.COMPUTED)  # fmt: skip

EXCESS = Measure("error / 1.02 times that of the best loss", per_method(over_tie),
                 Evidence.COMPUTED)  # fmt: skip

mixture = Method("mixture", MixtureLoss)
square = Method("square", SquareLoss)
debiased = Method("debiased", DebiasedLoss)
LOSSES = (mixture, square, debiased)
naive = Method("naive", NaiveLoss, privacy_mistake=True)


other_order = Method("other_order", lambda order: order.swapped, privacy_mistake=True)
"""Wrong: corruption and privacy in the other order."""


@dataclass(frozen=True)
class Pairs:
    """A world by the bound B of its rewards.

    Attributes:
        on: its name.
        words: the same for a reader.
        build: (experiment, B) → the world.
    """

    on: str
    words: str
    build: Callable[[LossComparison, float], LogisticWorld]


@dataclass(frozen=True)
class Corruption:
    """What happens to labels besides privacy.

    Attributes:
        end: of the names of rows.
        words: the same for a reader.
        order: of corruption and privacy.
        share: multiple of the α in force.
    """

    end: str
    words: str
    order: Order = Order.CTL
    share: float = 1.0


@dataclass(frozen=True)
class Setting:
    """What a row's cases are built from.

    Attributes:
        kind: of the loss under test.
        pairs: world.
        corruption: of its labels.
        tolerates: whether the config's tolerated excess of variance is allowed.
    """

    kind: type[LabelLoss]
    pairs: Pairs
    corruption: Corruption
    tolerates: bool = False

    def case(self, experiment: LossComparison, point: Point) -> RiskCase:
        """Loss, world and labels of one grid point."""
        numbers, corruption = experiment.config, self.corruption
        bound = point.swept("reward_bound", numbers.reward_bound)
        return RiskCase(
            methods=point.methods,
            epsilon=point.epsilon,
            n_pairs=point.given.n_pairs or 0,
            kind=self.kind,
            world=self.pairs.build(experiment, bound),
            corruption=corruption.share * point.swept("corruption", numbers.corruption),
            assumed_order=corruption.order,
            order=corruption.order,
            tolerated=numbers.tolerated if self.tolerates else 0.0,
        )

    def alpha(self, experiment: LossComparison) -> float:
        """α where it is not swept."""
        return self.corruption.share * experiment.config.corruption


class WholeMap:
    """The map's own places, α and orders at one ε."""

    def case(self, experiment: LossComparison, point: Point) -> MapCase:
        """Everything but ε is the map's."""
        return MapCase(methods=point.methods, epsilon=point.epsilon)

    def alpha(self, experiment: LossComparison) -> float:
        """The map's least."""
        return min(alpha for alpha, _ in ADVERSARIES if alpha)


_scalar_world, _gaussian_world = lru_cache(scalar_world), lru_cache(gaussian_world)

SCALAR = Pairs("scalar", "scalar reward", lambda experiment, bound: _scalar_world(bound))
FIVE = Pairs("five", "five features", lambda experiment, bound: _gaussian_world(bound))
TEXT_OR_LINEAR = Pairs(INSTANCE, "instance", lambda experiment, bound: experiment.instance)

CLEAN = Corruption("", "privacy only", share=0.0)
CTL = Corruption("_ctl", "CTL")
LTC = Corruption("_ltc", "LTC", Order.LTC)

PRIVATE = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
CORRUPTED = (*PRIVATE, Need.ADVERSARY, Need.ORDER)


def risk_row(
    loss: Method, end: str, pairs: Pairs, corruption: Corruption, words: str,
    needs: tuple[Need, ...] = PRIVATE,
) -> Row:  # fmt: skip
    """Simulated against predicted risk of one loss."""
    return Row(f"risk_{loss.name}{end}", "privacy_cost", Ratio(f"{words}: as predicted"), RISK,
        loss, (naive,), on=pairs.on, given=Setting(loss.run, pairs, corruption), needs=needs,
    )  # fmt: skip


def risk_rows(
    pairs: Pairs, corruption: Corruption, end: str = "", needs: tuple[Need, ...] = PRIVATE
) -> tuple[Row, ...]:
    """The same for every loss, in one setting."""
    words = f"{pairs.words}, {corruption.words}"
    ends = end + corruption.end
    return tuple(risk_row(loss, ends, pairs, corruption, words, needs) for loss in LOSSES)


def influence_row(loss: Method, corruption: Corruption) -> Row:
    """The exact limit of one loss against its influence function."""
    words = f"{corruption.words}: bias = α·influence as α → 0"
    return Row(f"influence_{loss.name}{corruption.end}", "corruption",
        Ratio(words, tolerance=0.02), BIAS, Method(loss.name, lambda order: order),
        (other_order,), on=SCALAR.on, given=Setting(loss.run, SCALAR, corruption), needs=CORRUPTED,
    )  # fmt: skip


class LossComparisonProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        reward_bound: B where it is not swept.
        corruption: α of the corrupted rows.
        tolerated: the square loss's allowed excess of labels over the mixture at ε = 1.
    """

    reward_bound: RewardBound
    corruption: Probability
    tolerated: Positive


class LossComparison(Experiment[Case]):
    """Asymptotic efficiency, worst-case bias, and simulation."""

    title = "P2 §6: log, square or debiased loss for privatised labels"
    settles = ("p2.sec_6",)
    config_type = LossComparisonProbes
    config: LossComparisonProbes

    rows = (
        *(risk_row(loss, "_instance", TEXT_OR_LINEAR, CLEAN, "privacy only") for loss in LOSSES),
        *risk_rows(SCALAR, CLEAN),
        *risk_rows(SCALAR, CTL, needs=CORRUPTED),
        *risk_rows(SCALAR, LTC, needs=CORRUPTED),
        *risk_rows(FIVE, CLEAN, "_five"),
        *risk_rows(FIVE, LTC, "_five", CORRUPTED),
        *(influence_row(loss, order) for order in (CTL, LTC) for loss in LOSSES),
        Row("square_is_mixture", "privacy_cost",
            Ratio("square ≡ mixture as ε → 0", tolerance=0.01), VARIANCE, square, (debiased,),
            on=SCALAR.on, given=Setting(SquareLoss, SCALAR, CLEAN)),
        Row("debiased_is_mixture", "privacy_cost",
            Ratio("debiased ≡ mixture as ε → ∞", tolerance=0.01), VARIANCE, debiased, (square,),
            on=SCALAR.on, given=Setting(DebiasedLoss, SCALAR, CLEAN)),
        Row("square_loses_little", "reward_bound",
            Inequality("at ε = 1 square needs at most 1 % more labels for every B"), TOLERATED,
            square, (debiased,), on=SCALAR.on,
            given=Setting(SquareLoss, SCALAR, CLEAN, tolerates=True), fixed=("epsilon",)),
        Row("past_labels", "privacy_cost",
            Inequality("who sees past labels: the map's best loss is within 2 % of the best"),
            EXCESS, best_where_nothing_is_seen, (always_debiased,), on=SCALAR.on,
            given=WholeMap(), settles=("p2.sec_6", "own.adaptive_adversary")),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """As the row says."""
        return point.row.given.case(self, point)

    @cached_property
    def instance(self) -> LogisticWorld:
        """The pairs of the ``instance`` group."""
        choice = instance_choice(self.setting.instance)
        world = build_world(choice, self.setting.cache, "cpu")
        assert isinstance(world, LinearWorld)
        return logistic_world(world)

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """B where it is not swept, and α."""
        alpha = row.given.alpha(self)
        return {"reward_bound": self.config.reward_bound, "corruption": alpha}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Limits lie inside the class, so that the expansion around them is in its interior."""
        return tuple(_inside(place, case) for _, place, case in self.ends(RiskCase))


def _inside(where: str, case: RiskCase) -> AssumptionResult:
    share = float(case.actual.limit.norm()) / case.world.radius
    name = f"{where}: limit inside the class"
    return AssumptionResult(name, share < 1, f"‖θ‖/radius = {share:.3g}")
