"""P3 Theorem 4.2: sub-optimality of pessimistic policies from a private reward and covariance.

Statement (P3, section 4.1).  With F = O(√(d/n) + (d·log(1/η)·log(1/δ))^(1/4)/√(εn)), eq. (3), the
output of Algorithm 3 has, with probability at least 1−η,

    SubOpt(π̂) ≤ F · ‖(Σ_D + λI)^(−1)·(E[φ(s, π*(s))] − v)‖₂.

The proof (appendix A.5) has (Σ_D + λI)^(−1/2) in the place of the inverse, and λ ∝ 1/(εn), while
the text below eq. (3) prints λ ∝ 1/√(εn).  Rows use the proof's forms unless their name says
otherwise.

Instances: ``scales``, data mass ∝ 4^(−k) and test mass ∝ 2^(−k), on which greedy choices from θ̃
attain (εn)^(−1/2); ``trapped``, the same with a state whose worse response was never compared, on
which greedy choices fail at every n and pessimistic ones must not; ``hardest``, S = d states with
the costliest reward difference, fixed by a closed form, for √d.  δ is the same at every n.

What the printed text does not bear out, expected contradicted:
- ``confidence_text_ridge``: with the main text's λ the distance ‖θ*−θ̃‖ in Σ̃+λI falls like
  (εn)^(−1/4), so θ* leaves the confidence set (2) for every constant of O(·) as n grows.
- ``bound_printed``: with the inverse for its root, F·‖…‖ does not fall with n on ``scales`` though
  the gap does: the theorem holds (the inverse is larger, up to 4L²+λ) but no longer says 1/√n.
- ``reference_lemma_printed``: Zhu et al.'s Lemma 3.1 quoted with λ outside the root; the ratio of
  the two sides grows without limit as ε falls.  √(d/n + λB²) is right.
``argmin_policy`` settles the appendix's "π* = argmin": it is the argmax that is meant.

What would refute Theorem 4.2: a pessimistic exponent above −1/2, or gaps above the bound more often
than η.  Contradicted rows take their corrected neighbour's control.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from repro.base.schema import Count, Positive, Share
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import Perturbation, printed_perturbation
from repro.families.central.algorithms_release import CentralData, draw_pairs
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.central.worlds_axis import (
    AxisWorld,
    hardest_even_world,
    multi_scale_world,
    trapped_world,
)
from repro.study.checks import Check
from repro.study.legacy import Row
from repro.study.results import AssumptionResult

GAP = "suboptimality [reward]"
DISTANCE = "‖θ* − θ̃‖ / F"
SCALES, TRAPPED, HARDEST, LEMMA = "scales", "trapped", "hardest", "half of θ* unseen"


class CentralGapConfig(CentralConfig):
    """Numbers of the experiment.

    Attributes:
        num_levels: of ``scales``.
        few_levels: of ``trapped``, whose policies are enumerated.
        trap_prob: test mass of the trap.
        theta_share: ‖θ*‖/B.
        error_scale: the constant of O(·) in F; ``confidence_covers`` checks that it suffices.
        optimizer_tol_power: β = n^(−power).
        lemma_features: d of the row on Zhu et al.'s lemma.
    """

    num_levels: Count
    few_levels: Count
    trap_prob: Share
    theta_share: Share
    error_scale: Positive
    optimizer_tol_power: Positive
    lemma_features: Count


class CentralDPGap(CentralSweep):
    """Theorem 4.2 on pairs."""

    slug = "central_dp_gap"
    title = "P3 Theorem 4.2: sub-optimality under central differential privacy"
    statements = ("p3.thm_4_2", "p3.eq_3", "p3.sec_4_1", "p3.app_a_zhu")
    settled_by = {
        "p3.thm_4_2": ("n_pairs_greedy", "epsilon_greedy", "n_pairs", "epsilon", "num_features",
            "theorem_bound", "confidence_covers", "bound"),
        "p3.eq_3": ("confidence", "confidence_text_ridge"),
        "p3.sec_4_1": ("bound", "bound_printed"),
        "p3.app_a_zhu": ("reference_lemma", "reference_lemma_printed"),
    }  # fmt: skip
    config_type = CentralGapConfig

    rows = (
        Row("n_pairs_greedy", "n_pairs", SCALES, "greedy", ("root_n_noise", "argmin_policy"), GAP,
            "greedy on θ̃: gap ∝ n^(−1/2)"),
        Row("epsilon_greedy", "epsilon", SCALES, "greedy", ("noise_without_epsilon",), GAP,
            "greedy on θ̃: gap ∝ ε^(−1/2)"),
        Row("n_pairs", "n_pairs", TRAPPED, "pessimistic", ("greedy_into_the_trap",), GAP,
            "Algorithm 3: gap ≤ O(n^(−1/2))"),
        Row("epsilon", "epsilon", TRAPPED, "pessimistic", ("greedy_into_the_trap",), GAP,
            "Algorithm 3: gap ≤ O(ε^(−1/2))"),
        Row("num_features", "num_features", HARDEST, "greedy", ("labels_per_state",), GAP,
            "largest gap on a table of d states ∝ √d"),
        Row("theorem_bound", "n_pairs", TRAPPED, "pessimistic_fails", ("greedy_fails",),
            "gap above the bound [frequency]",
            "gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ with probability ≥ 1−η"),
        Row("confidence_covers", "n_pairs", TRAPPED, "misses", ("misses_without_private_term",),
            "θ* outside (2) [frequency]", "θ* in the confidence set with probability ≥ 1−η"),
        Row("confidence", "n_pairs", TRAPPED, "distance", ("distance_text_ridge",), DISTANCE,
            "λ of the appendix: distance ≤ O(F)"),
        Row("confidence_text_ridge", "n_pairs", TRAPPED, "distance_text_ridge", (), DISTANCE,
            "λ of the main text: distance ≤ O(F)"),
        Row("bound", "n_pairs", SCALES, "bound", ("bound_printed",),
            "F·‖(Σ+λI)^(−1/2)(Eφ−v)‖", "the proof's bound falls like the gap, n^(−1/2)"),
        Row("bound_printed", "n_pairs", SCALES, "bound_printed", (),
            "F·‖(Σ+λI)^(−1)(Eφ−v)‖", "the printed bound falls like the gap, n^(−1/2)"),
        Row("reference_lemma", "epsilon", LEMMA, "lemma", ("lemma_printed",),
            "‖θ_MLE−θ*‖ / √(d/n+λB²)", "λ inside the root: the ratio is bounded as ε falls"),
        Row("reference_lemma_printed", "epsilon", LEMMA, "lemma_printed", (),
            "‖θ_MLE−θ*‖ / (√(d/n)+λ)", "as printed: the ratio is bounded as ε falls"),
    )  # fmt: skip

    config: CentralGapConfig

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gaps, distances, bounds or failures, per method."""
        if check.settings["world"] == LEMMA:
            seen = torch.from_numpy(rng.standard_normal((replicates, self.config.lemma_features)))
            return {m: self._lemma(m, check, value, seen).numpy() for m in check.methods}
        world, n_pairs = self._world(check, value), self.size(check, value)[0]
        if check.method.startswith("bound"):
            bounds = {
                m: self._bound(m, self.budget(check, value), world, n_pairs) for m in check.methods
            }
            return {m: np.full(replicates, bound) for m, bound in bounds.items()}
        data = draw_pairs(rng, world, n_pairs, replicates)
        found = {}
        for method in check.methods:
            if method == "labels_per_state":
                n_pairs *= world.num_features
                world = hardest_even_world(world.num_features, world.length, n_pairs)
                data = draw_pairs(rng, world, n_pairs, replicates)
            found[method] = self._measured(method, check, value, world, data).numpy()
        return found

    def _world(self, check: Check, value: float) -> AxisWorld:
        length, given = 2 * self.curator.feature_norm, self.config
        radius = given.theta_share * self.curator.radius
        match check.settings["world"]:
            case "scales":
                return multi_scale_world(given.num_levels, length, radius)
            case "trapped":
                return trapped_world(given.few_levels, length, radius, given.trap_prob)
        return hardest_even_world(int(value), length, self.size(check, value)[0])

    def _measured(
        self, method: str, check: Check, value: float, world: AxisWorld, data: CentralData
    ) -> Tensor:
        """(R,) what the method measures on drawn datasets."""
        budget, d = self.budget(check, value), world.num_features
        theta = data.theta(self._perturbation(method, budget, data.n_pairs, d))
        if method in ("greedy", "root_n_noise", "noise_without_epsilon", "labels_per_state"):
            return world.gap(theta > 0)
        if method == "argmin_policy":
            return world.gap(theta < 0)
        text = method == "distance_text_ridge"
        ridge = (budget.text_ridge if text else budget.confidence_ridge)(data.n_pairs, d)
        matrix = data.matrix(budget, ridge)
        bound = budget.error_bound(data.n_pairs, d, self.config.error_scale)
        if method.startswith("misses"):
            no_private = self.config.error_scale * math.sqrt(d / data.n_pairs)
            bound = no_private if method == "misses_without_private_term" else bound
            return (data.distance(matrix, theta, world.theta) > bound).double()
        if method.startswith("distance"):
            return data.distance(matrix, theta, world.theta) / bound
        table = world.policies
        gap = (
            table.greedy_gap(theta)
            if method.startswith("greedy")
            else table.pessimistic_gap(theta, matrix, bound, budget.radius)
        )
        if not method.endswith("fails"):
            return gap
        covered = _coverage(world, ridge / 2, table.optimal_features, power=0.5)
        return (gap > 2 * bound * covered).double()

    def _perturbation(
        self, method: str, budget: CentralBudget, n_pairs: int, d: int
    ) -> Perturbation:
        """The numbers of Algorithm 1, one of them wrong in a control."""
        tol = float(n_pairs) ** -self.config.optimizer_tol_power
        numbers = printed_perturbation(budget, n_pairs, d, tol)
        factor = {"root_n_noise": math.sqrt(n_pairs), "noise_without_epsilon": budget.epsilon}
        return replace(numbers, noise_std=numbers.noise_std * factor.get(method, 1.0))

    def _bound(self, method: str, budget: CentralBudget, world: AxisWorld, n_pairs: int) -> float:
        """F times the concentrability of π*, with the inverse as printed or with its root."""
        d, optimal = world.num_features, world.theta > 0
        ridge = budget.confidence_ridge(n_pairs, d)
        features = optimal * world.length * world.test_prob
        power = 1.0 if method == "bound_printed" else 0.5
        return budget.error_bound(n_pairs, d, 1.0) * _coverage(world, ridge, features, power)

    def _lemma(self, method: str, check: Check, value: float, seen: Tensor) -> Tensor:
        """(R,) ‖θ_MLE − θ*‖ in Σ+λI over its quoted bound.

        Half of the coordinates carry Σ = 4L²·2/d and θ_MLE's Fisher error there; no pair compares
        the others, where θ_MLE is 0 and θ* is not.
        """
        n_pairs, d = self.size(check, value)[0], self.config.lemma_features
        ridge = self.budget(check, value).confidence_ridge(n_pairs, d)
        eigenvalue = 8 * self.curator.feature_norm**2 / d
        error = seen[:, : d // 2].square().sum(-1) * 4 / (n_pairs * eigenvalue)
        unseen = (self.config.theta_share * self.curator.radius) ** 2
        left = ((eigenvalue + ridge) * error + ridge * unseen).sqrt()
        if method == "lemma_printed":
            return left / (math.sqrt(d / n_pairs) + ridge)
        return left / math.sqrt(d / n_pairs + ridge * self.curator.radius**2)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            if check.settings["world"] != LEMMA
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in (
                self.inputs_of_algorithm_1(check, value),
                self._in_the_class(check, value),
            )
        )

    def _in_the_class(self, check: Check, value: float) -> tuple[str, bool, str]:
        world = self._world(check, value)
        norm = float(world.theta.norm())
        return "‖θ*‖ ≤ B", norm <= self.curator.radius, f"‖θ*‖ = {norm:.3g}"


def _coverage(world: AxisWorld, ridge: float, features: Tensor, power: float) -> float:
    """‖(Σ + ridge·I)^(−power)·features‖₂; Σ = length²·diag(data mass)."""
    spectrum = world.length**2 * world.data_prob + ridge
    return float((features * spectrum**-power).norm())
