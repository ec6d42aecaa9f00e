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

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from torch import Tensor

from repro.base.schema import Count, Positive
from repro.families.central import proofs_curvature as proof
from repro.families.central.algorithms_budget import KwiseBudget
from repro.families.central.algorithms_private_budget import PrivateKwiseBudget
from repro.families.central.algorithms_release import CentralData
from repro.families.central.bounds_rankings import claimed_gradient, claimed_hessian
from repro.families.central.cases import (
    CentralExperiment,
    GapProbes,
    LearningCase,
    inputs_of_algorithm_1,
    learnt,
)
from repro.families.central.quantities_rankings import OFF_GRADIENT, OFF_HESSIAN, RankingCase
from repro.families.central.worlds_axis import (
    AxisWorld,
    half_null_world,
    multi_scale_world,
    trapped_world,
)
from repro.families.central.worlds_rankings import ChoiceSetWorld
from repro.families.central.wrong_learners import (
    argmin_policy,
    greedy,
    greedy_into_the_trap,
    noise_without_epsilon,
    pessimistic,
    root_n_noise,
)
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Slope
from repro.study.experiment import Assumed
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row, method

SCALES, TRAPPED, NULL = "scales", "trapped", "half_null"
FORMULA = "random rankings"


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedCase(LearningCase):
    """Learning from rankings of K responses."""

    world: ChoiceSetWorld
    budget: KwiseBudget

    def with_budget(self, **changes: object) -> RankedCase:
        """The same case for a curator who believes in another budget."""
        return replace(self, budget=replace(self.budget, **changes))


@method
def error(case: RankedCase, data: CentralData) -> Tensor:
    """‖θ* − θ̃‖ with λ of the appendix and the printed K-constants."""
    return case.distance(data, case.ridge)


@method
def error_text_ridge(case: RankedCase, data: CentralData) -> Tensor:
    """Wrong: λ of the main text."""
    return case.distance(data, case.text_ridge)


@method
def error_without_epsilon(case: RankedCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of ε: all constants are those of ε = 1."""
    return error.run(case.with_budget(epsilon=1.0), data)


@method
def error_sharp(case: RankedCase, data: CentralData) -> Tensor:
    """‖θ* − θ̃‖ with the sharp K-constants."""
    return error.run(case.with_budget(sharp=True), data)


gradient = Method("gradient", partial(claimed_gradient, printed=False))
gradient_printed = Method("gradient_printed", partial(claimed_gradient, printed=True))
hessian = Method("hessian", partial(claimed_hessian, printed=False))
hessian_printed = Method("hessian_printed", partial(claimed_hessian, printed=True))

GAP = learnt("suboptimality [reward]")
ERROR = learnt("‖θ* − θ̃‖ in Σ̃_K + λI")
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
NOISY = (*LABELS, Need.NOISE)
"""In ε alone: both terms of F, that of the sample and that of the noise, go like 1/√n."""
PRIVATE_RATES = ("own.private_rates", "p3.thm_4_4")
THEOREM, CLAIM_1, CLAIM_2 = ("p3.thm_4_4",), ("p3.claim_b_1",), ("p3.claim_b_2",)


def private_budget(one: KwiseGap, point: Point, num_ranked: int) -> KwiseBudget:
    """Noise certified for rankings of K responses, δ = 1/n²."""
    return PrivateKwiseBudget(**vars(one.private_budget(point)), num_ranked=num_ranked)


class KwiseGapProbes(GapProbes):
    """Numbers of the experiment.

    Attributes:
        num_ranked: K where it is not swept.
        num_features: d of ``half_null``.
        small_radius: B of the rows on eq. (19).
    """

    num_ranked: Count
    num_features: Count
    small_radius: Positive


class KwiseGap(CentralExperiment[Case]):
    """Theorem 4.4 and the claims it rests on."""

    title = "P3 Theorem 4.4: rankings of K responses under central differential privacy"
    config_type = KwiseGapProbes
    config: KwiseGapProbes

    rows = (
        Row("n_pairs_greedy", "n_pairs", Slope(-0.5, "greedy on θ̃: gap {rate}"), GAP, greedy,
            (root_n_noise, argmin_policy), on=SCALES, needs=LABELS, settles=THEOREM),
        Row("epsilon_greedy", "epsilon", Slope(-0.5, "greedy on θ̃: gap {rate}"), GAP, greedy,
            (noise_without_epsilon,), on=SCALES, needs=NOISY, settles=THEOREM),
        Row("n_pairs", "n_pairs", Slope(-0.5, "Algorithm 3: gap {rate}", "at_most"), GAP,
            pessimistic, (greedy_into_the_trap,), on=TRAPPED, needs=(*LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("error", "n_pairs", Slope(-0.5, "error {rate}"), ERROR, error, (error_text_ridge,),
            on=NULL, needs=LABELS, settles=THEOREM),
        Row("error_epsilon", "epsilon", Slope(-0.5, "error {rate}"), ERROR, error,
            (error_without_epsilon,), on=NULL, needs=NOISY, settles=THEOREM),
        Row("ranked_actions", "ranked_actions",
            Slope(1.5, "printed K-constants: error {rate}", tolerance=0.1), ERROR, error,
            (error_sharp,), on=TRAPPED, needs=LABELS, settles=THEOREM),
        Row("ranked_actions_sharp", "ranked_actions",
            Slope(0, "sharp K-constants: error {rate}", "at_most", tolerance=0.1), ERROR,
            error_sharp, (error,), on=TRAPPED, needs=(Need.TRUTH_HIDDEN,), settles=THEOREM),
        Row("covariance_term", "ranked_actions",
            Inequality("one ranking adds ≤ 2KL²/(K−1) to n·Σ_K"), proof.PROVED,
            proof.two_k_over_k_minus_1, (proof.limit_of_many,), on=FORMULA, settles=THEOREM),
        Row("gradient_printed", "ranked_actions", Inequality("Claim B.1 as printed"), OFF_GRADIENT,
            gradient_printed, on=FORMULA, settles=CLAIM_1, expected="contradicted",
            why="x_jk is weighted by the winner's probability in the place of k's"),
        Row("gradient", "ranked_actions", Inequality("Claim B.1 with the probability of k"),
            OFF_GRADIENT, gradient, (gradient_printed,), on=FORMULA, settles=CLAIM_1),
        Row("hessian_printed", "ranked_actions", Inequality("Claim B.2 as printed"), OFF_HESSIAN,
            hessian_printed, on=FORMULA, settles=CLAIM_2, expected="contradicted",
            why="x_kl·x_klᵀ is weighted by the winner's probability, not by ½·p_k·p_l"),
        Row("hessian", "ranked_actions", Inequality("Claim B.2 with ½·p_k·p_l"), OFF_HESSIAN,
            hessian, (hessian_printed,), on=FORMULA, settles=CLAIM_2),
        Row("curvature_printed", "ranked_actions",
            Inequality("(19) as printed: ∇²ℓ ⪰ e^(−4LB)/2·Σ_K"), proof.PROVED,
            proof.curvature_printed, on=FORMULA, settles=("p3.eq_19",), expected="contradicted",
            why="γ_K is too large by K/(K−1) where only the first choice tells anything"),
        Row("curvature", "ranked_actions", Inequality("(19) with e^(−4LB)·(K−1)/(2K)"),
            proof.PROVED, proof.curvature, (proof.curvature_printed,), on=FORMULA,
            settles=("p3.lem_b_4", "p3.eq_19")),
        Row("n_pairs_greedy_private", "n_pairs", Slope(-0.5, "private, greedy on θ̃: gap {rate}"),
            GAP, greedy, (root_n_noise, argmin_policy), on=SCALES, given=private_budget,
            needs=LABELS, settles=PRIVATE_RATES),
        Row("epsilon_greedy_private", "epsilon",
            Slope(-0.5, "private, greedy on θ̃: gap {rate}"), GAP, greedy, (noise_without_epsilon,),
            on=SCALES, given=private_budget, needs=NOISY, settles=PRIVATE_RATES),
        Row("n_pairs_private", "n_pairs",
            Slope(-0.5, "private, Algorithm 3: gap {rate}", "at_most"), GAP, pessimistic,
            (greedy_into_the_trap,), on=TRAPPED, given=private_budget,
            needs=(*LABELS, Need.PESSIMISM), settles=PRIVATE_RATES),
        Row("error_private", "n_pairs", Slope(-0.5, "private: error {rate}"), ERROR, error,
            (error_text_ridge,), on=NULL, given=private_budget, needs=LABELS,
            settles=PRIVATE_RATES),
        Row("error_epsilon_private", "epsilon", Slope(-0.5, "private: error {rate}"), ERROR, error,
            (error_without_epsilon,), on=NULL, given=private_budget, needs=NOISY,
            settles=PRIVATE_RATES),
    )  # fmt: skip

    def num_ranked(self, point: Point) -> int:
        """K of one grid point."""
        return int(point.swept("ranked_actions", self.config.num_ranked))

    def scales(self, point: Point) -> RankedCase:
        """Data mass ∝ 4^(−k), test mass ∝ 2^(−k)."""
        return self._learning(point, multi_scale_world(self.config.num_levels, *self.pairs))

    def half_null(self, point: Point) -> RankedCase:
        """Half of the coordinates are never compared."""
        return self._learning(point, half_null_world(self.config.num_features, *self.pairs))

    def trapped(self, point: Point) -> RankedCase:
        """Few levels, and a state whose worse response was never compared."""
        axis = trapped_world(self.config.few_levels, *self.pairs, self.config.trap_prob)
        return self._learning(point, axis)

    def _learning(self, point: Point, axis: AxisWorld) -> RankedCase:
        num_ranked = self.num_ranked(point)
        return RankedCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=ChoiceSetWorld(axis, num_ranked),
            budget=(point.row.given or printed_budget)(self, point, num_ranked),
            error_scale=self.config.error_scale,
            optimizer_tol_power=self.config.optimizer_tol_power,
        )  # fmt: skip

    def random(self, point: Point) -> RankingCase:
        """Random rankings of the swept length."""
        return RankingCase(
            methods=point.methods, num_ranked=self.num_ranked(point),
            feature_norm=self.curator.feature_norm, radius=self.config.small_radius,
        )  # fmt: skip

    places = {SCALES: scales, TRAPPED: trapped, NULL: half_null, FORMULA: random}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return self.at_both_ends(RankedCase, inputs_of_algorithm_1, self._in_the_class)

    def _in_the_class(self, case: RankedCase) -> Iterator[Assumed]:
        longest = float(case.world.features.norm(dim=-1).max())
        norm = float(case.world.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        yield "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"


def printed_budget(one: KwiseGap, point: Point, num_ranked: int) -> KwiseBudget:
    """The printed K-constants."""
    return KwiseBudget(**vars(one.budget(point)), num_ranked=num_ranked)
