"""P3 Theorem 5.2: private rewards and policies from compared trajectories.

Statement (P3, section 5).  From pairs of trajectories of H steps with a common first state,
Algorithm 3 with ρ = ρ_π has SubOpt(π̂) ≤ F·‖(Σ+λI)^(−1)(E φ − v)‖ with probability ≥ 1−η, F of
eq. (3), O(·) hiding factors of L, H and B.

Instances: two-stage MDPs (``repro.families.central.worlds_mdp``) whose first stage is a world of
Theorem 4.2 and whose responses lead to one of two states with a second choice.  Occupancies and
values are exact; greedy policies come from backward induction, pessimistic ones from all 2^S
policies.  L is replaced by HL in the budget.

What the printed text does not bear out, expected contradicted:
- ``printed_objective``: section 5 prints Ĵ(π) = min over θ in Θ of E[r_θ̃(s, π(s))], which does not
  depend on θ.  Its maximiser is the greedy policy, which falls into the state whose response was
  never compared about half of the time at every n.  The row's world, ``covered``, has one state
  besides that one and all of the data there, so that π* is covered and the bound is ∝ n^(−1/2) with
  the inverse of Σ+λI as printed and with its root; the appendix's proof needs r_θ.
- ``covariance_printed``: the main text's Σ sums outer products step by step; the Hessian (Claim
  C.2) has x·xᵀ with x the sum over steps, so eq. (21), ∇²ℓ ⪰ γ_τ·Σ, fails where the steps cancel.
  Σ = mean of x·xᵀ satisfies it (``covariance``) and is used in all other rows.
These rows are the controls of their corrected neighbours.  What would refute Theorem 5.2: exponents
above −1/2.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from torch import Tensor

from repro.base.schema import Count, Positive, Share
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import Perturbation, printed_perturbation
from repro.families.central.algorithms_release import CentralData, draw_trajectory_pairs
from repro.families.central.bounds_curvature import curvature_ratio
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.central.worlds_axis import multi_scale_world, trapped_world
from repro.families.central.worlds_mdp import LinearMDP, two_stage_mdp
from repro.study.checks import Check, InequalityCheck
from repro.study.experiment import Setting
from repro.study.legacy import Row
from repro.study.results import AssumptionResult

GAP = "suboptimality [reward]"
CURVATURE = "γ·vᵀΣv / vᵀ∇²ℓ v"
SCALES, TRAPPED, COVERED = "scales", "trapped", "covered"
PAIR = "one pair of trajectories"
HORIZON = 2
"""Steps of the MDPs."""


class MDPGapConfig(CentralConfig):
    """Numbers of the experiment.

    Attributes:
        num_levels: first states of ``scales``.
        few_levels: first states of ``trapped``, besides the trap.
        trap_prob: test mass of the trap.
        theta_share: ‖θ*‖/B.
        later_share: size of θ* at the second stage.
        tilt: of the transitions.
        error_scale: the constant of O(·) in F.
        optimizer_tol_power: β = n^(−power).
    """

    num_levels: Count
    few_levels: Count
    trap_prob: Share
    theta_share: Share
    later_share: Share
    tilt: Share
    error_scale: Positive
    optimizer_tol_power: Positive


class MDPGap(CentralSweep):
    """Theorem 5.2 on two-stage MDPs."""

    slug = "mdp_gap"
    title = "P3 Theorem 5.2: compared trajectories under central differential privacy"
    statements = ("p3.thm_5_2", "p3.claim_c_2", "p3.lem_c_4")
    settled_by = {
        "p3.thm_5_2": ("n_pairs_greedy", "epsilon_greedy", "n_pairs", "epsilon",
            "printed_objective"),
        "p3.claim_c_2": ("covariance",),
        "p3.lem_c_4": ("covariance_printed", "covariance"),
    }  # fmt: skip
    config_type = MDPGapConfig

    rows = (
        Row("n_pairs_greedy", "n_pairs", SCALES, "greedy", ("root_n_noise", "argmin_policy"), GAP,
            "greedy on θ̃: gap ∝ n^(−1/2)"),
        Row("epsilon_greedy", "epsilon", SCALES, "greedy", ("noise_without_epsilon",), GAP,
            "greedy on θ̃: gap ∝ ε^(−1/2)"),
        Row("n_pairs", "n_pairs", TRAPPED, "pessimistic", ("printed_objective",), GAP,
            "Algorithm 3 with r_θ in Ĵ: gap ≤ O(n^(−1/2))"),
        Row("epsilon", "epsilon", TRAPPED, "pessimistic", ("printed_objective",), GAP,
            "Algorithm 3 with r_θ in Ĵ: gap ≤ O(ε^(−1/2))"),
        Row("printed_objective", "n_pairs", COVERED, "printed_objective", (), GAP,
            "Algorithm 3 with r_θ̃ in Ĵ, as printed: gap ≤ O(n^(−1/2))"),
        Row("covariance_printed", "horizon", PAIR, "covariance_printed", (), CURVATURE,
            "(21) with the main text's Σ"),
        Row("covariance", "horizon", PAIR, "covariance", ("covariance_printed",), CURVATURE,
            "(21) with Σ = mean of x·xᵀ"),
    )  # fmt: skip

    config: MDPGapConfig

    def __init__(self, config: MDPGapConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self._worlds = lru_cache(maxsize=2)(self._build)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gaps, or both sides of (21), per method."""
        if check.settings["world"] == PAIR:
            norm, radius = self.curator.feature_norm, self.curator.radius
            return {
                m: curvature_ratio(
                    rng, replicates, int(value), norm, radius, m.endswith("_printed")
                ).numpy()
                for m in check.methods
            }
        world = self._worlds(str(check.settings["world"]))
        data = draw_trajectory_pairs(rng, world, self.size(check, value)[0], replicates)
        return {m: self._gap(m, check, value, world, data).numpy() for m in check.methods}

    def budget(self, check: Check, value: float) -> CentralBudget:
        """The curator's constants with HL in the place of L (Lemmas C.3, C.5, C.6)."""
        budget = super().budget(check, value)
        return replace(budget, feature_norm=HORIZON * budget.feature_norm)

    def _build(self, name: str) -> LinearMDP:
        given, length = self.config, 2 * self.curator.feature_norm
        first = given.theta_share * self.curator.radius / math.hypot(1, 2**0.5 * given.later_share)
        levels = 1 if name == COVERED else given.few_levels
        axis = (
            multi_scale_world(given.num_levels, length, first)
            if name == SCALES
            else trapped_world(levels, length, first, given.trap_prob)
        )
        return two_stage_mdp(axis, given.later_share, given.tilt)

    def _gap(
        self, method: str, check: Check, value: float, world: LinearMDP, data: CentralData
    ) -> Tensor:
        """(R,) exact sub-optimality of the method's policy."""
        budget, d = self.budget(check, value), world.num_features
        theta = data.theta(self._perturbation(method, budget, data.n_pairs, d))
        if method == "argmin_policy":
            return world.gap(world.best_choices(-theta))
        if method != "pessimistic":
            return world.gap(world.best_choices(theta))
        matrix = data.matrix(budget, budget.confidence_ridge(data.n_pairs, d))
        scale = HORIZON * self.config.error_scale
        bound = budget.error_bound(data.n_pairs, d, scale)
        return world.policies.pessimistic_gap(theta, matrix, bound, budget.radius)

    def _perturbation(
        self, method: str, budget: CentralBudget, n_pairs: int, d: int
    ) -> Perturbation:
        """The numbers of Algorithm 1, one of them wrong in a control."""
        tol = float(n_pairs) ** -self.config.optimizer_tol_power
        numbers = printed_perturbation(budget, n_pairs, d, tol)
        factor = {"root_n_noise": math.sqrt(n_pairs), "noise_without_epsilon": budget.epsilon}
        return replace(numbers, noise_std=numbers.noise_std * factor.get(method, 1.0))

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            if not isinstance(check, InequalityCheck)
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                self.inputs_of_algorithm_1(check, value),
                self._in_the_class(self._worlds(str(check.settings["world"]))),
            )
        )

    def _in_the_class(self, world: LinearMDP) -> tuple[str, bool, str]:
        longest = max(float(layer.norm(dim=-1).max()) for layer in world.features)
        norm = float(world.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        return "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"
