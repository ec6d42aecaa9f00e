"""P1 Lemma B.1: the on-policy error of the private MLE.

Statement (arXiv 2510.13512, Lemma B.1).  With b(s) = E_π[r̄ − r*] and probability at least 1−2δ,

    E_{d₀×π}[(r̄ − r* − b)²] = O( e^B/(2α−1)²·(log(N_F(τ)/δ)/n + τ) ).

In code π is π_ref, 1/(2α−1) is privacy_cost; the left side is a quadratic form in θ̂ − θ.

Testable: the exponents in n, c(ε) and d; the constant of 1/n, which Fisher information gives
(tr(Σ_ref·I⁻¹)); the exponent in e^B; and (19), the in-sample bound of its proof, constants
included.  Not testable: the universal constant of O(·).

Contradicted as printed, at fixed ε < ∞: the factor e^B (``reward_bound_eps_one``; without privacy
it is right).  The proof loses a square in the last line of (15), where (σ(x) − σ(y))² is bounded
below by σ′·(x − y)² in the place of (σ′)²·(x − y)²; without privacy, labels near certainty make
up for it.  (19) itself fails with probability near 1/2 for B ≥ 4 on a class of two rewards, one the
truth (``in_sample_printed``): realisable, Bradley–Terry, its own net.  Step (b) of (18) moreover
turns 1/8 into 1/4 where (x + y)² ≥ x²/2 − y² gives 1/16.  Corrected form, which holds
(``in_sample_corrected``): 16(1+e^B)⁴/((2α−1)²e^2B)·(log(N/δ) + 2τn).

What would refute a supported row: an exponent or constant outside its margin.  The contradicted
rows need no control: each has a neighbour whose control they are, or which takes the place of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.families.offline_kl import algorithms_reward as wrong
from repro.families.offline_kl.algorithms_reward import Labels, private_mle
from repro.families.offline_kl.bounds_reward_error import (
    bound_fails,
    corrected_bound,
    printed_bound,
)
from repro.families.offline_kl.cases import OfflineExperiment, OfflineProbes, WorldCase, realizable
from repro.families.offline_kl.quantities_gap import reward_error_constant
from repro.instances.linear import LinearWorld
from repro.instances.two_arms import TwoArmWorld
from repro.study.case import Point
from repro.study.claims import Frequency, Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, Values, per_method


@dataclass(frozen=True, eq=False, kw_only=True)
class RewardCase(WorldCase):
    """One grid point of Lemma B.1.

    Attributes:
        failure_prob: δ of (19).
    """

    failure_prob: float


def errors(case: RewardCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) error of every method on the same datasets."""
    labels = Labels(case.world, case.counts(rng, replicates), case.epsilon, rng, case.estimate)
    return {m.name: m.run(labels).cpu().numpy() for m in case.methods}


def over_predicted(case: RewardCase, rng: np.random.Generator, replicates: int) -> Values:
    """The same over what Fisher information predicts."""
    assert isinstance(case.world, LinearWorld)
    unit = reward_error_constant(case.world, case.epsilon) / case.n_pairs
    return {name: error / unit for name, error in errors(case, rng, replicates).items()}


def fails(case: RewardCase, bound: Method, rng: np.random.Generator, replicates: int):
    """(R,) 1.0 where a bound of (19) fails."""
    assert isinstance(case.world, TwoArmWorld)
    return bound_fails(
        case.world, bound.run, case.epsilon, case.failure_prob, case.n_pairs,
        case.counts(rng, replicates), case.estimate,
    )  # fmt: skip


ERROR = Measure("on-policy error of the reward [reward²]", errors, Evidence.MEASURED)
OVER_PREDICTED = Measure("error / predicted", over_predicted, Evidence.MEASURED)
FAILS = Measure("(19) fails [frequency]", per_method(fails), Evidence.MEASURED)
PRINTED = Method("printed", printed_bound)
CORRECTED = Method("corrected", corrected_bound)

WRONG = (wrong.naive_likelihood, wrong.epsilon_overstated)
HIDDEN = (Need.TRUTH_HIDDEN,)
PRIVATE = (Need.LABELS, *HIDDEN, Need.PRIVACY)
SQUARED = "e^{2B} at this ε as B grows: a square is lost after eq. (15)"
HALF = "with probability near 1/2 the MLE picks a reward that breaks it: the same square"
LEMMA, EQ_19 = ("p1.lem_b_1",), ("p1.eq_19",)
NO_POLICY = ("kl_weight",)
"""The error is under π_ref, where the weight of KL has no part."""


class RewardError(OfflineExperiment[RewardCase]):
    """Lemma B.1, its constant, and the bound inside its proof."""

    title = "P1 Lemma B.1: on-policy error of the private MLE"
    config_type = OfflineProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-1, "error {rate}"), ERROR, private_mle, WRONG,
            on=INSTANCE, needs=PRIVATE, settles=LEMMA, fixed=NO_POLICY),
        Row("privacy_cost", "privacy_cost", Slope(2, "error {rate}"), ERROR, private_mle, WRONG,
            on=INSTANCE, needs=PRIVATE, settles=LEMMA, fixed=NO_POLICY),
        Row("constant", "n_pairs", Ratio("n·error → tr(Σ_ref·I⁻¹)"), OVER_PREDICTED, private_mle,
            WRONG, on=INSTANCE, needs=PRIVATE, settles=LEMMA, fixed=NO_POLICY),
        Row("num_features", "num_features", Slope(1, "error {rate}"), ERROR, private_mle,
            (wrong.frozen_features,), on="features", needs=PRIVATE, settles=LEMMA),
        Row("reward_bound_eps_one", "reward_bound", Slope(1, "error {rate} at ε = 1", "at_most"),
            ERROR, private_mle, on="large_difference", needs=PRIVATE, settles=LEMMA,
            fixed=("epsilon",), expected="contradicted", why=SQUARED),
        Row("reward_bound_eps_inf", "reward_bound", Slope(1, "error {rate} without privacy",
            "at_most"), ERROR, private_mle, (wrong.hidden_randomizer,), on="large_difference",
            needs=HIDDEN, settles=LEMMA, fixed=("epsilon",)),
        Row("in_sample_printed", "reward_bound",
            Frequency("(19) with 4(1+e^B)²/e^B fails with probability ≤ δ"), FAILS, PRINTED,
            on="large_difference", needs=(*HIDDEN, Need.PRIVACY), settles=EQ_19, fixed=("epsilon",),
            expected="contradicted", why=HALF),
        Row("in_sample_corrected", "reward_bound",
            Frequency("(19) with 16(1+e^B)⁴/e^2B fails with probability ≤ δ"), FAILS, CORRECTED,
            (PRINTED,), on="large_difference", needs=(Need.LABELS,), settles=EQ_19,
            fixed=("epsilon",)),
    )  # fmt: skip

    def case(self, point: Point) -> RewardCase:
        """World, n and ε of one grid point."""
        return RewardCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=self.world(point), failure_prob=self.failure_prob,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 and Definition 3.3 at both ends of every sweep."""
        return self.at_both_ends(RewardCase, realizable)
