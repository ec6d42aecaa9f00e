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

What would refute it: regret per round that falls slower than 1/t, or an exponent above the
printed one.  Two-sided rows are on instances where the closed form has exactly that exponent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from repro.base.schema import Count
from repro.families.online_kl.algorithms_bonus import proven_weight
from repro.families.online_kl.algorithms_finite import random_finite_class
from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.bounds_regret import akaike_weight
from repro.families.online_kl.run_batch import RunSetting
from repro.families.online_kl.sweep import OnlineConfig, OnlineSweep
from repro.families.online_kl.wrong_pokl import METHODS, RegretCurve, simulate
from repro.instances.assumptions import realizable_and_covered
from repro.instances.linear import LinearWorld, with_leading_features
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

REGRET = "regret per round [reward]"
RATE = "regret per unit of log T [reward]"
RATIO = "regret rate / closed form"
SATURATION = "regret(T) / regret(T/100)"
WEIGHT = "Akaike weight of log T against √T"
WRONG = ("naive_labels", "epsilon_overstated")
CLASS_SEED = 3


class LogRegretConfig(OnlineConfig):
    """Numbers of the experiment; conf/theorem/log_regret.yaml gives them."""

    class_size: Count


class LogRegret(OnlineSweep):
    """Theorem 5.2 and its parts, each on the smallest world that shows it."""

    slug = "log_regret"
    title = "P1 Theorem 5.2: logarithmic regret of private online KL-regularised RLHF"
    statements = ("p1.thm_5_2",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "horizon", "kl_weight"})
    config_type = LogRegretConfig

    rows = (
        Row("horizon", "horizon", INSTANCE, "pokl", WRONG, REGRET, "Algorithm 2: regret ∝ 1/t"),
        Row("growth", "horizon", INSTANCE, "pokl", ("naive_labels",), WEIGHT,
            "cumulative regret is a + b·log T, not a + b·√T"),
        Row("constant_privacy_cost", "privacy_cost", INSTANCE, "pokl",
            ("without_exploration", "epsilon_overstated"), RATIO,
            "rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)"),
        Row("constant_kl_weight", "kl_weight", "steady_policy", "pokl",
            ("without_exploration",), RATIO,
            "rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)"),
        Row("privacy_cost", "privacy_cost", INSTANCE, "pokl", ("naive_labels",), RATE,
            "rate ∝ c(ε)²"),
        Row("num_features", "num_features", "features", "without_exploration",
            ("frozen_features",), RATE, "rate ∝ d (exploitation alone)"),
        Row("kl_weight", "kl_weight", "steady_policy", "pokl", ("inverted_kl_weight",), RATE,
            "rate ∝ β = 1/kl_weight"),
        Row("across_horizons", "horizon", INSTANCE, "bonus_of_horizon", ("bonus_without_horizon",),
            RATIO, "Γ_T of each horizon: the rate grows like log(N·T/δ), the regret like log²T"),
        Row("finite_class", "horizon", INSTANCE, "finite_class", ("linear_class",), SATURATION,
            "finite class: regret stops growing once the class is identified"),
        Row("proven_bonus", "horizon", INSTANCE, "proven_bonus", ("naive_labels",), REGRET,
            "the proof's Γ_T: regret ∝ 1/t at t ≥ 1e8"),
        Row("proven_bonus_clips", "horizon", INSTANCE, "proven_bonus", ("pokl",), REGRET,
            "the proof's Γ_T: regret per round does not fall from 1e5 to 1e6"),
        Row("exploration", "horizon", "hidden_arm", "pokl", ("without_exploration",), REGRET,
            "hard instance: exploration keeps regret ≤ O(1/t)"),
    )  # fmt: skip

    def __init__(self, config: LogRegretConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.class_size = config.class_size

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Regret of the check's quantity, per method, each on its reward class."""
        world = self.world(check, value)
        found = {}
        for rewards, methods in self._by_class(check, world):
            settings = [self._setting(check, value, method) for method in methods]
            horizon, ratio = self.horizon(check, value), self.exploration.grid_ratio
            curve = simulate(world, settings, horizon, ratio, rng, replicates, rewards)
            for m, method in enumerate(methods):
                found[method] = self._quantity(check, value, curve, m)
        return found

    def _by_class(self, check: Check, world: LinearWorld):
        """Methods of a check grouped by reward class."""
        special = {
            "finite_class": lambda: random_finite_class(world, self.class_size, CLASS_SEED),
            "frozen_features": lambda: LinearClass(with_leading_features(world, 2)),
        }
        common = [method for method in check.methods if method not in special]
        yield from ((special[m](), [m]) for m in check.methods if m in special)
        if common:
            yield LinearClass(world), common

    def longest(self, check: Check, value: float) -> int:
        """In the row ``across_horizons`` every horizon has its own Γ_T."""
        if check.name == "across_horizons":
            return self.horizon(check, value)
        return super().longest(check, value)

    def _setting(self, check: Check, value: float, method: str) -> RunSetting:
        setting = self.run_setting(check, value)
        if method == "bonus_without_horizon":
            return replace(setting, bonus_weight=self.bonus_weight(check, value, horizon=1))
        if check.method == "proven_bonus" and method != "pokl":
            world = self.world(check, value)
            weight = proven_weight(
                world.reward_bound,
                setting.epsilon,
                self.log_class_size(world),
                self.longest(check, value),
                self.exploration.failure_prob,
            )
            setting = replace(setting, bonus_weight=weight)
        return METHODS[method](setting)

    def _quantity(self, check: Check, value: float, curve: RegretCurve, m: int) -> np.ndarray:
        match check.quantity:
            case "regret per round [reward]":
                return curve.regret[-1, m]
            case "regret(T) / regret(T/100)":
                cumulative = curve.cumulative[:, m]
                earlier = np.searchsorted(curve.times, curve.times[-1] / 100)
                return cumulative[-1] / cumulative[earlier]
            case "Akaike weight of log T against √T":
                weight = akaike_weight(curve.times, curve.cumulative[:, m])
                return np.full(curve.regret.shape[2], weight)
            case "regret rate / closed form":
                predicted = self.predicted_rate(check, value)
                return curve.rate()[m] / predicted.total
        return curve.rate()[m]

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 on every world, and λ ≤ Γ_T²/2."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                *realizable_and_covered(self.world(check, value)),
                self._small_ridge(self._setting(check, value, check.method)),
            )
        )

    def _small_ridge(self, setting: RunSetting) -> tuple[str, bool, str]:
        weight = setting.bonus_weight
        holds = setting.ridge <= weight**2 / 2 or weight == 0
        return "λ ≤ Γ_T²/2", holds, f"λ = {setting.ridge:.3g}, Γ_T = {weight:.3g}"
