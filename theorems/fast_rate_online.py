"""P2 Proposition E.2: the fast rate 1/(βT) of online alignment, private and corrupted.

Statement (Improved bounds for private and robust alignment, Proposition E.2).  There exist online
algorithms such that with probability 1−δ

    Priv:  J_β(π*_β) − J_β(π̂) ≤ Õ( d/(βT) · c(ε)²·log(|G|T/δ) ),
    CTL:   the same with c(ε)²·log(|G|T/δ) + α² in the place of c(ε)²·log(|G|T/δ),
    LTC:   the same with c(ε)²·log(|G|T/δ) + c(ε)²·α²,

d a preference-based eluder dimension, α the Huber corruption.  In code: β is kl_weight, c(ε)
privacy_cost.  The algorithm is the optimistic one of Zhao et al. (2025) with P2's square loss: over
linear rewards this is Algorithm 2 of P1, whose last iterate is measured.

Testable: the exponents in T, c(ε) and β without corruption, and how the corrupted gap depends on T.

Contradicted as printed: the corruption terms cannot be divided by T (rows ``corrupted_ctl`` and
``corrupted_ltc``, where the gap stops falling).  No algorithm escapes: with
h = tanh(Δ/2), rewards with h₁ = h and h₂ = h·(1−α) − α in a comparison give the same corrupted
label mean (an adversary on the first, none on the second), so at every T some one of them has a
gap of at least the minimax value of the pair, a positive constant
(row ``indistinguishable_pair``: the exact minimax value over all policies, no algorithm
involved).  All assumptions hold: linear rewards, realizable, an oblivious adversary within the
Huber budget.  Corrected form: d/β·(c(ε)²·log(|G|T/δ)/T + α²) under CTL, c(ε)²·α² under LTC.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from repro.base.schema import Corruption
from repro.families.online_kl.bounds_regret import minimax_gap
from repro.families.online_kl.sweep import OnlineConfig, OnlineSweep
from repro.families.online_kl.wrong_pokl import METHODS, simulate
from repro.instances.assumptions import realizable_and_covered
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

GAP = "gap of the last iterate [reward]"
WRONG = ("naive_labels", "epsilon_overstated")


class FastRateConfig(OnlineConfig):
    """Numbers of the experiment; conf/theorem/fast_rate_online.yaml gives them."""

    corruption: Corruption


class FastRateOnline(OnlineSweep):
    """Proposition E.2 on linear rewards."""

    slug = "fast_rate_online"
    title = "P2 Proposition E.2: fast rates of online alignment"
    statements = ("p2.prop_e_2",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "horizon", "kl_weight"})
    config_type = FastRateConfig

    rows = (
        Row("horizon", "horizon", INSTANCE, "pokl", WRONG, GAP, "private: gap ∝ 1/T"),
        Row("privacy_cost", "privacy_cost", INSTANCE, "pokl", ("naive_labels",), GAP,
            "private: gap ∝ c(ε)²"),
        Row("kl_weight", "kl_weight", "steady_policy", "pokl", ("inverted_kl_weight",), GAP,
            "private: gap ∝ 1/β"),
        Row("corrupted_ctl", "horizon", INSTANCE, "corrupted_ctl", (), GAP,
            "CTL as printed: gap ∝ 1/T"),
        Row("corrupted_ltc", "horizon", INSTANCE, "corrupted_ltc", (), GAP,
            "LTC as printed: gap ∝ 1/T"),
        Row("indistinguishable_pair", "horizon", INSTANCE, "any_algorithm", (), GAP,
            "CTL as printed, any algorithm: gap ∝ 1/T"),
        Row("floor_cost_ltc", "privacy_cost", INSTANCE, "corrupted_ltc", ("corrupted_ctl",), GAP,
            "LTC, large T: the floor is ∝ c(ε)²"),
    )  # fmt: skip

    def __init__(self, config: FastRateConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.corruption = config.corruption

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gap of π² after T labels."""
        world, setting = self.world(check, value), self.run_setting(check, value)
        if check.method == "any_algorithm":
            floor = minimax_gap(self.corruption, world.reward_bound / 4, world.kl_weight)
            return {"any_algorithm": np.full(replicates, floor)}
        settings = [self._setting(setting, method) for method in check.methods]
        horizon, ratio = self.horizon(check, value), self.exploration.grid_ratio
        curve = simulate(world, settings, horizon, ratio, rng, replicates)
        return dict(zip(check.methods, curve.regret[-1], strict=True))

    def _setting(self, setting, method: str):
        if method in METHODS:
            return METHODS[method](setting)
        return replace(setting, corruption=self.corruption, after_privacy=method == "corrupted_ltc")

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Realizability on every world."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in realizable_and_covered(self.world(check, value))
        )
