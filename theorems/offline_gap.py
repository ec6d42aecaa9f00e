"""P1 Theorem 4.2: the suboptimality gap of private pessimistic KL-regularised RLHF.

Statement (arXiv 2510.13512, Theorem 4.2).  With probability at least 1−δ, Algorithm 1 has

    SubOpt(π̂) = O( β·D²_π* · e^B/(2α−1)² · (log(N_F(τ)/δ)/n + τ) ).

In code: β is 1/kl_weight, 1/(2α−1) is privacy_cost, D²_π* the single-policy concentrability
(Definition 3.3), N_F(τ) a covering number at a fixed small net_radius τ, B reward_bound.

Testable: the exponent in n, in c(ε), in β, in the coverage C, in the dimension (d, S) and in e^B;
the constant in front of 1/n, which the paper leaves implicit and Fisher information gives; that
the bonus covers the error (event E(δ) of the proof); that D²_π*, not the density ratio, governs
the gap.  Not testable: the universal constant of O(·).

What would refute it: an exponent above the printed one.  Rates are held two-sided only where an
instance is built to attain them; printed upper bounds are held one-sided.  The e^B rows hold the
bound as printed where D²_π*, β·B and log N/n are fixed; there the bonus of the two responses
cancels, so every constant c gives the same policy.  The S rows show that without bonus the gap
grows like S (the rate of Theorem 4.5) and with the printed bonus like D²·log N, that is S².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from repro.base.schema import Model, Positive, Probability
from repro.families.offline_kl.algorithms_ppkl import (
    BonusConstants,
    LinearProblem,
    Problem,
    draw_problem,
    joined,
)
from repro.families.offline_kl.sweep import WorldSweep, WorldSweepConfig
from repro.families.offline_kl.wrong_ppkl import METHODS
from repro.instances.assumptions import realizable_and_covered
from repro.study.checks import Check, RatioCheck
from repro.study.experiment import Setting
from repro.study.results import AssumptionResult
from repro.study.sweep import INSTANCE, Row

GAP = "suboptimality [reward]"
SCALED = "suboptimality · kl_weight"
RATIO = "suboptimality / predicted"
NOT_ABOUT_RATES = ("bonus_covers", "pessimism")
MAX_KL = 0.02
"""Beyond this the gap is not yet in the regime where its rate is defined."""
MAX_NET_SHARE = 1.0
"""τ·n stays below log(N/δ), so that the theorem's τ term does not show in the sweep of n."""
WRONG = ("naive_likelihood", "epsilon_overstated", "unaccounted_randomizer")
NO_MISTAKE_WITHOUT_PRIVACY = ("naive_likelihood", "epsilon_overstated")


class Bonus(Model):
    """What eq. (10) leaves free: δ, τ and the constant c."""

    failure_prob: Probability
    net_radius: Positive
    scale: Positive


class OfflineGapConfig(WorldSweepConfig):
    """Numbers of the experiment; conf/theorem/offline_gap.yaml gives them."""

    bonus: Bonus


class OfflineGap(WorldSweep):
    """Theorem 4.2 and its parts, each on the smallest world that shows it."""

    slug = "offline_gap"
    title = "P1 Theorem 4.2: offline gap of private pessimistic KL-regularised RLHF"
    statements = ("p1.thm_4_2",)
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"epsilon", "n_pairs", "kl_weight"})
    config_type = OfflineGapConfig

    rows = (
        Row("n_pairs", "n_pairs", INSTANCE, "ppkl", WRONG, GAP, "Algorithm 1: gap ∝ 1/n"),
        Row("n_pairs_no_bonus", "n_pairs", INSTANCE, "private_mle", WRONG, GAP,
            "private MLE alone: gap ∝ 1/n"),
        Row("privacy_cost", "privacy_cost", INSTANCE, "ppkl", WRONG, GAP, "gap ∝ c(ε)²"),
        Row("constant", "n_pairs", INSTANCE, "private_mle", WRONG, RATIO,
            "n·gap → tr(Cov_π*·I⁻¹)/(2·kl_weight)"),
        Row("constant_with_bonus", "n_pairs", INSTANCE, "ppkl", ("private_mle",), RATIO,
            "n·gap → that + n·E Var_π*(Γ)/(2·kl_weight)"),
        Row("bonus_covers", "n_pairs", INSTANCE, "event_fails", ("event_fails_without_root",),
            "event E fails [frequency]", "|r̄ − b − r*| ≤ Γ_n everywhere with probability ≥ 1−δ"),
        Row("num_features", "num_features", "features", "private_mle", ("frozen_features",), GAP,
            "gap ∝ d"),
        Row("kl_weight", "kl_weight", "hypercube", "private_mle", ("inverted_kl_weight",), GAP,
            "gap ∝ β = 1/kl_weight"),
        Row("coverage", "coverage", "hypercube", "private_mle", ("uniform_reference",), GAP,
            "gap ∝ C"),
        Row("num_states", "num_states", "hypercube", "private_mle", WRONG, GAP,
            "gap ∝ S = log N (rate of Theorem 4.5)"),
        Row("num_states_with_bonus", "num_states", "hypercube", "ppkl", ("bonus_of_one_state",),
            GAP, "Algorithm 1: gap ∝ D²·log N = S²"),
        Row("reward_bound_eps_half", "reward_bound", "large_difference", "ppkl", (), SCALED,
            "gap ≤ O(e^B) at ε = 1/2", ("epsilon",)),
        Row("reward_bound_eps_one", "reward_bound", "large_difference", "ppkl", (), SCALED,
            "gap ≤ O(e^B) at ε = 1", ("epsilon",)),
        Row("reward_bound_eps_inf", "reward_bound", "large_difference", "ppkl",
            ("hidden_randomizer",), SCALED, "gap ≤ O(e^B) without privacy", ("epsilon",)),
        Row("pessimism", "coverage", "bad_arms", "ppkl", ("without_bonus",), GAP,
            "gap does not grow with 1/π_ref while D²_π* stays"),
    )  # fmt: skip

    def __init__(self, config: OfflineGapConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.constants = BonusConstants(**config.bonus.model_dump())
        self.allowed_failure = self.constants.failure_prob

    def controls(self, row: Row, claim: Any) -> tuple[str, ...]:
        """At ε = ∞ the clean likelihood is the right one."""
        if self.row_epsilon(row, claim) != math.inf:
            return row.controls
        return tuple(name for name in row.controls if name not in NO_MISTAKE_WITHOUT_PRIVACY)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gap, scaled as the check's quantity says, per method."""
        problem = self._problem(check, value, rng, replicates)
        unit = self._unit(check, problem)
        return {m: METHODS[m](problem).cpu().numpy() / unit for m in check.methods}

    def measure_grid(
        self, check: Check, rngs: Sequence[np.random.Generator], replicates: int
    ) -> list[dict[str, np.ndarray]]:
        """All sizes of a sweep of n in one batch: they share world and budget."""
        if check.axis != "n_pairs":
            return super().measure_grid(check, rngs, replicates)
        at = zip(check.grid, rngs, strict=True)
        problems = [self._problem(check, value, rng, replicates) for value, rng in at]
        units = np.array([[self._unit(check, problem)] for problem in problems])
        batch = joined([p for p in problems if isinstance(p, LinearProblem)])
        values = {
            m: METHODS[m](batch).cpu().numpy().reshape(-1, replicates) / units
            for m in check.methods
        }
        return [{m: rows[g] for m, rows in values.items()} for g in range(len(problems))]

    def _problem(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> Problem:
        world = self.world(check, value)
        return draw_problem(world, *self.size(check, value), self.constants, rng, replicates)

    def _unit(self, check: Check, problem: Problem) -> float:
        """What the quantity is divided by: a prediction, β, or nothing."""
        if isinstance(check, RatioCheck):
            return problem.predicted_gap(with_bonus=check.method == "ppkl")
        return 1 / problem.world.kl_weight if check.quantity == SCALED else 1.0

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 and Definition 3.3 at both ends of every sweep, and τ ≪ log N/n."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                *realizable_and_covered(self.world(check, value)),
                self._negligible_net(*self.size(check, value)),
                self._small_gap(check, value),
            )
        )

    def _negligible_net(self, n_pairs: int, _epsilon: float) -> tuple[str, bool, str]:
        share = self.constants.net_radius * n_pairs
        return "net radius", share <= MAX_NET_SHARE, f"τ·n = {share:.3g}"

    def _small_gap(self, check: Check, value: float) -> tuple[str, bool, str]:
        """Rates are about n large enough: predicted KL(π̂‖π*) at most MAX_KL."""
        name = "labels enough for the rate to show"
        if check.name in NOT_ABOUT_RATES:
            return name, True, "not a rate"
        problem = self._problem(check, value, np.random.default_rng(0), replicates=1)
        kl = problem.predicted_gap(check.method == "ppkl") / problem.world.kl_weight
        return name, kl <= MAX_KL, f"predicted KL {kl:.2g}"
