"""P3 Lemma A.11 (with A.4–A.6): how far objective perturbation moves the reward estimate.

Statement (P3, appendix A.4).  For λ = C√(d·log(1/η)·log(1/δ))/(εn), with probability at least 1−η,

    ‖θ_MLE − θ̃_MLE‖ in Σ̃_D + λI = O( (d·log(1/η)·log(1/δ))^(1/4) / √(εn) ).

The dataset is arbitrary, so the rows use datasets whose label shares are exactly the model's, for
which θ_MLE is θ* (of least norm where nothing was compared); b, w and the covariance's noise G are
the only randomness.  All rows use λ of the appendix, except the control ``text_ridge``, which takes
λ ∝ 1/√(εn) as printed below eq. (3) and has exponent −1/4.

Measured: the exponents where the bound is attained, in directions that no pair compares
(``half_null``) and on a spectrum 4^(−k) (``scales``); the faster 1/n where the data cover all
directions (``even``).  A.4 to A.6 are proved, by intervals; (12) and the step before (14) are
computed at one instance.

What the printed text does not bear out, each in a row of its own, expected contradicted:
- ``any_optimizer_tol``: Algorithm 1 admits any β < 1/n.  At β = 1/(2n) the output noise has
  ν² ∝ β/(αε²) ∝ 1/ε, constant in n, and A.11's left side does not fall at all.  β = n^(−3) here.
- ``growth_printed`` (A.5): the two sides of the difference are exchanged, a misprint;
  f(θ) − f(θ̂) is right.
- ``ridge_convexity_printed`` (A.6): with c/2 for c/γ it fails for γ > 2; the proof has c/γ.
- ``ridge_step_printed`` (12): B for B²; fails for B > 2.
- ``noise_step_printed`` (13): γ in the numerator and a lost factor; the line above it has 1/γ.
- ``output_step_printed`` (before 14): the norm in a matrix is at most the root of its largest
  eigenvalue times ‖w‖; without the root it fails where 4L² + λ < 1.
The first changes an exponent, the others none.  Rows without ``_private`` use the printed noise,
which is not private at its stated budget (at δ = 1e-30 Lemma A.7 fails whether an item is replaced
or added); rows ``*_private`` release θ̃ and Σ̃ certified at (ε/2, δ/2) each for a replaced record,
δ = 1/n² (docs/explanations/private_rates.md).  What would
refute A.11: an exponent above the printed one at small β.
The contradicted rows need no control of their own: the corrected row beside each takes the
printed form as its control (``n_pairs`` does so for ``any_optimizer_tol``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from repro.base.schema import Count, Positive, Share
from repro.families.central import proofs_steps as proof
from repro.families.central import quantities_objective as a11
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.cases import (
    PRIVATE,
    CentralExperiment,
    CentralProbes,
    inputs_of_algorithm_1,
)
from repro.families.central.quantities_objective import (
    CLOSED,
    ERROR,
    STEP_FAILS,
    ErrorCase,
    StepCase,
    private_mle,
)
from repro.families.central.worlds_axis import (
    AxisWorld,
    even_world,
    half_null_world,
    multi_scale_world,
)
from repro.study.case import Case, Point
from repro.study.claims import Frequency, Inequality, Slope
from repro.study.experiment import Assumed
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Need, Row

PROVED = proved("left side / right side", of=lambda case: case)
NULL, SCALES, EVEN = "half_null", "scales", "even"
STEP_IN_D, STEP_IN_N = "step of the proof, free of n", "step of the proof"
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
SIZED = (*LABELS, Need.NOISE)
PRIVATE_RATES = ("own.private_rates", "p3.lem_a_11")
LEMMA, A_5, A_6 = ("p3.lem_a_11",), ("p3.lem_a_5",), ("p3.lem_a_6",)
EQ_12, EQ_13, EQ_14 = ("p3.eq_12",), ("p3.eq_13",), ("p3.eq_14",)


class ObjectiveErrorProbes(CentralProbes):
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


Constants = Callable[[ObjectiveErrorProbes, CentralBudget], CentralBudget]
"""The constants on which a step of the proof is shown."""


def in_force(given: ObjectiveErrorProbes, budget: CentralBudget) -> CentralBudget:
    """The curator's own."""
    return budget


def large_ball(given: ObjectiveErrorProbes, budget: CentralBudget) -> CentralBudget:
    """B above 2, and L small enough for γ not to vanish."""
    return replace(budget, radius=given.large_radius, feature_norm=0.1)


def small_features(given: ObjectiveErrorProbes, budget: CentralBudget) -> CentralBudget:
    """4L² + λ below 1."""
    return replace(budget, feature_norm=given.small_feature_norm)


class ObjectivePerturbationError(CentralExperiment[Case]):
    """Lemma A.11 and the lemmas it rests on."""

    title = "P3 Lemma A.11: error of the objective-perturbed reward estimate"
    config_type = ObjectiveErrorProbes
    config: ObjectiveErrorProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "where nothing is compared: error {rate}"), ERROR,
            private_mle, (a11.text_ridge, a11.loose_solver), on=NULL, needs=SIZED, settles=LEMMA),
        Row("n_pairs_scales", "n_pairs", Slope(-0.5, "on a spectrum 4^(−k): error {rate}"), ERROR,
            private_mle, (a11.root_n_noise, a11.text_ridge), on=SCALES, needs=LABELS,
            settles=LEMMA),
        Row("n_pairs_benign", "n_pairs",
            Slope(-1, "benign directions: error {rate}, faster than A.11"), ERROR, private_mle,
            (a11.root_n_noise, a11.loose_solver), on=EVEN, needs=LABELS, settles=LEMMA),
        Row("epsilon", "epsilon", Slope(-0.5, "error {rate}"), ERROR, private_mle,
            (a11.noise_without_epsilon, a11.budget_ignored), on=NULL, needs=SIZED, settles=LEMMA),
        Row("num_features", "num_features", Slope(0.25, "error {rate}", tolerance=0.1), ERROR,
            private_mle, (a11.ridge_of_one_feature,), on=NULL, needs=SIZED, settles=LEMMA),
        Row("log_inverse_delta", "log_inverse_delta", Slope(0.25, "error {rate}", tolerance=0.1),
            ERROR, private_mle, (a11.delta_ignored,), on=NULL, needs=SIZED, settles=LEMMA),
        Row("any_optimizer_tol", "n_pairs",
            Slope(-0.5, "A.11 at β = 1/(2n), which Algorithm 1 admits: error {rate}", "at_most"),
            ERROR, a11.loose_solver, on=NULL, needs=(Need.TRUTH_HIDDEN, Need.NOISE),
            settles=LEMMA, expected="contradicted",
            why="the output noise has ν² ∝ β/(αε²), constant in n"),
        Row("strong_convexity", "num_features",
            Inequality("Lemma A.4 with γ = 1/(2+e^(2LB)+e^(−2LB))"), PROVED, proof.curvature,
            (proof.curvature_of_rewards,), on=STEP_IN_D, settles=("p3.lem_a_4",)),
        Row("growth_printed", "num_features",
            Inequality("Lemma A.5 as printed: f(θ̂) − f(θ) ≥ (γ/2)‖θ̂−θ‖²"), PROVED,
            proof.growth_printed, on=STEP_IN_D, settles=A_5, expected="contradicted",
            why="the two sides of the difference are exchanged"),
        Row("growth", "num_features", Inequality("Lemma A.5, f(θ) − f(θ̂) ≥ (γ/2)‖θ̂−θ‖²"), PROVED,
            proof.growth, (proof.growth_printed,), on=STEP_IN_D, settles=A_5),
        Row("ridge_convexity_printed", "num_features",
            Inequality("Lemma A.6 as printed: M + (c/2)I"), PROVED, proof.ridge_convexity_printed,
            on=STEP_IN_D, settles=A_6, expected="contradicted", why="c/2 for c/γ fails for γ > 2"),
        Row("ridge_convexity", "num_features",
            Inequality("Lemma A.6 with M + (c/γ)I, as its proof has it"), PROVED,
            proof.ridge_convexity, (proof.ridge_convexity_printed,), on=STEP_IN_D, settles=A_6),
        Row("ridge_step_printed", "n_pairs", Inequality("(12) as printed: ≤ √(2αB/γ)"), CLOSED,
            a11.ridge_step_printed, on=STEP_IN_N, given=large_ball, settles=EQ_12,
            expected="contradicted", why="B for B² fails for B > 2"),
        Row("ridge_step", "n_pairs", Inequality("(12) with B²: ≤ √(2αB²/γ)"), CLOSED,
            a11.ridge_step, (a11.ridge_step_printed,), on=STEP_IN_N, given=large_ball,
            settles=EQ_12),
        Row("noise_step_printed", "n_pairs",
            Frequency("(13) as printed holds with probability ≥ 1−η"), STEP_FAILS,
            a11.noise_step_printed, on=STEP_IN_N, given=in_force, needs=(Need.NOISE,),
            settles=EQ_13, expected="contradicted", why="γ stands in the numerator"),
        Row("noise_step", "n_pairs",
            Frequency("(13) with γ in the denominator, within a factor 20: probability ≥ 1−η"),
            STEP_FAILS, a11.noise_step, (a11.noise_step_printed,), on=STEP_IN_N, given=in_force,
            needs=(Need.NOISE,), settles=EQ_13),
        Row("output_step_printed", "n_pairs",
            Inequality("before (14) as printed: ‖w‖ ≤ (4L²+λ)‖w‖₂"), CLOSED,
            a11.output_step_printed, on=STEP_IN_N, given=small_features, settles=EQ_14,
            expected="contradicted",
            why="without the root of the eigenvalue it fails where 4L² + λ < 1"),
        Row("output_step", "n_pairs",
            Inequality("before (14) with the root: ‖w‖ ≤ √(4L²+λ)·‖w‖₂"), CLOSED, a11.output_step,
            (a11.output_step_printed,), on=STEP_IN_N, given=small_features, settles=EQ_14),
        Row("n_pairs_private", "n_pairs",
            Slope(-0.5, "private, where nothing is compared: error {rate}"), ERROR, private_mle,
            (a11.text_ridge, a11.loose_solver), on=NULL, given=PRIVATE, needs=SIZED,
            settles=PRIVATE_RATES),
        Row("n_pairs_scales_private", "n_pairs",
            Slope(-0.5, "private, on a spectrum 4^(−k): error {rate}"), ERROR, private_mle,
            (a11.root_n_noise, a11.text_ridge), on=SCALES, given=PRIVATE, needs=LABELS,
            settles=PRIVATE_RATES),
        Row("n_pairs_benign_private", "n_pairs",
            Slope(-1, "private, benign directions: error {rate}", tolerance=0.1), ERROR,
            private_mle, (a11.root_n_noise, a11.loose_solver), on=EVEN, given=PRIVATE, needs=LABELS,
            settles=PRIVATE_RATES),
        Row("epsilon_private", "epsilon", Slope(-0.5, "private: error {rate}"), ERROR, private_mle,
            (a11.noise_without_epsilon, a11.budget_ignored), on=NULL, given=PRIVATE, needs=SIZED,
            settles=PRIVATE_RATES),
        Row("num_features_private", "num_features",
            Slope(0.25, "private: error {rate}", tolerance=0.1), ERROR, private_mle,
            (a11.ridge_of_one_feature,), on=NULL, given=PRIVATE, needs=SIZED,
            settles=PRIVATE_RATES),
        Row("log_inverse_delta_private", "log_inverse_delta",
            Slope(0.25, "private: error {rate}", tolerance=0.1), ERROR, private_mle,
            (a11.delta_ignored,), on=NULL, given=PRIVATE, needs=SIZED, settles=PRIVATE_RATES),
    )  # fmt: skip

    def _features(self, point: Point) -> int:
        return int(point.swept("num_features", self.config.num_features))

    def half_null(self, point: Point) -> ErrorCase:
        """Half of the coordinates are never compared."""
        return self._error(point, half_null_world(self._features(point), *self.pairs))

    def scales(self, point: Point) -> ErrorCase:
        """A spectrum 4^(−k)."""
        return self._error(point, multi_scale_world(self.config.num_levels, *self.pairs))

    def even(self, point: Point) -> ErrorCase:
        """Only benign directions."""
        return self._error(point, even_world(self._features(point), *self.pairs))

    def _error(self, point: Point, world: AxisWorld) -> ErrorCase:
        return ErrorCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs, world=world,
            budget=self.budget_of(point), optimizer_tol_power=self.config.optimizer_tol_power,
            stated_log_inverse_delta=math.log(1 / self.curator.dp_delta),
        )  # fmt: skip

    def step_in_d(self, point: Point) -> StepCase:
        """A step that has neither n nor a privacy budget in it."""
        given = self.curator
        unit = CentralBudget(1.0, 1.0, 0.5, given.feature_norm, given.radius, 1.0)
        d = self._features(point)
        return StepCase(methods=point.methods, budget=unit, num_features=d)

    def step_in_n(self, point: Point) -> StepCase:
        """A step at n labels, on the row's constants."""
        constants: Constants = point.row.given
        return StepCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            budget=constants(self.config, self.budget(point)),
            num_features=self.config.num_features,
        )  # fmt: skip

    places = {
        NULL: half_null, SCALES: scales, EVEN: even, STEP_IN_D: step_in_d, STEP_IN_N: step_in_n,
    }  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1, β < 1/n, and Assumption 2.1, at both ends of every sweep."""
        return self.at_both_ends(ErrorCase, inputs_of_algorithm_1, self._in_the_class)

    def _in_the_class(self, case: ErrorCase) -> Iterator[Assumed]:
        longest, norm = case.world.length / 2, float(case.world.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        yield "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"
