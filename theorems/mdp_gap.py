"""P3 Theorem 5.2: private rewards and policies from compared trajectories.

Statement (P3, section 5).  From pairs of trajectories of H steps with a common first state,
Algorithm 3 with ρ = ρ_π has SubOpt(π̂) ≤ F·‖(Σ+λI)^(−1)(E φ − v)‖ with probability ≥ 1−η, F of
eq. (3), O(·) hiding factors of L, H and B.

Instances: two-stage MDPs (``repro.families.central.worlds_mdp``) whose first stage is a world of
Theorem 4.2 and whose responses lead to one of two states with a second choice.  Occupancies and
values are exact; greedy policies come from backward induction, pessimistic ones from all 2^S
policies.  L is replaced by HL in the budget.

Section 5 and appendix C do not print the same Σ, and the theorem and Lemma C.4 are taken with the
appendix's (x·xᵀ, x the sum over steps), as Lemma C.5 is in ``covariance_privacy``.

What the text of section 5 at hand does not bear out, expected contradicted (p3.sec_5; an accent and
the place of a sum, which a conversion of the paper can move):
- ``printed_objective``: section 5 prints Ĵ(π) = min over θ in Θ of E[r_θ̃(s, π(s))], which does not
  depend on θ.  Its maximiser is the greedy policy, which falls into the state whose response was
  never compared about half of the time at every n.  The row's world, ``covered``, has one state
  besides that one and all of the data there, so that π* is covered and the bound is ∝ n^(−1/2) with
  the inverse of Σ+λI as printed and with its root; the appendix's proof needs r_θ.
- ``covariance_printed``: the main text's Σ sums outer products step by step; the Hessian (Claim
  C.2) has x·xᵀ with x the sum over steps, so eq. (21), ∇²ℓ ⪰ γ_τ·Σ, fails where the steps cancel.
  Σ = mean of x·xᵀ satisfies it (``covariance``) and is used in all other rows.
These rows are the controls of their corrected neighbours.

Rows without ``_private`` use the printed noise, which is not private at its stated budget (Lemma
C.5 fails on this Σ at this δ, whether an item is replaced or added); rows ``*_private`` release θ̃
and Σ̃ certified at (ε/2, δ/2) each for a replaced record, δ = 1/n²
(docs/explanations/private_rates.md).  What would refute Theorem 5.2: exponents above −1/2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from repro.base.schema import Share
from repro.families.central import proofs_curvature as proof
from repro.families.central.cases import (
    NOT_PRIVATE,
    PRIVATE,
    CentralExperiment,
    GapProbes,
    LearningCase,
    inputs_of_algorithm_1,
    learnt,
)
from repro.families.central.proofs_curvature import PROVED
from repro.families.central.worlds_axis import AxisWorld, multi_scale_world, trapped_world
from repro.families.central.worlds_mdp import LinearMDP, two_stage_mdp
from repro.families.central.wrong_learners import (
    argmin_policy,
    greedy,
    noise_without_epsilon,
    pessimistic,
    root_n_noise,
)
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Slope
from repro.study.experiment import Assumed, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row

STEPS = 2
"""H of the MDPs."""
SCALES, TRAPPED, COVERED = "scales", "trapped", "covered"
PAIR = "one pair of trajectories"


@dataclass(frozen=True, eq=False, kw_only=True)
class MDPCase(LearningCase):
    """Learning from compared trajectories."""

    world: LinearMDP


@dataclass(frozen=True, eq=False, kw_only=True)
class PairCase(Case):
    """Random pairs of trajectories.

    Attributes:
        steps: H.
        feature_norm: L.
        radius: B.
    """

    steps: int
    feature_norm: float
    radius: float


printed_objective = Method("printed_objective", greedy.run)
"""r_θ̃ in Ĵ: the minimum over θ is then no minimum, and the policy is greedy."""

GAP = learnt("suboptimality [reward]")
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
GREEDY_PRINTED = Slope(-0.5, f"{NOT_PRIVATE}; greedy on θ̃: gap {{rate}}")
PRINTED = Slope(-0.5, f"{NOT_PRIVATE}; Algorithm 3 with r_θ in Ĵ: gap {{rate}}", "at_most")
PRIVATE_RATES = ("own.private_rates", "p3.thm_5_2")
THEOREM, LEMMA, SECTION = ("p3.thm_5_2",), ("p3.lem_c_4",), ("p3.sec_5",)


class MDPGapProbes(GapProbes):
    """Numbers of the experiment.

    Attributes:
        later_share: size of θ* at the second stage.
        tilt: of the transitions.
    """

    later_share: Share
    tilt: Share


class MDPGap(CentralExperiment[Case]):
    """Theorem 5.2 on two-stage MDPs."""

    title = "P3 Theorem 5.2: compared trajectories under central differential privacy"
    config_type = MDPGapProbes
    config: MDPGapProbes

    rows = (
        Row("n_pairs_greedy", "n_pairs", GREEDY_PRINTED, GAP, greedy,
            (root_n_noise, argmin_policy), on=SCALES, needs=LABELS, settles=THEOREM),
        Row("epsilon_greedy", "epsilon", GREEDY_PRINTED, GAP, greedy,
            (noise_without_epsilon,), on=SCALES, needs=(*LABELS, Need.NOISE), settles=THEOREM),
        Row("n_pairs", "n_pairs", PRINTED,
            GAP, pessimistic, (printed_objective,), on=TRAPPED, needs=(*LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("epsilon", "epsilon", PRINTED,
            GAP, pessimistic, (printed_objective,), on=TRAPPED, needs=(*LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("printed_objective", "n_pairs",
            Slope(-0.5, "Algorithm 3 with r_θ̃ in Ĵ, as printed: gap {rate}", "at_most"), GAP,
            printed_objective, on=COVERED, needs=(Need.TRUTH_HIDDEN, Need.NOISE), settles=SECTION,
            expected="contradicted",
            why="Ĵ with r_θ̃ does not depend on θ, so nothing is pessimistic"),
        Row("covariance_printed", "steps", Inequality("(21) with the main text's Σ"), PROVED,
            proof.step_by_step, on=PAIR, settles=SECTION, expected="contradicted",
            why="the Hessian has x·xᵀ of the sum over steps, and steps can cancel"),
        Row("covariance", "steps", Inequality("(21) with Σ = mean of x·xᵀ"), PROVED,
            proof.of_the_sum, (proof.step_by_step,), on=PAIR, settles=("p3.claim_c_2", *LEMMA)),
        Row("n_pairs_greedy_private", "n_pairs", Slope(-0.5, "private, greedy on θ̃: gap {rate}"),
            GAP, greedy, (root_n_noise, argmin_policy), on=SCALES, given=PRIVATE, needs=LABELS,
            settles=PRIVATE_RATES),
        Row("epsilon_greedy_private", "epsilon",
            Slope(-0.5, "private, greedy on θ̃: gap {rate}"), GAP, greedy, (noise_without_epsilon,),
            on=SCALES, given=PRIVATE, needs=(*LABELS, Need.NOISE), settles=PRIVATE_RATES),
        Row("n_pairs_private", "n_pairs",
            Slope(-0.5, "private, Algorithm 3 with r_θ in Ĵ: gap {rate}", "at_most"), GAP,
            pessimistic, (printed_objective,), on=TRAPPED, given=PRIVATE,
            needs=(*LABELS, Need.PESSIMISM), settles=PRIVATE_RATES),
        Row("epsilon_private", "epsilon",
            Slope(-0.5, "private, Algorithm 3 with r_θ in Ĵ: gap {rate}", "at_most"), GAP,
            pessimistic, (printed_objective,), on=TRAPPED, given=PRIVATE,
            needs=(*LABELS, Need.PESSIMISM), settles=PRIVATE_RATES),
    )  # fmt: skip

    def __init__(self, config: MDPGapProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        (length, norm), given = self.pairs, config
        first = norm / math.hypot(1, 2**0.5 * given.later_share)
        trap, few = given.trap_prob, given.few_levels
        self._worlds = {
            SCALES: self._two_stages(multi_scale_world(given.num_levels, length, first)),
            TRAPPED: self._two_stages(trapped_world(few, length, first, trap)),
            COVERED: self._two_stages(trapped_world(1, length, first, trap)),
        }

    def _two_stages(self, axis: AxisWorld) -> LinearMDP:
        return two_stage_mdp(axis, self.config.later_share, self.config.tilt)

    def learning(self, point: Point) -> MDPCase:
        """Learning with HL in the place of L (Lemmas C.3, C.5, C.6)."""
        budget = self.budget_of(point)
        return MDPCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=self._worlds[point.row.on],
            budget=replace(budget, feature_norm=STEPS * budget.feature_norm),
            error_scale=STEPS * self.config.error_scale,
            optimizer_tol_power=self.config.optimizer_tol_power,
        )  # fmt: skip

    def pair(self, point: Point) -> PairCase:
        """Pairs of trajectories of the swept number of steps."""
        return PairCase(
            methods=point.methods, steps=int(point.value),
            feature_norm=self.curator.feature_norm, radius=self.curator.radius,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return self.at_both_ends(MDPCase, inputs_of_algorithm_1, self._in_the_class)

    def _in_the_class(self, case: MDPCase) -> Iterator[Assumed]:
        longest = max(float(layer.norm(dim=-1).max()) for layer in case.world.features)
        norm = float(case.world.theta.norm())
        holds = longest <= self.curator.feature_norm and norm <= self.curator.radius
        yield "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"

    places = {SCALES: learning, TRAPPED: learning, COVERED: learning, PAIR: pair}
