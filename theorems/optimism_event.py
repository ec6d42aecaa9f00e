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

The control of the first rows is least squares without the factor 2α−1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
from torch import Tensor

from repro.base.schema import Count, KLWeight
from repro.families.online_kl.algorithms_bonus import proven_weight
from repro.families.online_kl.algorithms_finite import random_finite_class, two_rewards
from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.algorithms_pokl import Game, RewardClass, Round
from repro.families.online_kl.bounds_events import (
    bonus_bound,
    in_sample_error,
    optimism_deficit,
    reward_error,
)
from repro.families.online_kl.run_batch import RunSetting
from repro.families.online_kl.sweep import OnlineConfig, OnlineSweep
from repro.families.online_kl.wrong_pokl import naive_labels, simulate
from repro.instances.linear import LinearWorld
from repro.study.checks import Check, FrequencyCheck
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

EVERY_ROUND_UP_TO = 100
"""Horizons up to here are checked at every t."""

CLASS_SEED = 3
CAP_WORLD = "two_rewards"
SLACK = 1e-9
NAIVE = ("naive_labels",)
FAILS, SHARE = "event fails for some t ≤ T [frequency]", "largest left side / right side, t ≤ T"


class OptimismEventConfig(OnlineConfig):
    """Numbers of the experiment; conf/theorem/optimism_event.yaml gives them."""

    class_size: Count
    cap_kl_weight: KLWeight


class OptimismEvent(OnlineSweep):
    """Lemmas C.2, C.3, C.4 on a finite and a linear class, and the cap of eq. (13)."""

    slug = "optimism_event"
    title = "P1 Lemmas C.2 to C.4: the optimism event"
    statements = ("p1.lem_c_2", "p1.lem_c_3", "p1.lem_c_4")
    settled_by = {
        "p1.lem_c_2": ("in_sample_error",),
        "p1.lem_c_3": ("reward_error",),
        "p1.lem_c_4": ("optimism", "optimism_linear", "regret_by_bonus", "cap_one_small_bound",
            "cap_one", "cap_two_bounds"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon"})
    config_type = OptimismEventConfig

    rows = (
        Row("in_sample_error", "horizon", INSTANCE, "finite_class", NAIVE, SHARE,
            "Lemma C.2, finite class: never above, and by how much"),
        Row("reward_error", "horizon", INSTANCE, "finite_class", NAIVE, SHARE,
            "Lemma C.3, finite class: never above, and by how much"),
        Row("optimism", "horizon", INSTANCE, "finite_class", ("shrunken_bonus",), FAILS,
            "Lemma C.4 with b = Γ_T·U, finite class"),
        Row("optimism_linear", "horizon", INSTANCE, "linear_class", ("shrunken_bonus",), FAILS,
            "Lemma C.4 with b = Γ_T·U, linear class by its net"),
        Row("regret_by_bonus", "horizon", INSTANCE, "linear_class", ("shrunken_bonus",), SHARE,
            "on the event, J(π*) − J(π²) ≤ 4β·E b²"),
        Row("cap_one_small_bound", "reward_bound", CAP_WORLD, "cap_one", ("shrunken_bonus",),
            FAILS, "Lemma C.4 with b = min{1, Γ_T·U}, B < 1/2"),
        Row("cap_one", "reward_bound", CAP_WORLD, "cap_one", (), FAILS,
            "Lemma C.4 as printed, b = min{1, Γ_T·U}, B > 1/2"),
        Row("cap_two_bounds", "reward_bound", CAP_WORLD, "cap_two_bounds", ("cap_one",), FAILS,
            "Lemma C.4 with b = min{2B, Γ_T·U}"),
    )  # fmt: skip

    def __init__(self, config: OptimismEventConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.class_size, self.cap_kl_weight = config.class_size, config.cap_kl_weight

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Largest left over right side along each run, or whether it exceeds 1."""
        rewards, world = self._class(check, value)
        settings = [self._run_setting(check, value, m, world, rewards) for m in check.methods]
        horizon = self.horizon(check, value)
        ratio = 1.0 if horizon <= EVERY_ROUND_UP_TO else self.exploration.grid_ratio
        logs = math.log(horizon / self.exploration.failure_prob) + self._log_size(rewards, world)
        watch = partial(self._side, check.name, logs, settings[0].bonus_weight)
        runs = simulate(world, settings, horizon, ratio, rng, replicates, rewards, watch)
        worst = runs.regret[1:].max(axis=0)
        if isinstance(check, FrequencyCheck):
            worst = (worst > 1).astype(float)
        return dict(zip(check.methods, worst, strict=True))

    def _class(self, check: Check, value: float) -> tuple[RewardClass, LinearWorld]:
        if check.settings["world"] == CAP_WORLD:
            rewards = two_rewards(value, self.cap_kl_weight, self.setting.device)
            return rewards, rewards.world
        world = self.world(check, value)
        linear = check.method == "linear_class"
        finite = random_finite_class(world, self.class_size, CLASS_SEED)
        return (LinearClass(world) if linear else finite), world

    def _log_size(self, rewards: RewardClass, world: LinearWorld) -> float:
        if isinstance(rewards, LinearClass):
            return self.log_class_size(world)
        return math.log(len(rewards.rewards))  # type: ignore[attr-defined]

    def _run_setting(
        self, check: Check, value: float, method: str, world: LinearWorld, rewards: RewardClass
    ) -> RunSetting:
        """The proof's Γ_T, with the cap and the mistakes of the method."""
        e = self.exploration
        horizon, epsilon = self.horizon(check, value), self._fixed(check, "epsilon")
        weight = proven_weight(
            world.reward_bound, epsilon, self._log_size(rewards, world), horizon, e.failure_prob
        )
        cap = {"cap_one": 1.0, "cap_two_bounds": 2 * world.reward_bound}.get(method, math.inf)
        setting = RunSetting(epsilon, world.kl_weight, weight, cap, e.ridge)
        if method == "naive_labels":
            return naive_labels(setting)
        if method == "shrunken_bonus":
            return replace(setting, bonus_weight=weight / 1000)
        return setting

    def _side(self, name: str, logs: float, weight: float, game: Game, now: Round) -> Tensor:
        """Left over right side of a row's statement; for C.4, 2 where it fails.

        ``regret_by_bonus`` is 0 off the event, except for a bonus below Γ_T (the control).
        """
        if name == "in_sample_error":
            return in_sample_error(game, now, logs)
        if name == "reward_error":
            return reward_error(game, now, weight)
        fails = optimism_deficit(game, now) > SLACK
        if name == "regret_by_bonus":
            counts = ~fails | (game.batch.bonus_weight < weight)
            return bonus_bound(game, now).where(counts & (now.time > 0), 0.0)
        return 2.0 * fails

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """λ ≤ Γ_T²/2 for every method under test."""
        found = []
        for check in self.checks():
            for value in (check.grid[0], check.grid[-1]):
                rewards, world = self._class(check, value)
                setting = self._run_setting(check, value, check.method, world, rewards)
                holds = setting.ridge <= setting.bonus_weight**2 / 2
                detail = f"λ = {setting.ridge:.3g}, Γ_T = {setting.bonus_weight:.3g}"
                name = f"{check.name} at {value:g}: λ ≤ Γ_T²/2"
                found.append(AssumptionResult(name, holds, detail))
        return tuple(found)
