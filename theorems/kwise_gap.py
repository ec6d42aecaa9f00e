"""P3 Theorem 4.4: private rewards and policies from rankings of K responses.

Statement (P3, section 4.2).  With the K-wise loss ℓ_{D_K} and covariance Σ_{D_K}, Algorithm 3 has
SubOpt(π̂) ≤ F·‖(Σ_D+λI)^(−1)(E φ(s, π*(s)) − v)‖ with probability ≥ 1−η, where F is eq. (3) and O(·)
hides factors of L, B and K.

Instances: the worlds of Lemma A.11 (``half_null``) and Theorem 4.2 (``scales``, ``trapped``) with
K responses at every state, features alternating in sign; n rankings are drawn as Plackett–Luce
choices and kept as counts per choice set and winner.  The budget carries the printed K-constants
(B.3: gradients 2K²L; B.5: noise of variance ∝ K⁶).

Measured: error norm and sub-optimality in n and ε; how the printed constants grow with K (error
∝ K^(3/2) through λ ∝ K³) while sharp ones do not; that one ranking adds at most 2KL²/(K−1) to
n·Σ_K (at K = 10 that is 2.2L², where B.5's proof allows 4000L²).

What the printed text does not bear out, expected contradicted:
- ``gradient_printed`` (Claim B.1) weights x_jk by the winner's probability in the place of k's.
  At K = 2 its mean over labels vanishes at −θ*, not at θ*.
- ``hessian_printed`` (Claim B.2) weights x_kl·x_klᵀ by the winner's probability in the place of
  ½·p_k·p_l.
- ``curvature_printed`` (eq. 19) has γ_K = e^(−4LB)/2.  Where all responses but one share their
  features only the first choice tells anything, and for a small ball γ_K is too large by K/(K−1).
  Lemma B.4, which only asks for some γ_K > 0, holds with e^(−4LB)·(K−1)/(2K).
The corrected forms agree with autograd to rounding, and the printed forms are their controls.  What
would refute Theorem 4.4: exponents above −1/2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from repro.base.schema import Count, Positive, Share
from repro.families.central.algorithms_budget import KwiseBudget
from repro.families.central.algorithms_curator import Perturbation, printed_perturbation
from repro.families.central.algorithms_release import CentralData, draw_ranked
from repro.families.central.bounds_curvature import ranking_curvature_ratio
from repro.families.central.bounds_rankings import (
    automatic_derivatives,
    claimed_gradient,
    claimed_hessian,
)
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.central.worlds_axis import half_null_world, multi_scale_world, trapped_world
from repro.families.central.worlds_rankings import ChoiceSetWorld, covariance_of_ranking
from repro.study.checks import Check, InequalityCheck
from repro.study.legacy import Row
from repro.study.results import AssumptionResult

GAP = "suboptimality [reward]"
ERROR = "‖θ* − θ̃‖ in Σ̃_K + λI"
CLAIM = "|formula − autograd| / 1e-10"
CURVATURE = "γ_K·vᵀΣ_K v / vᵀ∇²ℓ v"
SENSITIVITY = "largest term of n·Σ_K / bound"
SCALES, TRAPPED, NULL = "scales", "trapped", "half_null"
FORMULA = "random rankings"
AGREEMENT = 1e-10
"""Largest difference from autograd that rounding can explain."""


class KwiseGapConfig(CentralConfig):
    """Numbers of the experiment.

    Attributes:
        num_ranked: K where it is not swept.
        num_features: d of ``half_null``.
        num_levels: of ``scales``.
        few_levels: of ``trapped``, whose policies are enumerated.
        trap_prob: test mass of the trap.
        theta_share: ‖θ*‖/B.
        error_scale: the constant of O(·) in F, besides its factor of K.
        optimizer_tol_power: β = n^(−power).
        small_radius: B of the rows on eq. (19).
    """

    num_ranked: Count
    num_features: Count
    num_levels: Count
    few_levels: Count
    trap_prob: Share
    theta_share: Share
    error_scale: Positive
    optimizer_tol_power: Positive
    small_radius: Positive


class KwiseGap(CentralSweep):
    """Theorem 4.4 and the claims it rests on."""

    slug = "kwise_gap"
    title = "P3 Theorem 4.4: rankings of K responses under central differential privacy"
    statements = ("p3.thm_4_4", "p3.claim_b_1", "p3.claim_b_2", "p3.lem_b_4", "p3.eq_19")
    settled_by = {
        "p3.thm_4_4": ("n_pairs_greedy", "epsilon_greedy", "n_pairs", "error", "error_epsilon",
            "ranked_actions", "ranked_actions_sharp", "covariance_term"),
        "p3.claim_b_1": ("gradient_printed", "gradient"),
        "p3.claim_b_2": ("hessian_printed", "hessian"),
        "p3.lem_b_4": ("curvature",),
        "p3.eq_19": ("curvature_printed", "curvature"),
    }  # fmt: skip
    config_type = KwiseGapConfig

    rows = (
        Row("n_pairs_greedy", "n_pairs", SCALES, "greedy", ("root_n_noise", "argmin_policy"), GAP,
            "greedy on θ̃: gap ∝ n^(−1/2)"),
        Row("epsilon_greedy", "epsilon", SCALES, "greedy", ("noise_without_epsilon",), GAP,
            "greedy on θ̃: gap ∝ ε^(−1/2)"),
        Row("n_pairs", "n_pairs", TRAPPED, "pessimistic", ("greedy_into_the_trap",), GAP,
            "Algorithm 3: gap ≤ O(n^(−1/2))"),
        Row("error", "n_pairs", NULL, "error", ("error_text_ridge",), ERROR,
            "error ∝ n^(−1/2)"),
        Row("error_epsilon", "epsilon", NULL, "error", ("error_without_epsilon",), ERROR,
            "error ∝ ε^(−1/2)"),
        Row("ranked_actions", "ranked_actions", TRAPPED, "error", ("error_sharp",), ERROR,
            "printed K-constants: error ∝ K^(3/2)"),
        Row("ranked_actions_sharp", "ranked_actions", TRAPPED, "error_sharp", ("error",), ERROR,
            "sharp K-constants: error does not grow with K"),
        Row("covariance_term", "ranked_actions", FORMULA, "two_k_over_k_minus_1",
            ("limit_of_many",), SENSITIVITY, "one ranking adds ≤ 2KL²/(K−1) to n·Σ_K"),
        Row("gradient_printed", "ranked_actions", FORMULA, "gradient_printed", (), CLAIM,
            "Claim B.1 as printed"),
        Row("gradient", "ranked_actions", FORMULA, "gradient", ("gradient_printed",), CLAIM,
            "Claim B.1 with the probability of k"),
        Row("hessian_printed", "ranked_actions", FORMULA, "hessian_printed", (), CLAIM,
            "Claim B.2 as printed"),
        Row("hessian", "ranked_actions", FORMULA, "hessian", ("hessian_printed",), CLAIM,
            "Claim B.2 with ½·p_k·p_l"),
        Row("curvature_printed", "ranked_actions", FORMULA, "curvature_printed", (), CURVATURE,
            "(19) as printed: ∇²ℓ ⪰ e^(−4LB)/2·Σ_K"),
        Row("curvature", "ranked_actions", FORMULA, "curvature", ("curvature_printed",),
            CURVATURE, "(19) with e^(−4LB)·(K−1)/(2K)"),
    )  # fmt: skip

    config: KwiseGapConfig

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gaps, errors, differences from autograd or sensitivities, per method."""
        if check.settings["world"] == FORMULA:
            return self._formulas(check, int(value), rng, replicates)
        world = self._world(check, value)
        data = draw_ranked(rng, world, self.size(check, value)[0], replicates)
        return {m: self._measured(m, check, value, world, data).numpy() for m in check.methods}

    def _world(self, check: Check, value: float) -> ChoiceSetWorld:
        given, length = self.config, 2 * self.curator.feature_norm
        radius = given.theta_share * self.curator.radius
        match check.settings["world"]:
            case "scales":
                axis = multi_scale_world(given.num_levels, length, radius)
            case "half_null":
                axis = half_null_world(given.num_features, length, radius)
            case _:
                axis = trapped_world(given.few_levels, length, radius, given.trap_prob)
        return ChoiceSetWorld(axis, self._num_ranked(check, value))

    def _num_ranked(self, check: Check, value: float) -> int:
        return int(value) if check.axis == "ranked_actions" else self.config.num_ranked

    def kwise_budget(self, method: str, check: Check, value: float) -> KwiseBudget:
        """The budget with its K-constants, or without ε in a control."""
        plain = self.budget(check, value)
        epsilon = 1.0 if method == "error_without_epsilon" else plain.epsilon
        ranked, sharp = self._num_ranked(check, value), method == "error_sharp"
        fields = {**vars(plain), "epsilon": epsilon}
        return KwiseBudget(**fields, num_ranked=ranked, sharp=sharp)

    def _measured(
        self, method: str, check: Check, value: float, world: ChoiceSetWorld, data: CentralData
    ) -> Tensor:
        """(R,) what the method measures on drawn rankings."""
        budget, axis = self.kwise_budget(method, check, value), world.axis
        d = axis.num_features
        theta = data.theta(self._perturbation(method, budget, data.n_pairs, d))
        if method in ("greedy", "root_n_noise", "noise_without_epsilon"):
            return axis.gap(theta > 0)
        if method == "argmin_policy":
            return axis.gap(theta < 0)
        text = method == "error_text_ridge"
        ridge = (budget.text_ridge if text else budget.confidence_ridge)(data.n_pairs, d)
        matrix = data.matrix(budget, ridge)
        if method.startswith("error"):
            return data.distance(matrix, theta, axis.theta)
        if method.startswith("greedy"):
            return axis.policies.greedy_gap(theta)
        bound = budget.error_bound(data.n_pairs, d, self.config.error_scale)
        return axis.policies.pessimistic_gap(theta, matrix, bound, budget.radius)

    def _perturbation(self, method: str, budget: KwiseBudget, n_pairs: int, d: int) -> Perturbation:
        """The numbers of Algorithm 1, one of them wrong in a control."""
        tol = float(n_pairs) ** -self.config.optimizer_tol_power
        numbers = printed_perturbation(budget, n_pairs, d, tol)
        factor = {"root_n_noise": math.sqrt(n_pairs), "noise_without_epsilon": budget.epsilon}
        return replace(numbers, noise_std=numbers.noise_std * factor.get(method, 1.0))

    def _formulas(
        self, check: Check, num_ranked: int, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Differences from autograd at random rankings, or terms of Σ_K over their bound."""
        norm = self.curator.feature_norm
        if check.quantity == SENSITIVITY:
            largest = _largest_term(rng, replicates, num_ranked, norm)
            bound = 2 * num_ranked * norm**2 / (num_ranked - 1)
            return {
                "two_k_over_k_minus_1": (largest / bound).numpy(),
                "limit_of_many": (largest / (2 * norm**2)).numpy(),
            }
        if check.quantity == CURVATURE:
            return {
                m: self._curvature(m, num_ranked, rng, replicates).numpy() for m in check.methods
            }
        features = torch.from_numpy(rng.standard_normal((replicates, num_ranked, 3)))
        theta = torch.from_numpy(rng.standard_normal((replicates, 3)))
        of_gradient = check.name.startswith("gradient")
        exact = automatic_derivatives(theta, features)[0 if of_gradient else 1]
        claimed = claimed_gradient if of_gradient else claimed_hessian
        return {
            m: (claimed(theta, features, m.endswith("_printed")) - exact)
            .abs().flatten(1).amax(1).numpy() / AGREEMENT
            for m in check.methods
        }  # fmt: skip

    def _curvature(
        self, method: str, num_ranked: int, rng: np.random.Generator, replicates: int
    ) -> Tensor:
        """Both sides of (19) in a small ball, as printed or with (K−1)/K of the constant."""
        norm, radius = self.curator.feature_norm, self.config.small_radius
        factor = 1.0 if method.endswith("_printed") else (num_ranked - 1) / num_ranked
        gamma = 0.5 * math.exp(-4 * norm * radius) * factor
        return ranking_curvature_ratio(rng, replicates, num_ranked, norm, radius, gamma)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            if not isinstance(check, InequalityCheck)
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                self.inputs_of_algorithm_1(check, value),
                self._in_the_class(self._world(check, value)),
            )
        )

    def _in_the_class(self, world: ChoiceSetWorld) -> tuple[str, bool, str]:
        longest, norm = float(world.features.norm(dim=-1).max()), float(world.axis.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        return "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"


def _largest_term(
    rng: np.random.Generator, replicates: int, num_ranked: int, norm: float
) -> Tensor:
    """(R,) operator norms of one ranking's term; the first row has features ±L in turn."""
    features = torch.from_numpy(rng.standard_normal((replicates, num_ranked, 2)))
    features = norm * features / features.norm(dim=-1, keepdim=True)
    features[0] = 0
    features[0, ::2, 0], features[0, 1::2, 0] = norm, -norm
    return torch.linalg.matrix_norm(covariance_of_ranking(features), ord=2)
