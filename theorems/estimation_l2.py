"""P4 Theorem 5.7, Claims E.3, E.4: private and robust estimation in the L2 norm.

Statement (arXiv 2505.15694, Theorem 5.7).  If λ_min(E[xxᵀ]) ≥ ξ and n ≥ 8·ln(d/δ)/ξ, then with
probability at least 1−δ Algorithm 1 has

    CTL:  ‖θ̂ − θ_true‖₂ ≤ C·( α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) )
    LTC:  ‖θ̂ − θ_true‖₂ ≤ C·( c(ε)·α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   γ = 1/(2+e^B′+e^−B′).

In code: α is corruption (strong adversary, ⌊αn⌋ labels), c(ε) privacy_cost, ξ min_eigenvalue, B′
reward_bound.  ⟨1, θ⟩ = 0 holds in every world by an isometry into the complement of 1.

Testable: the exponents of the noise (α = 0) in n, c and ξ, and the floor (n → ∞: exact
expectations, no draws) as a number, along α, c and ξ: ζα·max_c ‖H⁻¹x_c‖, H the Hessian at the truth
(`bounds_response`).  On orthogonal cells that is ζα/(γξ) with γ the slope at the truth: the printed
floor, attained with constant 1, because the adversary spends everything on one cell of mass ξ.  The
noise has exponent −1 in ξ only where ξ = 1/d, the isotropic case (row `noise_isotropic`); at fixed
d it is −½, inside the printed bound.  Huber's corruption has to spread over the cells, so its floor
is free of ξ: the row `huber_floor` tells the two models apart, and each is the other's control.

Claim E.4, ‖(1/n)Σ b_i·x_i‖ ≤ ζα, holds with constant 1 where ‖x‖ ≤ 1.  P4 has ‖φ‖ ≤ 1 and x = φ −
φ′ (Assumption 4.1), so ‖x‖ ≤ 2 (Remark 5.2 sets ‖x‖ ≤ 1 "for simplicity"): the control
`x_of_norm_2` breaks the claim by that factor 2, which the universal constant C can take up.  What
it cannot take up is γ: with ‖x‖ ≤ 2 read the theorem for x/2 and 2θ, so 2B′ in γ and ξ/4 for ξ.

Assumption 5.6 read on all of R^d excludes one-hot features: their differences are orthogonal to
1, so λ_min(E[xxᵀ]) = 0.  Read on {θ : ⟨1, θ⟩ = 0}, where both θ's live and which is all that the
proof needs, it holds (row `one_hot_coverage`; its control is the literal reading).

What would refute the theorem: exponents beyond the printed ones, a floor that is not the one
claimed, or an E.3 failure rate above δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from repro.base.schema import Positive, Share
from repro.families.robust.adversaries import HUBER
from repro.families.robust.algorithms_estimation import estimation_floor
from repro.families.robust.assumptions import Assumed, covered, inside_the_class
from repro.families.robust.bounds_floor import one_hot_coverage_ratio
from repro.families.robust.bounds_response import huber_floor, strong_floor
from repro.families.robust.bounds_score import (
    NoiseCase,
    ScoreCase,
    corrupted_score,
    corruption_term_ratio,
    noise_failure,
)
from repro.families.robust.cases import (
    NOBODY,
    STRONG_CTL,
    STRONG_LTC,
    Attack,
    PairCase,
    RobustCase,
    RobustExperiment,
    RobustProbes,
    the_value,
)
from repro.families.robust.measures import of_changed_case, over_claimed
from repro.families.robust.quantities_two_arms import (
    CalibratedCase,
    at_one_deviation,
    exact_error,
    tail_case,
)
from repro.families.robust.worlds_pairs import PairWorld
from repro.families.robust.wrong import (
    algorithm_1,
    huber_adversary,
    no_debias,
    orders_swapped,
    strong_adversary,
)
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, method, per_method

NOISE = of_changed_case("‖θ̂ − θ_true‖₂ without corruption", estimation_floor)
TAIL = over_claimed("|error| exceeded with probability δ / s·z_{δ/2}", exact_error)
FLOOR = over_claimed("‖θ̂ − θ_true‖₂ of n → ∞ labels / claimed", estimation_floor)

NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING)
ATTACKED = (*NOISY, Need.ADVERSARY, Need.ORDER)
COVERED = (*ATTACKED, Need.COVERAGE)


def tail(experiment: EstimationL2, point: Point) -> CalibratedCase:
    """Labels of one cell along ln(1/δ)."""
    return tail_case(point, experiment.config.tail_mass, experiment.config.tail_margin)


def noise_fails(case: NoiseCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
    """How likely Claim E.3 is to fail with a method's constant, over δ."""
    return noise_failure(case, m.run(case)) / case.failure_prob


def corruption_ratio(case: ScoreCase, m: Method, rng: np.random.Generator, replicates: int):
    """Left over right side of Claim E.4 for a method's largest ‖x‖."""
    return m.run(case, ridge=None, rng=rng, replicates=replicates)


def coverage_ratio(case: PointCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
    """1/((d−1)·λ_min) as a method reads λ_min."""
    return m.run(int(case.value))


E3 = Measure("P(Claim E.3 fails) / δ", per_method(noise_fails), Evidence.COMPUTED)
E4 = Measure("‖(1/n)Σbx‖₂ / ζα", per_method(corruption_ratio), Evidence.SEARCHED)
ONE_HOT = Measure("1/((d−1)·λ_min)", per_method(coverage_ratio), Evidence.COMPUTED)

worst_ratio = Method("worst_ratio", partial(corruption_term_ratio, length=1.0))
x_of_norm_2 = Method("x_of_norm_2", partial(corruption_term_ratio, length=2.0))
on_complement = Method("on_complement", partial(one_hot_coverage_ratio, on_complement=True))
on_all_of_rd = Method("on_all_of_rd", partial(one_hot_coverage_ratio, on_complement=False))


@method
def norm_too_large(case: NoiseCase) -> float:
    """The constant of the config."""
    return case.constant


@method
def a_third_of_the_constant(case: NoiseCase) -> float:
    """Wrong: too small a constant."""
    return case.constant / 3


class EstimationL2Probes(RobustProbes):
    """Numbers of the experiment; conf/theorem/estimation_l2.yaml gives them."""

    claim_e3_constant: Positive
    tail_mass: Share
    tail_margin: Positive


def estimation(attack: Attack) -> Callable[[EstimationL2, Point], PairCase]:
    """Algorithm 1 under an attack."""
    return lambda experiment, point: experiment.pair_case(point, attack)


def noise_alone(experiment: EstimationL2, point: Point) -> NoiseCase:
    """The noise of the score in d dimensions."""
    return NoiseCase(
        methods=point.methods, n_pairs=point.n_pairs, features=int(point.value),
        constant=experiment.config.claim_e3_constant, failure_prob=experiment.failure_prob,
        weighted=False,
    )  # fmt: skip


def floor(
    attack: Attack, claimed: Callable[[PairWorld, float, float], float]
) -> Callable[[EstimationL2, Point], PairCase]:
    """Algorithm 1 on infinitely many labels under an attack, in units of the claimed floor."""
    return lambda experiment, point: experiment.floor_case(point, attack, claimed)


CLEAN = estimation(NOBODY)
LTC, CTL = floor(STRONG_LTC, strong_floor), floor(STRONG_CTL, strong_floor)
HUBER_LTC = floor(Attack(adversary=HUBER), huber_floor)
INFINITE = ("n_pairs",)


class EstimationL2(RobustExperiment[Case]):
    """Theorem 5.7 and its claims."""

    title = "P4 Theorem 5.7: private and robust estimation in the L2 norm"
    settles = ("p4.thm_5_7",)
    config_type = EstimationL2Probes
    config: EstimationL2Probes

    rows = (
        Row("noise_n_pairs", "n_pairs", Slope(-0.5, "noise {rate}"), NOISE, algorithm_1,
            (no_debias,), on=INSTANCE, given=CLEAN, needs=NOISY),
        Row("noise_privacy_cost", "privacy_cost", Slope(1, "noise {rate}"), NOISE, algorithm_1,
            (no_debias,), on=INSTANCE, given=CLEAN, needs=NOISY),
        Row("ltc_corruption", "corruption",
            Ratio("LTC: floor = c(ε)·α·max‖H⁻¹x‖ ≤ c(ε)·α/(γξ), along α"), FLOOR, algorithm_1,
            (no_debias, orders_swapped), on=INSTANCE, given=LTC, needs=ATTACKED, fixed=INFINITE),
        Row("ctl_corruption", "corruption",
            Ratio("CTL: floor = α·max‖H⁻¹x‖ ≤ α/(γξ), along α"), FLOOR, algorithm_1,
            (no_debias, orders_swapped), on=INSTANCE, given=CTL, needs=ATTACKED, fixed=INFINITE),
        Row("ltc_privacy_cost", "privacy_cost", Ratio("LTC: floor = c(ε)·α·max‖H⁻¹x‖, along c"),
            FLOOR, algorithm_1, (orders_swapped,), on=INSTANCE, given=LTC, needs=ATTACKED,
            fixed=INFINITE),
        Row("ctl_privacy_cost", "privacy_cost", Ratio("CTL: floor = α·max‖H⁻¹x‖, free of ε"),
            FLOOR, algorithm_1, (orders_swapped,), on=INSTANCE, given=CTL, needs=ATTACKED,
            fixed=INFINITE),
        Row("noise_reward_bound", "reward_bound", Slope(1, "noise ∝ 1/γ, that is {rate}′"), NOISE,
            algorithm_1, (no_debias,), on="saturated", given=CLEAN, needs=NOISY),
        Row("log_inverse_delta", "log_inverse_delta",
            Ratio("one cell: error exceeded w.p. δ = z_{δ/2}·c(ε)√(r(1−r)/(nξ))/σ′, √(2ln(1/δ))"),
            TAIL, algorithm_1, (at_one_deviation,), given=tail, needs=NOISY),
        Row("noise_isotropic", "min_eigenvalue", Slope(-1, "noise {rate} where ξ = 1/d"), NOISE,
            algorithm_1, (no_debias,), on="isotropic", given=CLEAN, needs=NOISY),
        Row("ltc_floor", "min_eigenvalue",
            Ratio("LTC, strong adversary: floor = c(ε)·α/(γξ), along ξ"), FLOOR, algorithm_1,
            (huber_adversary,), on="two_cells", given=LTC, needs=COVERED, fixed=INFINITE),
        Row("ctl_floor", "min_eigenvalue",
            Ratio("CTL, strong adversary: floor = α/(γξ), along ξ"), FLOOR, algorithm_1,
            (huber_adversary,), on="two_cells", given=CTL, needs=COVERED, fixed=INFINITE),
        Row("huber_floor", "min_eigenvalue",
            Ratio("LTC, Huber: floor = √2·α(c(ε)+|h|)/(2γ), free of ξ"), FLOOR, algorithm_1,
            (strong_adversary,), on="two_cells", given=HUBER_LTC, needs=ATTACKED, fixed=INFINITE),
        Row("claim_e3", "num_features",
            Inequality("‖(1/n)Σηx‖₂ ≤ C·√((1+ln(1/δ))/n) w.p. ≥ 1−δ, exactly"),
            E3, norm_too_large, (a_third_of_the_constant,), given=noise_alone,
            settles=("p4.claim_e_3",)),
        Row("claim_e4", "corruption",
            Ratio("Claim E.4: ‖(1/n)Σbx‖₂ ≤ ζα, attained", tolerance=1e-6), E4, worst_ratio,
            (x_of_norm_2,), given=corrupted_score, needs=(Need.ADVERSARY,),
            settles=("p4.claim_e_4",)),
        Row("one_hot_coverage", "num_features",
            Inequality("uniform one-hot pairs: λ_min = 1/(d−1) on {⟨1,θ⟩ = 0}"), ONE_HOT,
            on_complement, (on_all_of_rd,), given=the_value),
    )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Definition 5.1 and Assumption 5.6 (on the complement of 1), and n ≥ 8·ln(d/δ)/ξ."""
        return tuple(
            AssumptionResult(f"{place}: {name}", holds, detail)
            for _, place, case in self.ends(RobustCase)
            for name, holds, detail in self._assumed(case)
        )

    def _assumed(self, case: PairCase) -> tuple[Assumed, ...]:
        world = case.world
        features = world.feature_diff.shape[1]
        enough = 8 * math.log(features / self.failure_prob) / max(world.min_eigenvalue, 1e-300)
        infinite = case.n_pairs == 0
        labels = ("enough labels", infinite or case.n_pairs >= enough, f"n ≥ {enough:.3g}")
        return (covered(world), labels, *inside_the_class(world))
