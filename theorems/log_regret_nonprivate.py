"""P1 Corollary 5.5: without privacy Algorithm 2's regret is logarithmic.

Statement (arXiv 2510.13512, Corollary 5.5).  For α = 1, with probability at least 1−δ,

    Σ_{t≤T} J(π*) − J(π²_t) = O( β·d_F·e^{2B} · log(N_F·T/δ) ).

In code: α = 1 is ε = inf, where privacy_cost is 1; β is 1/kl_weight.

Testable: regret per round ∝ 1/t along a run, and the constant in front of log T by the closed
form of ``repro.families.online_kl.bounds_regret``.  What would refute it: regret per round that
falls slower than 1/t.  The control is a pipeline that believes its labels are clean while they have
passed through randomized response at ε = 1.
"""

from __future__ import annotations

import numpy as np

from repro.families.online_kl.sweep import OnlineConfig, OnlineSweep
from repro.families.online_kl.wrong_pokl import METHODS, simulate
from repro.instances.assumptions import realizable_and_covered
from repro.study.checks import Check, RatioCheck
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

WRONG = ("hidden_randomizer",)


class LogRegretNonprivate(OnlineSweep):
    """Corollary 5.5 on the instance and on worlds of growing kl_weight."""

    slug = "log_regret_nonprivate"
    title = "P1 Corollary 5.5: logarithmic regret without privacy"
    statements = ("p1.cor_5_5",)
    instances = ("linear",)
    used_overrides = frozenset({"kl_weight"})
    config_type = OnlineConfig

    rows = (
        Row("horizon", "horizon", INSTANCE, "pokl", WRONG, "regret per round [reward]",
            "Algorithm 2 at ε = ∞: regret ∝ 1/t"),
        Row("constant", "kl_weight", "steady_policy", "pokl",
            ("hidden_randomizer", "without_exploration"), "regret rate / closed form",
            "rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)"),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Regret per round at the horizon, or the rate over its closed form."""
        world, setting = self.world(check, value), self.run_setting(check, value)
        settings = [METHODS[method](setting) for method in check.methods]
        horizon, ratio = self.horizon(check, value), self.exploration.grid_ratio
        curve = simulate(world, settings, horizon, ratio, rng, replicates)
        if isinstance(check, RatioCheck):
            found = curve.rate() / self.predicted_rate(check, value).total
        else:
            found = curve.regret[-1]
        return dict(zip(check.methods, found, strict=True))

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 on every world."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in realizable_and_covered(self.world(check, value))
        )
