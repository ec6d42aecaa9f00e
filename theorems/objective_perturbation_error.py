"""P3 Lemma A.11 (with A.4–A.6): how far objective perturbation moves the reward estimate.

Statement (P3, appendix A.4).  For λ = C√(d·log(1/η)·log(1/δ))/(εn), with probability at least 1−η,

    ‖θ_MLE − θ̃_MLE‖ in Σ̃_D + λI = O( (d·log(1/η)·log(1/δ))^(1/4) / √(εn) ).

The dataset is arbitrary, so the rows use datasets whose label shares are exactly the model's, for
which θ_MLE is θ* (of least norm where nothing was compared); b, w and the covariance's noise G are
the only randomness.  All rows use λ of the appendix, except the control ``text_ridge``, which takes
λ ∝ 1/√(εn) as printed below eq. (3) and has exponent −1/4.

Measured: the exponents where the bound is attained, in directions that no pair compares
(``half_null``) and on a spectrum 4^(−k) (``scales``); the faster 1/n where the data cover all
directions (``even``); the steps of the proof as ratios.

What the printed text does not bear out, each in a row of its own, expected contradicted:
- ``any_optimizer_tol``: Algorithm 1 admits any β < 1/n.  At β = 1/(2n) the output noise has
  ν² ∝ β/(αε²) ∝ 1/ε, constant in n, and A.11's left side does not fall at all.  β = n^(−3) here.
- ``growth_printed`` (A.5): the two sides of the difference are exchanged; f(θ) − f(θ̂) is right.
- ``ridge_convexity_printed`` (A.6): with c/2 for c/γ it fails for γ > 2; the proof has c/γ.
- ``ridge_step_printed`` (12): B for B²; fails for B > 2.
- ``noise_step_printed`` (13): γ in the numerator and a lost factor; the line above it has 1/γ.
- ``output_step_printed`` (before 14): the norm in a matrix is at most the root of its largest
  eigenvalue times ‖w‖; without the root it fails where 4L² + λ < 1.
None changes an exponent.  What would refute A.11: an exponent above the printed one at small β.
The contradicted rows need no control of their own: the corrected row beside each takes the
printed form as its control (``n_pairs`` does so for ``any_optimizer_tol``).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from torch import Tensor

from repro.base.schema import Count, Positive, Share
from repro.families.central import bounds_objective as bounds
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import (
    Noise,
    Perturbation,
    covariance_noise,
    draw_noise,
    norm_in,
    printed_perturbation,
    private_covariance,
    private_mle,
)
from repro.families.central.algorithms_losses import PairLoss
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.central.worlds_axis import (
    AxisWorld,
    even_world,
    half_null_world,
    multi_scale_world,
)
from repro.study.checks import Check, SlopeCheck
from repro.study.legacy import Row
from repro.study.results import AssumptionResult

ERROR = "‖θ_MLE − θ̃‖ in Σ̃ + λI"
RATIO = "left side / right side"
NULL, SCALES, EVEN, STEP = "half_null", "scales", "even", "step of the proof"
WORLDS = {NULL: half_null_world, SCALES: multi_scale_world, EVEN: even_world}
QUADRATIC_CURVATURE = 10.0
"""γ > 2 of the quadratic on which Lemma A.6 as printed fails."""


class ObjectivePerturbationConfig(CentralConfig):
    """Numbers of the experiment.

    Attributes:
        num_features: d where it is not swept.
        num_levels: of the spectrum 4^(−k).
        theta_share: ‖θ*‖/B.
        optimizer_tol_power: β = n^(−power).
        large_radius: B of the row on (12).
        small_feature_norm: L of the row on (14).
    """

    num_features: Count
    num_levels: Count
    theta_share: Share
    optimizer_tol_power: Positive
    large_radius: Positive
    small_feature_norm: Positive


class ObjectivePerturbationError(CentralSweep):
    """Lemma A.11 and the lemmas it rests on."""

    slug = "objective_perturbation_error"
    title = "P3 Lemma A.11: error of the objective-perturbed reward estimate"
    statements = (
        "p3.lem_a_4",
        "p3.lem_a_5",
        "p3.lem_a_6",
        "p3.lem_a_11",
        "p3.eq_12",
        "p3.eq_13",
        "p3.eq_14",
    )
    settled_by = {
        "p3.lem_a_4": ("strong_convexity",),
        "p3.lem_a_5": ("growth_printed", "growth"),
        "p3.lem_a_6": ("ridge_convexity_printed", "ridge_convexity"),
        "p3.lem_a_11": ("n_pairs", "n_pairs_scales", "n_pairs_benign", "epsilon", "num_features",
            "log_inverse_delta", "any_optimizer_tol"),
        "p3.eq_12": ("ridge_step_printed", "ridge_step"),
        "p3.eq_13": ("noise_step_printed", "noise_step"),
        "p3.eq_14": ("output_step_printed", "output_step"),
    }  # fmt: skip
    config_type = ObjectivePerturbationConfig

    rows = (
        Row("n_pairs", "n_pairs", NULL, "private_mle", ("text_ridge", "loose_solver"), ERROR,
            "where nothing is compared: error ∝ n^(−1/2)"),
        Row("n_pairs_scales", "n_pairs", SCALES, "private_mle", ("root_n_noise", "text_ridge"),
            ERROR, "on a spectrum 4^(−k): error ∝ n^(−1/2)"),
        Row("n_pairs_benign", "n_pairs", EVEN, "private_mle", ("root_n_noise", "loose_solver"),
            ERROR, "benign directions: error ∝ 1/n, faster than A.11"),
        Row("epsilon", "epsilon", NULL, "private_mle", ("noise_without_epsilon",
            "budget_ignored"), ERROR, "error ∝ ε^(−1/2)"),
        Row("num_features", "num_features", NULL, "private_mle", ("ridge_of_one_feature",), ERROR,
            "error ∝ d^(1/4)"),
        Row("log_inverse_delta", "log_inverse_delta", NULL, "private_mle", ("delta_ignored",),
            ERROR, "error ∝ log(1/δ)^(1/4)"),
        Row("any_optimizer_tol", "n_pairs", NULL, "loose_solver", (), ERROR,
            "A.11 at β = 1/(2n), which Algorithm 1 admits: error ≤ O(n^(−1/2))"),
        Row("strong_convexity", "num_features", STEP, "curvature", ("curvature_of_rewards",),
            RATIO, "Lemma A.4 with γ = 1/(2+e^(2LB)+e^(−2LB))"),
        Row("growth_printed", "num_features", STEP, "growth_printed", (), RATIO,
            "Lemma A.5 as printed: f(θ̂) − f(θ) ≥ (γ/2)‖θ̂−θ‖²"),
        Row("growth", "num_features", STEP, "growth", ("growth_printed",), RATIO,
            "Lemma A.5, f(θ) − f(θ̂) ≥ (γ/2)‖θ̂−θ‖²"),
        Row("ridge_convexity_printed", "num_features", STEP, "ridge_convexity_printed", (), RATIO,
            "Lemma A.6 as printed: M + (c/2)I"),
        Row("ridge_convexity", "num_features", STEP, "ridge_convexity",
            ("ridge_convexity_printed",), RATIO, "Lemma A.6 with M + (c/γ)I, as its proof has it"),
        Row("ridge_step_printed", "n_pairs", STEP, "ridge_step_printed", (), RATIO,
            "(12) as printed: ≤ √(2αB/γ)"),
        Row("ridge_step", "n_pairs", STEP, "ridge_step", ("ridge_step_printed",), RATIO,
            "(12) with B²: ≤ √(2αB²/γ)"),
        Row("noise_step_printed", "n_pairs", STEP, "noise_step_printed", (),
            "(13) fails [frequency]", "(13) as printed holds with probability ≥ 1−η"),
        Row("noise_step", "n_pairs", STEP, "noise_step", ("noise_step_printed",),
            "(13) fails [frequency]", "(13) with γ in the denominator: probability ≥ 1−η"),
        Row("output_step_printed", "n_pairs", STEP, "output_step_printed", (), RATIO,
            "before (14) as printed: ‖w‖ ≤ (4L²+λ)‖w‖₂"),
        Row("output_step", "n_pairs", STEP, "output_step", ("output_step_printed",), RATIO,
            "before (14) with the root: ‖w‖ ≤ √(4L²+λ)·‖w‖₂"),
    )  # fmt: skip

    config: ObjectivePerturbationConfig

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Errors on a world, or ratios of a step of the proof, per method."""
        if check.settings["world"] == STEP:
            step = self._step
            found = {m: step(m, check, value, rng, replicates) for m in check.methods}
            return {m: np.resize(ratio.numpy(), replicates) for m, ratio in found.items()}
        world = self._world(check, value)
        d = world.num_features
        noise, spread = draw_noise(rng, replicates, d), covariance_noise(rng, replicates, d)
        return {
            m: self._error(m, check, value, world, noise, spread).numpy() for m in check.methods
        }

    def _world(self, check: Check, value: float) -> AxisWorld:
        name = str(check.settings["world"])
        given = self.curator
        d = self.config.num_levels if name == SCALES else self.config.num_features
        d = int(value) if check.axis == "num_features" else d
        radius = self.config.theta_share * given.radius
        return WORLDS[name](d, 2 * given.feature_norm, radius)

    def _error(
        self,
        method: str,
        check: Check,
        value: float,
        world: AxisWorld,
        noise: Noise,
        spread: Tensor,
    ) -> Tensor:
        """(R,) ‖θ_MLE − θ̃‖ in the norm the method takes for A.11's."""
        n_pairs, _ = self.size(check, value)
        budget, d = self._assumed_budget(method, check, value), world.num_features
        loss = PairLoss(
            world.feature_diff, world.data_prob[None], (world.data_prob * world.win_prob)[None]
        )
        numbers = self._perturbation(method, budget, n_pairs, d)
        error = private_mle(loss, n_pairs, numbers, noise) - world.theta * (world.data_prob > 0)
        std = budget.covariance_std(n_pairs)
        covariance = private_covariance(loss.covariance, spread, std)
        d = 1 if method == "ridge_of_one_feature" else d
        ridge = budget.text_ridge if method == "text_ridge" else budget.confidence_ridge
        return norm_in(covariance, ridge(n_pairs, d), error)

    def _assumed_budget(self, method: str, check: Check, value: float) -> CentralBudget:
        """The budget of the row, or one that leaves ε or δ out."""
        budget = self.budget(check, value)
        if method == "budget_ignored":
            return replace(budget, epsilon=1.0)
        if method == "delta_ignored":
            return replace(budget, log_inverse_delta=math.log(1 / self.curator.dp_delta))
        return budget

    def _perturbation(
        self, method: str, budget: CentralBudget, n_pairs: int, d: int
    ) -> Perturbation:
        """The numbers of Algorithm 1, one of them wrong in a control."""
        loose = method == "loose_solver"
        tol = 0.5 / n_pairs if loose else n_pairs**-self.config.optimizer_tol_power
        d = 1 if method == "ridge_of_one_feature" else d
        numbers = printed_perturbation(budget, n_pairs, d, tol)
        if method == "root_n_noise":
            return replace(numbers, noise_std=numbers.noise_std * math.sqrt(n_pairs))
        if method == "noise_without_epsilon":
            return replace(numbers, noise_std=numbers.noise_std * budget.epsilon)
        return numbers

    def _step(
        self, method: str, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> Tensor:
        """Ratios of one step of the proof, as printed or corrected."""
        name = method.removesuffix("_printed")
        printed, given = method.endswith("_printed"), self.config
        if check.axis == "num_features":
            return self._step_in_d(name, int(value), printed, rng, replicates)
        budget, n_pairs = self.budget(check, value), value
        if name == "ridge_step":
            large = replace(budget, radius=given.large_radius, feature_norm=0.1)
            return bounds.ridge_step(large, n_pairs, printed)
        if name == "noise_step":
            return bounds.noise_step(rng, replicates, budget, n_pairs, given.num_features, printed)
        small = replace(budget, feature_norm=given.small_feature_norm)
        ridge = small.confidence_ridge(n_pairs, 1)
        return bounds.output_step(rng, replicates, small, ridge, printed)

    def _step_in_d(
        self, name: str, d: int, printed: bool, rng: np.random.Generator, replicates: int
    ) -> Tensor:
        budget = CentralBudget(1.0, 1.0, 0.5, self.curator.feature_norm, self.curator.radius, 1.0)
        if name.startswith("curvature"):
            seen = budget if name == "curvature" else replace(budget, radius=budget.radius / 2)
            return bounds.strong_convexity(rng, replicates, budget, seen.curvature, d)
        if name == "growth":
            return bounds.growth_from_optimum(rng, replicates, budget, d, printed)
        return bounds.ridge_convexity(rng, replicates, d, QUADRATIC_CURVATURE, printed)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1, β < 1/n, and Assumption 2.1, at both ends of every sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            if isinstance(check, SlopeCheck)
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                self.inputs_of_algorithm_1(check, value),
                self._in_the_class(check, value),
            )
        )

    def _in_the_class(self, check: Check, value: float) -> tuple[str, bool, str]:
        world = self._world(check, value)
        longest, norm = world.length / 2, float(world.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        return "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"
