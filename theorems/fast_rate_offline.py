"""P2 Proposition E.1: fast rates for the KL-regularised objective, and the floor it misprints.

Statement (Proposition E.1).  There are offline algorithms such that with probability 1−δ

    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·c(ε)²·log(|G|/δ) )                  privacy only,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + α²) )           CTL,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + c(ε)²·α²) )     LTC.

In code: T is horizon, β kl_weight, log|G| is of the order of the number of states S.

Privacy only is held two-sided on a plug-in policy with tabular rewards: exponents −1 in T, 2 in
c(ε), −1 in β (D² and the reward fixed, Δ ≪ β), 1 in S; with a linear class, on a linear world or
on text pairs (instance=preference_text), −1 in T.

The printed CTL and LTC bounds divide α² by T.  That cannot be: by Lemma 3.3 the squared error over
T labels is c²·log|G| + T·α², so after division by T the floor α² stays.  Row printed_floor_*
measures the paper's own algorithm against the worst Huber adversary; rows printed_floor_any_*
settle the matter for every algorithm: Δ and Δ' with tanh(Δ/2) − tanh(Δ'/2) = 2α/(1−α) (times c
under LTC) give the very same distribution of corrupted labels, so on one of the two every
algorithm has at least the gap of the best compromise policy, computed exactly, whatever T (a
guarantee with probability above ½ in both would need a policy that is good in both).  All
assumptions hold (α < 1/2, realizable rewards, D² finite: two responses, uniform π_ref).  The
corrected form is

    D²/β·(c(ε)²·log(|G|/δ)/T + α²)   and   D²/β·(c(ε)²·log(|G|/δ)/T + c(ε)²·α²):

rows floor_* hold its exponents 2 in α and 2 in c(ε) (LTC), and, as numbers that know neither T nor,
under CTL, ε, the floor itself: labels that say nothing and a learner who debiases too much leave
floors of the same exponents, but other ones.  So it is with 1/β.  The same code without an
adversary has exponent −1 in T (control without_adversary of floor_horizon_*), so that the
contradiction is the adversary's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Count, KLWeight, Positive, Probability
from repro.corruption.huber_square import reported_mean
from repro.corruption.orders import Order
from repro.families.chipo.algorithms_plugin import PluginStudy
from repro.families.chipo.plugin_cases import (
    FastRateCase,
    LinearPluginCase,
    PluginCase,
    any_algorithm,
    corruption_after_privacy,
    corruption_before_privacy,
    inverted_kl_weight,
    linear_gaps,
    naive_likelihood,
    plugin,
    plugin_gap,
    without_adversary,
    without_privacy_cost,
)
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, per_method

QUANTITY = "regularised suboptimality [reward]"
GAP = Measure(QUANTITY, per_method(plugin_gap), Evidence.MEASURED)
LINEAR_GAP = Measure(QUANTITY, linear_gaps, Evidence.MEASURED)


def over(quantity: str, unit: Callable[[PluginCase], float]) -> Measure:
    """The gap over a number that each case knows."""

    def one(case: PluginCase, method: Method, rng: np.random.Generator, replicates: int):
        return plugin_gap(case, method, rng, replicates) / unit(case)

    return Measure(quantity, per_method(one), Evidence.MEASURED)


def over_floor(order: Order) -> Measure:
    """The gap over what corruption leaves at T = ∞."""

    def floor(case: PluginCase) -> float:
        return case.study.floor(1.0 if order is Order.CTL else privacy_cost(case.epsilon))

    return over("regularised suboptimality / its limit", floor)


OVER_NOISE = over("regularised suboptimality / predicted",
                  lambda case: case.study.noise_gap(case.epsilon))  # fmt: skip
OVER_CTL, OVER_LTC = over_floor(Order.CTL), over_floor(Order.LTC)
LEAST_GAP = Measure(QUANTITY, per_method(plugin_gap), Evidence.COMPUTED)

linear_plugin = Method("plugin", lambda epsilon: epsilon)
linear_naive = Method("naive_likelihood", lambda epsilon: np.inf, privacy_mistake=True)


@dataclass(frozen=True)
class Corruption:
    """What happens to labels besides privacy.

    Attributes:
        order: of corruption and privacy.
        share: multiple of the α in force.
        twins: whether two worlds are to send the same reports.
    """

    order: Order = Order.CTL
    share: float = 1.0
    twins: bool = False


PRIVACY_ONLY = Corruption(share=0.0)
CTL, LTC = Corruption(), Corruption(Order.LTC)
CTL_TWINS, LTC_TWINS = Corruption(twins=True), Corruption(Order.LTC, twins=True)

LEARNS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
CORRUPTED = (Need.TRUTH_HIDDEN, Need.ADVERSARY)
DECEIVED = (*LEARNS, Need.ADVERSARY)
ORDERED = (*DECEIVED, Need.ORDER)
FLOOR = "corruption leaves a floor α², which the printed bound divides by T"


class FastRateOfflineProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        num_states, kl_weight, difference: S, β and Δ where they are not swept.
        corruption: α where it is not swept.
    """

    num_states: Count
    kl_weight: KLWeight
    difference: Positive
    corruption: Probability


class FastRateOffline(Experiment[FastRateCase]):
    """Proposition E.1 and the corrected form of its floors."""

    title = "P2 Proposition E.1: offline fast rates, and the floor of corruption"
    settles = ("p2.prop_e_1",)
    config_type = FastRateOfflineProbes
    config: FastRateOfflineProbes

    rows = (
        Row("horizon_linear", "horizon", Slope(-1, "privacy only, linear class: {rate}"),
            LINEAR_GAP, linear_plugin, (linear_naive,), on=INSTANCE, needs=LEARNS),
        Row("horizon", "horizon", Slope(-1, "privacy only: {rate}"), GAP, plugin,
            (naive_likelihood,), on="tabular", given=PRIVACY_ONLY, needs=LEARNS),
        Row("privacy_cost", "privacy_cost", Slope(2, "privacy only: {rate}"), GAP, plugin,
            (naive_likelihood,), on="tabular", given=PRIVACY_ONLY, needs=LEARNS),
        Row("kl_weight", "kl_weight",
            Ratio("privacy only: gap → Var(π*)·Var(Δ̂)/(2β), Var(Δ̂) = 8·S·(c² − h²)/((1 − h²)²·T)"),
            OVER_NOISE, plugin, (inverted_kl_weight, naive_likelihood), on="tabular",
            given=PRIVACY_ONLY, needs=LEARNS),
        Row("num_states", "num_states", Slope(1, "privacy only: {rate}"), GAP, plugin,
            (naive_likelihood,), on="tabular", given=PRIVACY_ONLY, needs=LEARNS),
        Row("printed_floor_ctl", "horizon", Slope(-1, "as printed, CTL: {rate}", "at_most"), GAP,
            plugin, on="tabular", given=CTL, needs=CORRUPTED, expected="contradicted", why=FLOOR),
        Row("printed_floor_ltc", "horizon", Slope(-1, "as printed, LTC: {rate}", "at_most"), GAP,
            plugin, on="tabular", given=LTC, needs=CORRUPTED, expected="contradicted", why=FLOOR),
        Row("printed_floor_any_ctl", "horizon",
            Slope(-1, "as printed, CTL, least gap of any algorithm: {rate}", "at_most"),
            LEAST_GAP, any_algorithm, on="tabular", given=CTL_TWINS, expected="contradicted",
            why=FLOOR),
        Row("printed_floor_any_ltc", "horizon",
            Slope(-1, "as printed, LTC, least gap of any algorithm: {rate}", "at_most"),
            LEAST_GAP, any_algorithm, on="tabular", given=LTC_TWINS, expected="contradicted",
            why=FLOOR),
        Row("floor_horizon_ctl", "horizon",
            Ratio("corrected, CTL: gap → gap of E[y] = (1−α)h − α at every T"), OVER_CTL, plugin,
            (without_adversary,), on="tabular", given=CTL, needs=ORDERED),
        Row("floor_horizon_ltc", "horizon",
            Ratio("corrected, LTC: gap → gap of E[y] = (1−α)h − c·α at every T"), OVER_LTC, plugin,
            (without_adversary,), on="tabular", given=LTC, needs=ORDERED),
        Row("floor_corruption_ctl", "corruption", Slope(2, "corrected, CTL: floor {rate}"), GAP,
            plugin, (without_privacy_cost,), on="tabular", given=CTL,
            needs=DECEIVED),
        Row("floor_corruption_ltc", "corruption", Slope(2, "corrected, LTC: floor {rate}"), GAP,
            plugin, (without_privacy_cost,), on="tabular", given=LTC,
            needs=DECEIVED),
        Row("floor_privacy_cost_ctl", "privacy_cost",
            Ratio("corrected, CTL: floor → gap of E[y] = (1−α)h − α, free of c(ε)"), OVER_CTL,
            plugin, (corruption_after_privacy,), on="tabular", given=CTL, needs=ORDERED),
        Row("floor_privacy_cost_ltc", "privacy_cost", Slope(2, "corrected, LTC: floor {rate}"),
            GAP, plugin, (corruption_before_privacy,), on="tabular", given=LTC,
            needs=ORDERED),
        Row("floor_kl_weight", "kl_weight",
            Ratio("corrected, CTL: floor → β·KL between σ(Δ'/β), tanh(Δ'/2) = E[y], and σ(Δ/β)"),
            OVER_CTL, plugin, (inverted_kl_weight,), on="tabular", given=CTL, needs=ORDERED),
    )  # fmt: skip

    def case(self, point: Point) -> FastRateCase:
        """World and labels of one grid point."""
        common = {"methods": point.methods, "epsilon": point.epsilon, "horizon": point.horizon}
        corruption, numbers = point.row.given, self.config
        if corruption is None:
            return LinearPluginCase(**common, world=self.world)
        return PluginCase(
            **common,
            num_states=int(point.swept("num_states", numbers.num_states)),
            difference=numbers.difference,
            kl_weight=point.swept("kl_weight", numbers.kl_weight),
            corruption=corruption.share * point.swept("corruption", numbers.corruption),
            order=corruption.order,
        )

    @cached_property
    def world(self) -> LinearWorld:
        """The linear world or the text pairs of the ``instance`` group."""
        choice = instance_choice(self.setting.instance)
        world = build_world(choice, self.setting.cache, self.setting.device)
        assert isinstance(world, LinearWorld)
        return world

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the instance, or of the tabular world and α."""
        if row.given is None:
            return {"world_fields": dict(self.setting.instance)}
        fields = self.config.model_dump(include={"num_states", "kl_weight", "difference"})
        return {"world_fields": fields, "corruption": row.given.share * self.config.corruption}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2, realizable differences, and twins with equal reports where they are used."""
        found = []
        for trial in self.trials:
            case = trial.cases[-1]
            if isinstance(case, PluginCase):
                found.append(_realizable(trial.row.name, case.study))
                if trial.row.given.twins:
                    found.append(_twins_agree(trial.row.name, case.study))
        return tuple(found)


def _realizable(name: str, study: PluginStudy) -> AssumptionResult:
    alpha = study.reports.corruption
    fits = alpha < 0.5 and study.difference < study.reward_bound
    detail = f"Δ = {study.difference:g}, α = {alpha:g}"
    return AssumptionResult(f"{name}: realizable, α < 1/2", fits, detail)


def _twins_agree(name: str, study: PluginStudy) -> AssumptionResult:
    """Both worlds' corrupted labels have one distribution, the twin's adversary reporting +1."""
    reports, clean = study.reports, np.tanh(study.twin_difference() / 2)
    twin = reported_mean(clean, reports.cost, reports.corruption, reports.order, 1.0)
    apart = abs(float(twin) - study.report_mean)
    detail = f"difference of E[z] = {apart:.1e}"
    return AssumptionResult(f"{name}: the twins' labels agree", apart < 1e-12, detail)
