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
- ``reference_lemma_printed``: Zhu et al.'s Lemma 3.1 quoted with λ outside the root; the ratio of
  the two sides grows without limit as ε falls.  √(d/n + λB²) is right.
Theorem 4.2 prints the inverse where its proof has the root.  That bound is larger (by at most
√(4L²+λ), which O(·) hides), so it holds; section 4.1 reads 1/√n off it where the coefficient is
bounded by a constant, and there it falls like that (``bound_printed``).  On ``scales``, where the
coefficient grows as λ falls, only the proof's form falls like the gap (``bound``, whose control is
the printed form); the paper excludes that reading.
``argmin_policy`` settles the appendix's "π* = argmin": it is the argmax that is meant.

Rows without ``_private`` in their name use the printed noise, which is not private at its stated
budget (at this δ Lemma A.7 fails whether an item is replaced or added, and A.10 where one is
replaced, d ≥ 2: docs/explanations/printed_privacy.md).  Rows ``*_private`` release θ̃ and Σ̃
certified at (ε/2, δ/2) each for a replaced record with δ = 1/n²: the rates survive, up to
(log n)^(1/4) (docs/explanations/private_rates.md).

Rows ``floor*`` stand beside the theorem from below (own.central_floor, proved in
docs/explanations/central_dp_floor.md): among worlds of concentrability C, with the power −1/2 of
the proof, no choice that is (ε, δ)-private under replacement has a worst expected gap below
0.65·C/√(εn) (LB = 1, ε from .001 to 1, δ = 1/n²), and the sign of a noisy sum attains that within
1.2 (``floor_attained``).  So 1/√(εn) is necessary in terms of that C, by a direction that about
1/ε of the n pairs are about; where all are about one direction the private price is 1/(εn)
(``covered``).  The coefficient as printed, with the power −1, grows like √(εn) on these worlds:
whether F is necessary beside it is open.

What would refute Theorem 4.2: a pessimistic exponent above −1/2, or gaps above the bound more often
than η.  Contradicted rows take their corrected neighbour's control.
"""

from __future__ import annotations

from collections.abc import Iterator

from repro.base.schema import Count
from repro.families.central.cases import (
    NOT_PRIVATE,
    PRIVATE,
    CentralExperiment,
    GapProbes,
    inputs_of_algorithm_1,
    learnt,
)
from repro.families.central.quantities_floor import (
    FloorCase,
    floor_over_gap,
    gap_over_floor,
    private_sign,
    root_n_noise_on_the_sum,
    sign_without_privacy,
    twice_the_noise,
    worst_gap,
)
from repro.families.central.quantities_gap import (
    PairsCase,
    bound,
    bound_of_another_ridge,
    bound_printed,
    distance,
    distance_text_ridge,
    error_over_lemma,
    greedy_fails,
    labels_per_state,
    lemma,
    lemma_printed,
    misses,
    misses_without_private_term,
    pessimistic_fails,
)
from repro.families.central.worlds_axis import (
    AxisWorld,
    half_seen_world,
    hardest_even_world,
    multi_scale_world,
    trapped_world,
)
from repro.families.central.wrong_learners import (
    argmin_policy,
    greedy,
    greedy_into_the_trap,
    noise_without_epsilon,
    pessimistic,
    root_n_noise,
)
from repro.study.case import Case, Point
from repro.study.claims import Frequency, Inequality, Slope
from repro.study.experiment import Assumed
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, per_method

GAP = learnt("suboptimality [reward]")
DISTANCE = learnt("‖θ* − θ̃‖ / F")
OUTSIDE = learnt("θ* outside (2) [frequency]")
ABOVE = learnt("gap above the bound [frequency]")
of_bound = per_method(lambda case, m, rng, replicates: m.run(case))
BOUND = Measure("F·‖(Σ+λI)^(−1/2)(Eφ−v)‖", of_bound, Evidence.COMPUTED)
PRINTED_BOUND = Measure("F·‖(Σ+λI)^(−1)(Eφ−v)‖", of_bound, Evidence.COMPUTED)
WORST = Measure("worst expected gap", per_method(worst_gap), Evidence.EXACT)
OVER_GAP = Measure("our floor / worst expected gap", per_method(floor_over_gap), Evidence.EXACT)
OVER_FLOOR = Measure("worst expected gap / 1.2 floors", per_method(gap_over_floor), Evidence.EXACT)
LEMMA = Measure("‖θ_MLE−θ*‖ / √(d/n+λB²)", error_over_lemma, Evidence.MEASURED)
PRINTED_LEMMA = Measure("‖θ_MLE−θ*‖ / (√(d/n)+λ)", error_over_lemma, Evidence.MEASURED)

GREEDY_PRINTED = Slope(-0.5, f"{NOT_PRIVATE}; greedy on θ̃: gap {{rate}}")
PRINTED = Slope(-0.5, f"{NOT_PRIVATE}; Algorithm 3: gap {{rate}}", "at_most")
SCALES, TRAPPED, HARDEST, HALF_SEEN = "scales", "trapped", "hardest", "half of θ* unseen"
BOUNDED, BOUNDED_LEVELS = "a bounded single concentrability coefficient", 3
RARE, COVERED = "a state that 1/ε pairs are about", "one state that all pairs are about"
FLOOR = ("own.central_floor", "p3.thm_4_2")
PRIVATE_RATES = ("own.private_rates", "p3.thm_4_2")
THEOREM, EQ_3, ZHU = ("p3.thm_4_2",), ("p3.eq_3",), ("p3.app_a_zhu",)
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)


class CentralGapProbes(GapProbes):
    """Numbers of the experiment; ``confidence_covers`` checks that ``error_scale`` suffices.

    Attributes:
        lemma_features: d of the row on Zhu et al.'s lemma.
    """

    lemma_features: Count


def scales(one: CentralDPGap, point: Point) -> PairsCase:
    """Data mass ∝ 4^(−k), test mass ∝ 2^(−k)."""
    return one.learning(point, multi_scale_world(one.config.num_levels, *one.pairs))


def bounded(one: CentralDPGap, point: Point) -> PairsCase:
    """The same with few levels, so that Σ stays above λ."""
    return one.learning(point, multi_scale_world(BOUNDED_LEVELS, *one.pairs))


def trapped(one: CentralDPGap, point: Point) -> PairsCase:
    """The same with a state whose worse response was never compared."""
    world = trapped_world(one.config.few_levels, *one.pairs, one.config.trap_prob)
    return one.learning(point, world)


def hardest(one: CentralDPGap, point: Point) -> PairsCase:
    """A table of d states with the costliest reward difference."""
    return one.learning(point, hardest_even_world(int(point.value), one.pairs[0], point.n_pairs))


def half_seen(one: CentralDPGap, point: Point) -> PairsCase:
    """Half of the coordinates are compared, half never; θ* is of one size on all."""
    return one.learning(point, half_seen_world(one.config.lemma_features, *one.pairs))


def rare(one: CentralDPGap, point: Point) -> FloorCase:
    """A state with 1/(εn) of the pairs, met so often that its concentrability is 1."""
    expected = point.epsilon * point.n_pairs
    return _one_state(one, point, 1 / expected, expected**-0.5)


def covered(one: CentralDPGap, point: Point) -> FloorCase:
    """One state and no other."""
    return _one_state(one, point, 1.0, 1.0)


def _one_state(one: CentralDPGap, point: Point, mass: float, test: float) -> FloorCase:
    return FloorCase(
        methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
        mass=min(mass, 1.0), test=min(test, 1.0), dp_delta=float(point.n_pairs) ** -2,
        reward_bound=one.curator.feature_norm * one.curator.radius,
    )  # fmt: skip


class CentralDPGap(CentralExperiment[Case]):
    """Theorem 4.2 on pairs."""

    title = "P3 Theorem 4.2: sub-optimality under central differential privacy"
    config_type = CentralGapProbes
    config: CentralGapProbes

    rows = (
        Row("n_pairs_greedy", "n_pairs", GREEDY_PRINTED, GAP, greedy,
            (root_n_noise, argmin_policy), on=SCALES, needs=LABELS, settles=THEOREM),
        Row("epsilon_greedy", "epsilon", GREEDY_PRINTED, GAP, greedy,
            (noise_without_epsilon,), on=SCALES, needs=(*LABELS, Need.NOISE), settles=THEOREM),
        Row("n_pairs", "n_pairs", PRINTED, GAP,
            pessimistic, (greedy_into_the_trap,), on=TRAPPED, needs=(*LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("epsilon", "epsilon", PRINTED, GAP,
            pessimistic, (greedy_into_the_trap,), on=TRAPPED, needs=(*LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("num_features", "num_features",
            Slope(0.5, "largest gap on a table of d states {rate}", tolerance=0.1), GAP, greedy,
            (labels_per_state,), on=HARDEST, needs=(Need.TRUTH_HIDDEN,), settles=THEOREM),
        Row("theorem_bound", "n_pairs",
            Frequency("gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ with probability ≥ 1−η"), ABOVE,
            pessimistic_fails, (greedy_fails,), on=TRAPPED, needs=(Need.LABELS, Need.PESSIMISM),
            settles=THEOREM),
        Row("confidence_covers", "n_pairs",
            Frequency("θ* in the confidence set with probability ≥ 1−η"), OUTSIDE, misses,
            (misses_without_private_term,), on=TRAPPED, needs=(Need.LABELS,), settles=THEOREM),
        Row("confidence", "n_pairs", Slope(0, "λ of the appendix: distance / F {rate}", "at_most"),
            DISTANCE, distance, (distance_text_ridge,), on=TRAPPED, needs=LABELS, settles=EQ_3),
        Row("confidence_text_ridge", "n_pairs",
            Slope(0, "λ of the main text: distance / F {rate}", "at_most"), DISTANCE,
            distance_text_ridge, on=TRAPPED, needs=(Need.TRUTH_HIDDEN,), settles=EQ_3,
            expected="contradicted",
            why="with λ ∝ 1/√(εn) the distance falls like (εn)^(−1/4) only"),
        Row("bound", "n_pairs", Slope(-0.5, "the proof's bound falls like the gap, {rate}"), BOUND,
            bound, (bound_printed,), on=SCALES, settles=THEOREM),
        Row("bound_printed", "n_pairs",
            Slope(-0.5, "the printed bound where its coefficient is bounded falls {rate}"),
            PRINTED_BOUND, bound_printed, (bound_of_another_ridge,), on=BOUNDED,
            settles=("p3.sec_4_1",)),
        Row("reference_lemma", "epsilon",
            Slope(0, "λ inside the root, attained: the ratio {rate}"), LEMMA, lemma,
            (lemma_printed,), on=HALF_SEEN, needs=LABELS, settles=ZHU),
        Row("reference_lemma_printed", "epsilon",
            Slope(0, "λ outside, as printed: the ratio {rate}", "at_least"), PRINTED_LEMMA,
            lemma_printed, on=HALF_SEEN, needs=LABELS, settles=ZHU, expected="contradicted",
            why="λ for √λ: the ratio grows without limit as ε falls"),
        Row("floor", "epsilon", Inequality("our floor is at most a private choice's worst gap"),
            OVER_GAP, private_sign, (sign_without_privacy,), on=RARE, needs=(Need.NOISE,),
            settles=FLOOR),
        Row("floor_attained", "epsilon",
            Inequality("the private sign is within 1.2 of our floor"), OVER_FLOOR, private_sign,
            (twice_the_noise,), on=RARE, needs=(Need.LABELS,), settles=FLOOR),
        Row("covered", "n_pairs",
            Slope(-1, "worst gap of a state that all pairs are about {rate}"), WORST, private_sign,
            (root_n_noise_on_the_sum,), on=COVERED, needs=(Need.LABELS, Need.NOISE),
            settles=FLOOR),
        Row("n_pairs_greedy_private", "n_pairs", Slope(-0.5, "private, greedy on θ̃: gap {rate}"),
            GAP, greedy, (root_n_noise, argmin_policy), on=SCALES, given=PRIVATE, needs=LABELS,
            settles=PRIVATE_RATES),
        Row("epsilon_greedy_private", "epsilon",
            Slope(-0.5, "private, greedy on θ̃: gap {rate}"), GAP, greedy, (noise_without_epsilon,),
            on=SCALES, given=PRIVATE, needs=(*LABELS, Need.NOISE), settles=PRIVATE_RATES),
        Row("n_pairs_private", "n_pairs",
            Slope(-0.5, "private, Algorithm 3: gap {rate}", "at_most"), GAP, pessimistic,
            (greedy_into_the_trap,), on=TRAPPED, given=PRIVATE, needs=(*LABELS, Need.PESSIMISM),
            settles=PRIVATE_RATES),
        Row("epsilon_private", "epsilon",
            Slope(-0.5, "private, Algorithm 3: gap {rate}", "at_most"), GAP, pessimistic,
            (greedy_into_the_trap,), on=TRAPPED, given=PRIVATE, needs=(*LABELS, Need.PESSIMISM),
            settles=PRIVATE_RATES),
        Row("num_features_private", "num_features",
            Slope(0.5, "private, largest gap on a table of d states {rate}", tolerance=0.1), GAP,
            greedy, (labels_per_state,), on=HARDEST, given=PRIVATE, needs=(Need.TRUTH_HIDDEN,),
            settles=PRIVATE_RATES),
        Row("theorem_bound_private", "n_pairs",
            Frequency("private: gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ with probability ≥ 1−η"), ABOVE,
            pessimistic_fails, (greedy_fails,), on=TRAPPED, given=PRIVATE,
            needs=(Need.LABELS, Need.PESSIMISM), settles=PRIVATE_RATES),
        Row("confidence_covers_private", "n_pairs",
            Frequency("private: θ* in the confidence set with probability ≥ 1−η"), OUTSIDE, misses,
            (misses_without_private_term,), on=TRAPPED, given=PRIVATE, needs=(Need.LABELS,),
            settles=PRIVATE_RATES),
        Row("confidence_private", "n_pairs",
            Slope(0, "private, λ of the appendix: distance / F {rate}", "at_most"), DISTANCE,
            distance, (distance_text_ridge,), on=TRAPPED, given=PRIVATE, needs=LABELS,
            settles=PRIVATE_RATES),
    )  # fmt: skip
    places = {
        SCALES: scales,
        BOUNDED: bounded,
        TRAPPED: trapped,
        HARDEST: hardest,
        HALF_SEEN: half_seen,
        RARE: rare,
        COVERED: covered,
    }

    def learning(self, point: Point, world: AxisWorld) -> PairsCase:
        """Learning on a world, with the n and ε of a grid point."""
        return PairsCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs, world=world,
            budget=self.budget_of(point), error_scale=self.config.error_scale,
            optimizer_tol_power=self.config.optimizer_tol_power,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Inputs of Algorithm 1 and Assumption 2.1 at both ends of every sweep."""
        return self.at_both_ends(PairsCase, inputs_of_algorithm_1, self._in_the_class)

    def _in_the_class(self, case: PairsCase) -> Iterator[Assumed]:
        norm = float(case.world.theta.norm())
        yield "‖θ*‖ ≤ B", norm <= self.curator.radius, f"‖θ*‖ = {norm:.3g}"
