"""P1 Lemmas C.2, C.3 and C.4: the events on which the regret bound of Theorem 5.2 stands.

Statements (arXiv 2510.13512, appendix C), each with probability at least 1−δ for all t ≤ T:

    C.2   Σ (ĥ_t − h*)² ≤ 8σ²·log(T·N/δ), ĥ_t the least-squares fit, noise σ-sub-Gaussian;
    C.3   Σ (Δ^r* − Δ^r̄_t)² ≤ 8(e^−B + 2 + e^B)²/(2α−1)²·log(T·N/δ) = Γ_T²/2;
    C.4   r̄_t + b_t + c_t − r* ≥ 0 everywhere, c_t(s) = E_{a~π¹}[r* − r̄_t],

and, as the proof of Theorem 5.2 uses it, J(π*) − J(π²_t) ≤ 4β·E_{π²}[b²] on the event of C.4.

Testable: how often each fails, and by how much the bound exceeds what it bounds (the largest
ratio over all runs and times: C.2 and C.3 hold in every run, with much to spare).  Short horizons
are checked at every t, long ones at the times of a geometric grid, where failures may be missed.

Contradicted as printed: C.4 with the bonus of eq. (13), b = min{1, Γ_T·U}.  Its proof ends with
"U·Γ_T = b", which the cap makes false.  Rewards lie in [0, B], so r* − r̄ − c reaches 2B: with
B > 1/2 a wrong estimate puts it above the cap (row ``cap_one``; ``cap_one_small_bound`` shows
that B < 1/2 is safe).  All assumptions hold there: two rewards (B, 0) and (0, B), realizable,
Bradley–Terry, λ = 1 ≤ Γ_T²/2.  Corrected form: b = min{2B, Γ_T·U} (row ``cap_two_bounds``).

Slack: the event of C.4 keeps to its probability with a twentieth of Γ_T, and a hundredth of it
still bounds the regret; the controls are the next that do not.  The control of the first rows is
least squares without the factor 2α−1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from repro.base.schema import Count
from repro.families.online_kl.algorithms_bonus import proven_weight
from repro.families.online_kl.algorithms_finite import RandomFinite, two_rewards
from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.bounds_events import (
    bonus_bound,
    in_sample_error,
    optimism_deficit,
    reward_error,
)
from repro.families.online_kl.cases import OnlineCase, OnlineExperiment, OnlineProbes, small_ridge
from repro.families.online_kl.quantities import Reading, runs
from repro.families.online_kl.run_setting import RewardsOn, RunSetting
from repro.families.online_kl.simulation import RegretCurve, Watch
from repro.families.online_kl.wrong_pokl import (
    CLASS_SEED,
    hundredth_bonus,
    naive_labels,
    pokl,
    shrunken_bonus,
)
from repro.study.case import Point
from repro.study.claims import Frequency, Inequality
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, Values, method

EVERY_ROUND_UP_TO = 100
"""Horizons up to here are checked at every t."""
SLACK = 1e-9
Side = Callable[[OnlineCase], Watch]
"""What is watched of a case's rounds: left over right side, or whether an event fails."""


class OptimismEventProbes(OnlineProbes):
    """Numbers of the experiment; conf/theorem/optimism_event.yaml gives them."""

    class_size: Count


@method
def cap_one(case: OnlineCase) -> RunSetting:
    """b = min{1, Γ_T·U}, as printed."""
    return replace(case.setting, bonus_cap=1.0)


@method
def cap_two_bounds(case: OnlineCase) -> RunSetting:
    """b = min{2B, Γ_T·U}."""
    return replace(case.setting, bonus_cap=2 * case.world.reward_bound)


def fit_error(case: OnlineCase) -> Watch:
    """Lemma C.2."""
    size = case.rewards(case.world).log_size(case.exploration.net_radius)
    logs = math.log(case.horizon / case.exploration.failure_prob) + size
    return lambda game, now: in_sample_error(game, now, logs)


def difference_error(case: OnlineCase) -> Watch:
    """Lemma C.3."""
    weight = case.setting.bonus_weight
    return lambda game, now: reward_error(game, now, weight)


def not_optimistic(case: OnlineCase) -> Watch:
    """1.0 where the event of Lemma C.4 fails."""
    return lambda game, now: (optimism_deficit(game, now) > SLACK).double()


def regret_over_bonus(case: OnlineCase) -> Watch:
    """The last step of Theorem 5.2's proof; NaN off the event of C.4, which it stands on.

    A bonus below Γ_T (the control) is measured off the event too.
    """
    weight = case.setting.bonus_weight

    def watch(game, now) -> torch.Tensor:
        counts = (optimism_deficit(game, now) <= SLACK) | (game.batch.bonus_weight < weight)
        return bonus_bound(game, now).where(counts, torch.nan)

    return watch


def worst(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) largest value of a run from the first label on."""
    return curve.regret[1:].max(axis=0)


def along_runs(quantity: str, side: Side, reading: Reading = worst) -> Measure:
    """Watch every round of a short run, and of a long one those of a geometric grid."""

    def one(case: OnlineCase, rng: np.random.Generator, replicates: int) -> Values:
        ratio = 1.0 if case.horizon <= EVERY_ROUND_UP_TO else case.exploration.grid_ratio
        return runs([case], reading, [rng], replicates, ratio, side(case))[0]

    return Measure(quantity, one, Evidence.MEASURED)


def finite(class_size: int) -> RewardsOn:
    """The random finite class around the truth."""
    return RandomFinite(class_size, CLASS_SEED)


def linear(class_size: int) -> RewardsOn:
    """The linear class of the world's features."""
    return LinearClass


def two(class_size: int) -> RewardsOn:
    """The two rewards of their own world."""
    return two_rewards


SHARE = "largest left side / right side, t ≤ T"
FIT, DIFFERENCE = along_runs(SHARE, fit_error), along_runs(SHARE, difference_error)
BY_BONUS = along_runs(SHARE, regret_over_bonus)
EVENT = along_runs("event fails for some t ≤ T [frequency]", not_optimistic)
FINITE, LINEAR = Method("finite_class", pokl.run), Method("linear_class", pokl.run)
C_2, C_3, C_4 = ("p1.lem_c_2",), ("p1.lem_c_3",), ("p1.lem_c_4",)
PRIVATE, OPTIMISTIC = (Need.LABELS, Need.PRIVACY), (Need.LABELS, Need.OPTIMISM)


class OptimismEvent(OnlineExperiment):
    """Lemmas C.2, C.3, C.4 on a finite and a linear class, and the cap of eq. (13)."""

    title = "P1 Lemmas C.2 to C.4: the optimism event"
    config_type = OptimismEventProbes
    config: OptimismEventProbes

    rows = (
        Row("in_sample_error", "horizon",
            Inequality("Lemma C.2, finite class: never above, and by how much"), FIT, FINITE,
            (naive_labels,), on=INSTANCE, given=finite, needs=PRIVATE, settles=C_2),
        Row("reward_error", "horizon",
            Inequality("Lemma C.3, finite class: never above, and by how much"), DIFFERENCE,
            FINITE, (naive_labels,), on=INSTANCE, given=finite, needs=(Need.LABELS,), settles=C_3),
        Row("optimism", "horizon", Frequency("Lemma C.4 with b = Γ_T·U, finite class"), EVENT,
            FINITE, (hundredth_bonus,), on=INSTANCE, given=finite, needs=OPTIMISTIC, settles=C_4),
        Row("optimism_linear", "horizon",
            Frequency("Lemma C.4 with b = Γ_T·U, linear class by its net"), EVENT, LINEAR,
            (hundredth_bonus,), on=INSTANCE, given=linear, needs=OPTIMISTIC, settles=C_4),
        Row("regret_by_bonus", "horizon", Inequality("on the event, J(π*) − J(π²) ≤ 4β·E b²"),
            BY_BONUS, LINEAR, (shrunken_bonus,), on=INSTANCE, given=linear, needs=OPTIMISTIC,
            settles=C_4),
        Row("cap_one_small_bound", "reward_bound",
            Frequency("Lemma C.4 with b = min{1, Γ_T·U}, B < 1/2"), EVENT, cap_one,
            (hundredth_bonus,), on="two_rewards", given=two, needs=(Need.OPTIMISM,), settles=C_4),
        Row("cap_one", "reward_bound",
            Frequency("Lemma C.4 as printed, b = min{1, Γ_T·U}, B > 1/2"), EVENT, cap_one,
            on="two_rewards", given=two, needs=(Need.TRUTH_HIDDEN,), settles=C_4,
            expected="contradicted", why="the cap lies below r* − r̄ − c, which reaches 2B"),
        Row("cap_two_bounds", "reward_bound", Frequency("Lemma C.4 with b = min{2B, Γ_T·U}"),
            EVENT, cap_two_bounds, (cap_one,), on="two_rewards", given=two,
            needs=(Need.OPTIMISM,), settles=C_4),
    )  # fmt: skip

    def case(self, point: Point) -> OnlineCase:
        """The proof's Γ_T of each horizon, without a cap, and the row's reward class."""
        case, rewards = super().case(point), point.row.given(self.config.class_size)
        return replace(
            case, longest=case.horizon, weight=proven_weight, bonus_cap=math.inf, rewards=rewards
        )

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """λ ≤ Γ_T²/2 for every method under test."""
        return self.at_both_ends(OnlineCase, small_ridge)
