"""P1 Theorem 5.2: the regret of private online KL-regularised RLHF is logarithmic.

Statement (arXiv 2510.13512, Theorem 5.2).  With probability at least 1−δ, Algorithm 2 has

    Σ_{t≤T} J(π*) − J(π²_t) = O( β·d_F·e^{2B}/(2α−1)² · log(N_F·T/δ) ).

In code: β is 1/kl_weight, 1/(2α−1) is privacy_cost, d_F the pair eluder dimension
(Definition 3.5), N_F the class size or a covering number, B reward_bound.

Testable: regret per round ∝ 1/t along a run (Γ_T is constant along it); the rate dRegret/dlog T,
which the paper leaves implicit and a second-order expansion gives in closed form
(``repro.families.online_kl.bounds_regret``); its exponents in c(ε), d and β; that exploration is
needed.

Read with the statement:
- For a linear class d_F itself grows like log T, so the printed bound is log²T across horizons;
  along one run the regret is logarithmic.  So is what is measured: with Γ_T of each horizon the
  regret per unit of log T is the closed form whose Γ² part is ∝ log(N_F·T/δ) (row
  ``across_horizons``; its control sets Γ without T).
- For a finite class regret stops growing once the class is identified (row ``finite_class``): less
  than the bound, and no logarithm.  Γ_T there is that of the linear class, more than it needs.
- With the constant that the proof of Lemma C.3 gives, Γ_T ≈ 700 at ε = 1: the bonus is clipped
  at 1 for every response until t ≈ 1e4, and the regret per round then *rises* until t ≈ 1e6
  (row ``proven_bonus_clips``); the log rate appears from about 1e8 (row ``proven_bonus``), with a
  constant three thousand times that of a sane Γ.
- The cap min{1, ·} of eq. (13) breaks the optimism of Lemma C.4 when B > 1/2: see the
  experiment ``optimism_event``, rows ``cap_one`` and ``cap_two_bounds``.

``reward_class=`` replaces the ball in rows on random worlds: least squares is taken over the
class, and its B and log N are those of Γ_T (docs/explanations/reward_classes.md).

The bonus alone, with the truth for an estimate, has regret ∝ 1/t too: in closed form, and taken
off in row ``horizon``; the rows ``constant_*`` hold both parts together as numbers.

What would refute it: regret per round that falls slower than 1/t, or an exponent above the
printed one.  Two-sided rows are on instances where the closed form has exactly that exponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from repro.base.schema import Count
from repro.families.online_kl import wrong_pokl as wrong
from repro.families.online_kl.algorithms_bonus import proven_weight
from repro.families.online_kl.bounds_regret import akaike_weight
from repro.families.online_kl.cases import (
    OnlineCase,
    OnlineExperiment,
    OnlineProbes,
    realizable,
    small_ridge,
    surrounded,
    with_class,
)
from repro.families.online_kl.quantities import (
    BEYOND_BONUS,
    CURIOUS_REGRET,
    RATE,
    RATE_OVER_CLOSED_FORM,
    REGRET,
    of_curve,
)
from repro.families.online_kl.run_setting import RunSetting
from repro.families.online_kl.simulation import RegretCurve
from repro.families.online_kl.wrong_pokl import finite_class, pokl, without_exploration
from repro.policies.reward_class import RewardClass
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Method, Need, Row


class LogRegretProbes(OnlineProbes):
    """Numbers of the experiment; conf/theorem/log_regret.yaml gives them."""

    class_size: Count


Given = Callable[[OnlineCase, LogRegretProbes], OnlineCase]
"""What a row changes of a case."""


def proven(case: OnlineCase, config: LogRegretProbes) -> OnlineCase:
    """Γ_T has the constant of Lemma C.3's proof."""
    return replace(case, weight=proven_weight)


def with_finite_class(case: OnlineCase, config: LogRegretProbes) -> OnlineCase:
    """A finite class beside the linear one."""
    return replace(case, class_size=config.class_size)


def sane_bonus(case: OnlineCase) -> RunSetting:
    """Wrong for a claim about the proof's Γ_T: the printed one with its constant c."""
    return replace(case, weight=case.exploration.weight).setting


def growth(case: OnlineCase, curve: RegretCurve) -> list[float]:
    """M Akaike weights."""
    return [akaike_weight(curve.times, column) for column in curve.cumulative.swapaxes(0, 1)]


def saturation(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) regret up to T over that up to T/100."""
    earlier = np.searchsorted(curve.times, curve.times[-1] / 100)
    return curve.cumulative[-1] / curve.cumulative[earlier]


WEIGHT = of_curve("Akaike weight of log T against √T", growth)
SATURATION = of_curve("regret(T) / regret(T/100)", saturation)

PROVEN_BONUS = Method("proven_bonus", pokl.run)
SANE_BONUS = Method("pokl", sane_bonus)
PER_ROUND = "regret {rate}"
HIDDEN_ARM = "hidden_arm"
CLOSED_FORM = Ratio("rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)")
PRIVATE = (Need.LABELS, Need.PRIVACY)
HIDDEN = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)


class LogRegret(OnlineExperiment):
    """Theorem 5.2 and its parts, each on the smallest world that shows it."""

    title = "P1 Theorem 5.2: logarithmic regret of private online KL-regularised RLHF"
    settles = ("p1.thm_5_2",)
    config_type = LogRegretProbes
    config: LogRegretProbes

    rows = (
        Row("horizon", "horizon",
            Slope(-1, "Algorithm 2: regret {rate} beyond the bonus's own", symbol="t"),
            BEYOND_BONUS, pokl, (wrong.naive_labels, wrong.epsilon_overstated), on=INSTANCE,
            needs=HIDDEN),
        Row("growth", "horizon", Ratio("cumulative regret is a + b·log T, not a + b·√T"), WEIGHT,
            pokl, (wrong.naive_labels,), on=INSTANCE, needs=PRIVATE),
        Row("constant_privacy_cost", "privacy_cost", CLOSED_FORM, RATE_OVER_CLOSED_FORM, pokl,
            (without_exploration, wrong.epsilon_overstated), on=INSTANCE, needs=HIDDEN),
        Row("constant_kl_weight", "kl_weight", CLOSED_FORM, RATE_OVER_CLOSED_FORM, pokl,
            (without_exploration,), on="steady_policy", needs=HIDDEN),
        Row("privacy_cost", "privacy_cost", Slope(2, "rate {rate}"), RATE, pokl,
            (wrong.naive_labels,), on=INSTANCE, needs=PRIVATE),
        Row("num_features", "num_features", Slope(1, "rate {rate} (exploitation alone)",
            tolerance=0.1), RATE, without_exploration, (wrong.frozen_features,), on="features",
            needs=HIDDEN),
        Row("kl_weight", "kl_weight", Slope(-1, "rate {rate} = β"), RATE, pokl,
            (wrong.inverted_kl_weight,), on="steady_policy", needs=PRIVATE),
        Row("across_horizons", "horizon",
            Ratio("Γ_T of each horizon: the rate grows like log(N·T/δ), the regret like log²T"),
            RATE_OVER_CLOSED_FORM, wrong.bonus_of_horizon, (wrong.bonus_without_horizon,),
            on=INSTANCE, needs=HIDDEN),
        Row("finite_class", "horizon",
            Ratio("finite class: regret stops growing once the class is identified",
            tolerance=0.02), SATURATION, finite_class, (wrong.linear_class,), on=INSTANCE,
            given=with_finite_class, needs=(Need.LABELS,)),
        Row("proven_bonus", "horizon", Slope(-1, "the proof's Γ_T: regret {rate} at t ≥ 1e8",
            symbol="t"), REGRET, PROVEN_BONUS, (wrong.naive_labels,), on=INSTANCE, given=proven,
            needs=PRIVATE),
        Row("proven_bonus_clips", "horizon",
            Slope(0, "the proof's Γ_T: regret per round {rate} from 1e5 to 1e6", "at_least",
            symbol="t"), CURIOUS_REGRET, PROVEN_BONUS, (SANE_BONUS,), on=INSTANCE, given=proven,
            needs=(Need.OPTIMISM,)),
        Row("exploration", "horizon", Slope(-1, "hard instance: exploration keeps regret {rate}",
            "at_most", tolerance=0.1, symbol="t"), REGRET, pokl, (without_exploration,),
            on=HIDDEN_ARM, needs=(Need.LABELS, Need.OPTIMISM)),
    )  # fmt: skip

    def case(self, point: Point) -> OnlineCase:
        """The case, with what the row is about in place."""
        case, given = super().case(point), point.row.given
        case = with_class(case, self.selected(point.row))
        return given(case, self.config) if given else case

    def selected(self, row: Row) -> RewardClass | None:
        """The run's class, in rows of a random world that fit no class of their own.

        The hidden arm is built for the ball, and ``finite_class`` is about a finite one.
        """
        own = row.on == HIDDEN_ARM or row.given is with_finite_class
        return None if own else self.setting.reward_class

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world, and the class that was selected in place of the ball."""
        chosen = self.selected(row)
        found = super().world_numbers(row)
        return found if chosen is None else {**found, "reward_class": str(chosen)}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 on every world, λ ≤ Γ_T²/2, and the truth inside of the class."""
        chosen = self.setting.reward_class
        inside = () if chosen is None else (surrounded,)
        return self.at_both_ends(OnlineCase, realizable, small_ridge, *inside)
