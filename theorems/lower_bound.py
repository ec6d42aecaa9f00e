"""P1 Theorem 4.5: no learner beats the hypercube (with Lemma A.6 and the use of A.5).

Statement (arXiv 2510.13512, Theorem 4.5).  Under ε-LDP labels the minimax gap is

    Ω( min{ β·C*·log N / ((e^ε−1)²n),  √(C*·log N) / ((e^ε−1)√n) } ),     log N = S.

In code: β is 1/kl_weight, C* coverage.  An unstated condition, executed as an assumption here: the
proof takes a = √(SC)/((e^ε−1)√n) < B/2, so n > 4SC/((e^ε−1)²B²), with 2α−1 for e^ε−1 in our form of
it (``own.lower_bound_in_keep_prob``), which has the same proof; b < B/2 is the theorem's range of
C*.

Measured on the hypercube of the proof: the gap averaged over its corners, its supremum over the
tilt a on a ladder that does not move with n.  (With the proof's own a ∝ n^(−1/2) the exponent is a
tautology that a policy without data passes; on a fixed ladder that policy has exponent 0, and it is
the control of every row.)  The posterior mean over the hypercube is the Bayes rule of the uniform
corner, so its risk bounds every learner's worst case from below and an exact sum of it above the
explicit bound proves the inequality for all learners at that n, a.

Rows: exponents in n, c(ε), S, C, β in the regime βa ≪ 1 (posterior mean, private MLE, MLE less a
standard error) and in n, c(ε), S, C where βa ≫ 1.  There b = log(C−1)/β nearly vanishes, and a
learner who forgets to debias is right by symmetry: that regime has no such control.  Inequalities:
the explicit bound ¼·min{βa²/8, 3a/10}·exp(−n·KL) against the exact Bayes risk; the separation of
step 3 against its exact minimum 2·log cosh(βa/2)/β, proved by intervals; the KL of step 4; Lemma
A.6 on random families.

ε both ways.  What the hypercube costs is governed by c(ε) = 1/(2α−1) at all ε, not by e^ε−1: the
local exponent in e^ε−1 is −2·2/(e^ε+1), which is −2 only as ε → 0 (``epsilon_minus_one_small``).
The theorem survives, as a lower bound that is loose for ε ≳ 0.3.  A caveat on the abstract's gap
Õ(1/[(e^ε−1)²n]), called optimal there: Remark 4.4 writes it for ε in (0, 1], where it differs from
that in 2α−1 by at most (e+1)²/4 (``p1_literal_readings``, row ``remark_4_4``), and the abstract,
which names no range, is right there.  As an upper bound over all ε, a reading that the paper does
not make, it would say that the gap vanishes as ε → ∞, and even the Bayes rule contradicts that
(``epsilon_minus_one``, expected contradicted; ``own.abstract_at_every_epsilon``).  The form for
all ε has (2α−1)² in both bounds; the proof gives it with KL ≤ (2α−1)²a²/(SC) in step 4
(``pair_kl_sharper``, our statement, sharp).  Proof: for q = 1−α + (2α−1)σ, d/dx KL(q_y‖q_x) =
q′_x/(q_x(1−q_x))·∫_y^x q′, where q′ = (2α−1)σ′ ≤ (2α−1)/4 and q(1−q) ≥ σ(1−σ) = σ′ make the first
factor at most 2α−1; so KL(q_y‖q_x) ≤ (2α−1)²(x−y)²/8, and x − y = 2a, times the share 2(C−1)/(SC²)
of such pairs.

What would refute the theorem: a learner with a steeper exponent, or a Bayes risk below the bound.
The inequalities of the proof have slack (printed as max_ratio), so their planted faults are larger
than 10 % except for ``pair_kl_sharper``, where a constant 10 % too small is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from repro.base.notation import label_signal
from repro.base.schema import Count, Model, Positive, RewardBound
from repro.families.offline_kl import algorithms_hypercube as learner
from repro.families.offline_kl import bounds_hypercube as step
from repro.families.offline_kl import proofs_scalar as proof
from repro.families.offline_kl.algorithms_hypercube import no_data, posterior_mean
from repro.families.offline_kl.cases import LabelledPoint, searched_of_labels
from repro.families.offline_kl.cases_hypercube import HypercubeCase, Ladder, worst_risk, worst_rung
from repro.families.offline_kl.worlds_hypercube import HypercubePrior
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, per_method
from repro.study.trial import Trial


class World(Model):
    """The hypercube but for a and ε."""

    num_states: Count
    coverage: Positive
    kl_weight: Positive
    reward_bound: RewardBound


class LowerBoundProbes(Probes):
    """Numbers of the experiment; conf/theorem/lower_bound.yaml gives them."""

    worlds: dict[str, World]
    ladder: Ladder


@dataclass(frozen=True)
class Regime:
    """Which branch of the minimum a row is about.

    Attributes:
        words: what is asked of βa at the worst tilt.
        holds: whether it is so.
    """

    words: str
    holds: Callable[[float], bool]


SMALL_TILT = Regime("βa below 0.3", lambda log_odds: log_odds < 0.3)
LARGE_TILT = Regime("βa above 10", lambda log_odds: log_odds > 10)

GAP = Measure("sup over a of the mean gap [reward]", per_method(worst_risk), Evidence.MEASURED)
RATIO = "bound / exact value"
BOUND = searched_of_labels(RATIO, step.bayes_case)
PAIR_KL = searched_of_labels(RATIO, step.pair_case)
ASSOUAD = searched_of_labels(RATIO, step.assouad_case)

BLIND = (no_data,)
NAIVE = (no_data, learner.naive_posterior)
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
PRIVATE = (*LABELS, Need.PRIVACY)
HIDDEN = (Need.TRUTH_HIDDEN,)
SMALL, LARGE, CASES = "small_tilt", "large_tilt", "random cases"
THEOREM, ABSTRACT = "p1.thm_4_5", "p1.abs_1"
KEEP_PROB = "own.lower_bound_in_keep_prob"
EVERY_EPSILON = "own.abstract_at_every_epsilon"
VANISHES = "c(ε) governs the gap at all ε: even the Bayes rule's stays as ε → ∞"


class LowerBound(Experiment[Case]):
    """Theorem 4.5 by the sup over a, and the steps of its proof by random cases."""

    title = "P1 Theorem 4.5: lower bound of the offline gap under label LDP"
    settles = (THEOREM,)
    config_type = LowerBoundProbes
    config: LowerBoundProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-1, "Bayes rule: gap {rate}"), GAP, posterior_mean, NAIVE,
            on=SMALL, given=SMALL_TILT, needs=PRIVATE),
        Row("n_pairs_mle", "n_pairs", Slope(-1, "private MLE: gap {rate}"), GAP, learner.mle,
            (no_data, learner.naive_mle), on=SMALL, needs=PRIVATE),
        Row("n_pairs_pessimistic", "n_pairs", Slope(-1, "MLE less a standard error: gap {rate}"),
            GAP, learner.pessimistic, BLIND, on=SMALL, needs=PRIVATE),
        Row("privacy_cost", "privacy_cost", Slope(2, "gap {rate}"), GAP, posterior_mean, BLIND,
            on=SMALL, given=SMALL_TILT, needs=PRIVATE, settles=(THEOREM, KEEP_PROB)),
        Row("epsilon_minus_one_small", "epsilon_minus_one", Slope(-2, "gap {rate} as ε → 0"), GAP,
            posterior_mean, BLIND, on=SMALL, given=SMALL_TILT, needs=PRIVATE,
            settles=(THEOREM, ABSTRACT)),
        Row("epsilon_minus_one", "epsilon_minus_one",
            Slope(-2, "the abstract's gap {rate} at all ε", "at_most"), GAP, posterior_mean,
            on=SMALL, given=SMALL_TILT, needs=(Need.TRUTH_HIDDEN, Need.PRIVACY),
            settles=(EVERY_EPSILON,), expected="contradicted", why=VANISHES),
        Row("num_states", "num_states", Slope(1, "gap {rate} = log N"), GAP, posterior_mean, BLIND,
            on=SMALL, given=SMALL_TILT, needs=PRIVATE),
        Row("coverage", "coverage", Slope(1, "gap {rate}", symbol="C*"), GAP, posterior_mean,
            BLIND, on=SMALL, given=SMALL_TILT, needs=(*PRIVATE, Need.COVERAGE)),
        Row("kl_weight", "kl_weight", Slope(-1, "gap {rate} = β"), GAP, posterior_mean, BLIND,
            on=SMALL, given=SMALL_TILT, needs=PRIVATE),
        Row("n_pairs_root", "n_pairs", Slope(-0.5, "βa ≫ 1: gap {rate}"), GAP, posterior_mean,
            BLIND, on=LARGE, given=LARGE_TILT, needs=LABELS),
        Row("privacy_cost_root", "privacy_cost", Slope(1, "βa ≫ 1: gap {rate}"), GAP,
            posterior_mean, BLIND, on=LARGE, given=LARGE_TILT, needs=PRIVATE,
            settles=(THEOREM, KEEP_PROB)),
        Row("num_states_root", "num_states", Slope(0.5, "βa ≫ 1: gap {rate}"), GAP,
            posterior_mean, BLIND, on=LARGE, given=LARGE_TILT, needs=LABELS),
        Row("coverage_root", "coverage", Slope(0.5, "βa ≫ 1: gap {rate}", symbol="C*"), GAP,
            posterior_mean, BLIND, on=LARGE, given=LARGE_TILT, needs=(*LABELS, Need.COVERAGE)),
        Row("explicit_bound", "n_pairs",
            Inequality("¼·min{βa²/8, 3a/10}·exp(−n·KL) ≤ Bayes risk"), BOUND, step.bound,
            (step.bound_without_quarter, step.bound_sign), on=CASES, needs=HIDDEN),
        Row("separation", "kl_weight",
            Inequality("min{βa²/8, 3a/10} ≤ SubOpt_s(v) + SubOpt_s(v′)"), proved(RATIO),
            proof.separation, (proof.separation_twice_beta,), on=CASES),
        Row("pair_kl", "epsilon_minus_one",
            Inequality("KL of a private record ≤ (e^ε−1)²a²/(SC)"), PAIR_KL, step.pair_kl,
            (step.pair_kl_fifth,), on=CASES, needs=(Need.PRIVACY,),
            settles=(THEOREM, "p1.lem_a_5")),
        Row("pair_kl_sharper", "epsilon_minus_one",
            Inequality("KL of a private record ≤ (2α−1)²a²/(SC)"), PAIR_KL, step.pair_kl_sharper,
            (step.pair_kl_sharper_ten_percent,), on=CASES, needs=(Need.PRIVACY,),
            settles=(KEEP_PROB,)),
        Row("assouad", "num_states", Inequality("Lemma A.6: S·c/4·min exp(−KL) ≤ risk"), ASSOUAD,
            step.assouad, (step.assouad_half,), on=CASES, needs=HIDDEN, settles=("p1.lem_a_6",)),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """The hypercube of a grid point, or the swept value of random cases."""
        world = self.config.worlds.get(point.row.on)
        if world is None:
            return LabelledPoint(methods=point.methods, value=point.value)
        states = int(point.swept("num_states", world.num_states))
        prior = HypercubePrior(
            num_states=states, coverage=point.swept("coverage", world.coverage),
            kl_weight=point.swept("kl_weight", world.kl_weight),
            reward_bound=world.reward_bound, tilt=math.nan, epsilon=point.epsilon,
        )  # fmt: skip
        return HypercubeCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs, world=prior,
            ladder=self.config.ladder,
        )  # fmt: skip

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's hypercube."""
        world = self.config.worlds.get(row.on)
        return {} if world is None else {"world_fields": world.model_dump()}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The conditions of the proof, and an interior maximiser, at both ends of each sweep."""
        return tuple(
            AssumptionResult(f"{place}: {name}", holds, detail)
            for trial, place, case in self.ends(HypercubeCase)
            for name, holds, detail in _conditions(trial, case)
        )


def _conditions(trial: Trial[Case], case: HypercubeCase) -> Iterator[tuple[str, bool, str]]:
    """Name, whether it holds, and numbers of each condition."""
    prior = case.world
    room = 4 * prior.num_states * prior.coverage / prior.reward_bound**2
    enough = room / label_signal(prior.epsilon) ** 2
    yield "n > 4SC/((2α−1)²B²)", case.n_pairs > enough, f"{case.n_pairs:.3g} > {enough:.3g}"
    yield "b < B/2", prior.base < prior.reward_bound / 2, f"b = {prior.base:.3g}"
    if trial.row.given is not None:
        yield from _at_the_worst_tilt(case, trial)


def _at_the_worst_tilt(case: HypercubeCase, trial: Trial[Case]) -> Iterator[tuple[str, bool, str]]:
    rung, regime = worst_rung(case, trial.row.method), trial.row.given
    worst = case.at(rung)
    inside = 0 < rung < case.ladder.rungs - 1
    yield "maximiser inside the ladder", inside, f"a = {worst.tilt:.3g}"
    yield regime.words, regime.holds(worst.log_odds), f"βa = {worst.log_odds:.3g}"
