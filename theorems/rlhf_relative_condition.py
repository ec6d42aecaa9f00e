"""P4 Theorem 6.1: private and robust offline RLHF under a finite relative condition number.

Statement (arXiv 2505.15694, Theorem 6.1).  Algorithm 2 with η = 1 has, with probability ≥ 1−δ and
for every π†,

    SubOpt(π̂, π†) ≤ C·√(d·κ(π†, π_ref))·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + B√λ ),

ζ = 1 (CTL) or c(ε) (LTC).

Instances: d states of two responses; π† takes the first, π_ref the second, κ = ρ_s/m_s.  The gap
on one margin decays exponentially in n, so the margin is a multiple u of the estimate's standard
error s = 2c(ε)/√(nm), and the gap is a constant K times s: a number, not only a rate.

Noise.  Γ is calibrated on the estimates themselves: it is what ‖θ̂ − θ‖_Σ̂ exceeds with probability
δ under their law, no formula.  In one state K = u·Φ(Γ/(√m·s) − u) at the u where it is largest,
and the law of the one estimate is summed, not sampled (rows in n, c, κ, ln(1/δ):
2c(ε)·√(κ/n)·K).  Along B′ a labelled pair shows the margin and, beside it, B′ of a direction that
all other pairs show (taken as known): uneven labels, and s ∝ 1/σ′(B′) = 1/γ.  In d states that
share a mass, s ∝ √d at the same κ, and K follows from the law of large numbers
(`cost_in_many_states`): the gap goes like √d where the printed bound has d (once from √d, once from
√(d + ln(1/δ))).

Floor, of infinitely many labels, exactly.  Γ is the least that covers when the strong adversary
attacks, found by running the attack.  Over a ladder of masses and margins the floor is
K(B′)·√(ζα), K the largest on the ladder (6.56 at B′ = 2; the supremum over all is 6.79): √α as
printed, and √c under LTC where c is printed, as for Theorem 5.4.  It settles
the printed claim, which is an upper bound, and is sharper.  That least Γ is
√(ζα·g(B′)) (``own_width``), and over the printed ζ√α/γ it falls like 1/√c (``printed_width``).
Greedy under attack needs no Γ: its floor is B′·√(2ζα/tanh(B′/2)) (``greedy_…``).

Controls: `half_width`, and `width_without_cost`, which forgets c(ε); for d the Γ of one feature;
`orders_swapped`; for α `twice_the_corruption`, whose Γ is that of 2α; for greedy `half_more_flips`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from repro.base.notation import privacy_cost
from repro.base.schema import Number, Positive, Probability
from repro.corruption.budget import checked_corruption
from repro.families.robust.bounds_floor import printed_floor
from repro.families.robust.bounds_modulus import modulus
from repro.families.robust.cases import STRONG_CTL, STRONG_LTC, Attack, RobustCase
from repro.families.robust.measures import over_claimed, sampled_over_claimed
from repro.families.robust.quantities_attacked_margin import (
    LadderCase,
    MarginLadder,
    attacked_floor,
    floor_constant,
)
from repro.families.robust.quantities_two_arms import (
    CalibratedCase,
    TwoArmStates,
    cost_in_many_states,
    deviation,
    exact_calibrated_gap,
    reach_of,
    sampled_calibrated_gap,
    worst_margin,
)
from repro.families.robust.quantities_uncovered import (
    Uncovered,
    uncovered_estimation,
    uncovered_greedy,
)
from repro.families.robust.wrong import (
    as_it_is,
    even_labels,
    half_more_flips,
    orders_swapped,
    with_fields,
)
from repro.study.case import Case, Point
from repro.study.claims import Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row, method, privacy_mistake

LIGHTEST, HEAVIEST, RUNG = 0.5, 2e4, 1.25
"""Masses of the ladder of greedy floors, in units of α, and the ratio between them."""
MARGIN = 1.5
"""u where there are many states: beyond the margins that pessimism gives up altogether."""


algorithm_2, greedy = Method("algorithm_2", as_it_is), Method("greedy", as_it_is)


algorithm_1 = Method("algorithm_1", lambda case: case)


@method
def half_width(case: CalibratedCase) -> CalibratedCase:
    """Wrong: half of Γ."""
    return replace(case, share=case.share / 2)


@privacy_mistake
def width_without_cost(case: CalibratedCase) -> CalibratedCase:
    """Wrong: Γ without c(ε)."""
    return replace(case, share=case.share / privacy_cost(case.epsilon))


@method
def width_of_one_feature(case: CalibratedCase) -> CalibratedCase:
    """Wrong for a sweep of d: Γ without √d, as of a single feature."""
    return replace(case, share=case.share / case.world.num_states**0.5)


width_of_even_odds = with_fields("width_of_even_odds", failure_prob=0.5)
"""Wrong for a sweep of δ: Γ that covers half of the time."""


@method
def twice_the_corruption(case: LadderCase) -> LadderCase:
    """Wrong: Γ of twice α."""
    return replace(case, believed=2 * case.corruption)


GAP = over_claimed("gap / K·2c(ε)√(κ/n)", exact_calibrated_gap)
MANY = sampled_over_claimed("gap / K·2c(ε)√(dκ/n)", sampled_calibrated_gap)
WIDTH = over_claimed("least Γ that covers / Γ of a formula", uncovered_estimation)
GREEDY = over_claimed("sup of gap / √κ, n → ∞, over B′√(2ζα/tanh(B′/2))", uncovered_greedy)
FLOOR = over_claimed("sup of gap / √κ, n → ∞, over K(B′)√(ζα)", attacked_floor)
NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING)
ON_KAPPA = (*NOISY, Need.COVERAGE)
ATTACKED = (*NOISY, Need.ADVERSARY, Need.ORDER)
ON_SIGNS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)
"""Labels that are not debiased keep the sign of a margin."""
INFINITE = ("n_pairs",)
OURS = ("own.two_separations",)
ON_ERRORS = (Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING, Need.ADVERSARY, Need.ORDER)
"""The exponent of a supremum over all masses is that of any labels; the number is not."""


class RelativeConditionProbes(Probes):
    """Numbers of the experiment; conf/theorem/rlhf_relative_condition.yaml gives them."""

    corruption: Number
    failure_prob: Probability
    mass: Probability
    reward_bound: Positive


def one_state(experiment: RelativeCondition, point: Point) -> CalibratedCase:
    """The margin that costs most in one state, κ being 1/m."""
    states = TwoArmStates(1, 1 / point.swept("coverage", 1 / experiment.config.mass))
    delta = math.exp(-point.swept("log_inverse_delta", math.log(1 / experiment.failure_prob)))
    margin, cost = worst_margin(reach_of(states, delta))
    known = point.swept("reward_bound", 0.0)
    return experiment.noisy(point, states, margin, cost, known, delta)


def many_states(experiment: RelativeCondition, point: Point) -> CalibratedCase:
    """d states that share a mass: κ is the same for all d."""
    count = int(point.value)
    states = TwoArmStates(count, experiment.config.mass / count)
    reach = reach_of(states, experiment.failure_prob) / count**0.5
    return experiment.noisy(point, states, MARGIN, cost_in_many_states(MARGIN, reach))


Cases = Callable[["RelativeCondition", Point], RobustCase]


def attacked(attack: Attack) -> Cases:
    """Rare pairs of every mass and margin under the strong adversary, infinitely many labels."""

    def case(experiment: RelativeCondition, point: Point) -> LadderCase:
        share = point.swept("corruption", experiment.config.corruption)
        bound, moved = experiment.config.reward_bound, share * attack.worth(point.epsilon)
        return LadderCase(
            methods=point.methods, epsilon=point.epsilon, world=MarginLadder(bound, moved),
            corruption=share, believed=share, claimed=floor_constant(bound) * moved**0.5,
            adversary=attack.adversary, order=attack.order,
        )  # fmt: skip

    return case


def rare(claimed: Callable[[float, float, float], float]) -> Cases:
    """Rare pairs of every mass under LTC, infinitely many labels, in units of (ζ, α, B′) → a floor.

    Unlike the ladder above, this one is not built around ζα.
    """

    def case(experiment: RelativeCondition, point: Point) -> RobustCase[Uncovered]:
        share = point.swept("corruption", experiment.config.corruption)
        bound, worth = experiment.config.reward_bound, STRONG_LTC.worth(point.epsilon)
        masses = (LIGHTEST * share, min(0.5, HEAVIEST * share))
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, corruption=share,
            claimed=claimed(worth, share, bound), world=Uncovered(bound, masses, RUNG, 1.0),
            adversary=STRONG_LTC.adversary, order=STRONG_LTC.order,
        )  # fmt: skip

    return case


def least_covering(worth: float, corruption: float, reward_bound: float) -> float:
    """√(ζα·g(B′))."""
    return modulus(worth * corruption, reward_bound)


def greedy_floor(worth: float, corruption: float, reward_bound: float) -> float:
    """B′·√(2ζα/tanh(B′/2))."""
    return reward_bound * (2 * worth * corruption / math.tanh(reward_bound / 2)) ** 0.5


LTC, CTL = attacked(STRONG_LTC), attacked(STRONG_CTL)


class RelativeCondition(Experiment[Case]):
    """Theorem 6.1 on two-response states."""

    title = "P4 Theorem 6.1: private and robust offline RLHF, relative condition number"
    settles = ("p4.thm_6_1",)
    config_type = RelativeConditionProbes
    config: RelativeConditionProbes

    rows = (
        Row("n_pairs", "n_pairs", Ratio("gap = K·2c(ε)·√(κ/n), along n"), GAP, algorithm_2,
            (half_width, width_without_cost), given=one_state, needs=ON_KAPPA),
        Row("privacy_cost", "privacy_cost", Ratio("gap = K·2c(ε)·√(κ/n), along c"), GAP,
            algorithm_2, (half_width, width_without_cost), given=one_state, needs=ON_KAPPA),
        Row("coverage", "coverage", Ratio("gap = K·2c(ε)·√(κ/n), along κ"), GAP, algorithm_2,
            (half_width, width_without_cost), given=one_state, needs=ON_KAPPA),
        Row("log_inverse_delta", "log_inverse_delta",
            Ratio("gap = K(δ)·2c(ε)·√(κ/n), along ln(1/δ): K ~ √(2ln(1/δ))"), GAP, algorithm_2,
            (half_width, width_of_even_odds), given=one_state, needs=ON_KAPPA),
        Row("reward_bound", "reward_bound",
            Ratio("gap = K·c(ε)√(r(1−r))/σ′(B′)·√(κ/n): 1/γ"), GAP, algorithm_2,
            (half_width, even_labels), given=one_state, needs=ON_KAPPA),
        Row("num_features", "num_features",
            Ratio("d states: gap = K_d·2c(ε)·√(dκ/n), √d where d is printed"), MANY, algorithm_2,
            (half_width, width_of_one_feature), given=many_states, needs=ON_KAPPA),
        Row("ltc_corruption", "corruption", Ratio("LTC: floor = K(B′)·√(c(ε)·α), along α"), FLOOR,
            algorithm_2, (twice_the_corruption, orders_swapped), given=LTC, needs=ATTACKED,
            fixed=INFINITE),
        Row("ctl_corruption", "corruption", Ratio("CTL: floor = K(B′)·√α, along α"), FLOOR,
            algorithm_2, (twice_the_corruption, orders_swapped), given=CTL, needs=ATTACKED,
            fixed=INFINITE),
        Row("ltc_cost", "privacy_cost",
            Ratio("LTC: floor = K(B′)·√(c(ε)·α), √c where c is printed"), FLOOR, algorithm_2,
            (orders_swapped,), given=LTC, needs=ATTACKED, fixed=INFINITE),
        Row("ctl_cost", "privacy_cost", Ratio("CTL: floor = K(B′)·√α, free of ε"), FLOOR,
            algorithm_2, (orders_swapped,), given=CTL, needs=ATTACKED, fixed=INFINITE),
        Row("printed_width", "privacy_cost",
            Slope(-0.5, "least Γ over the printed c(ε)√α/γ {rate}: too wide by √c"), WIDTH,
            algorithm_1, (orders_swapped,), given=rare(printed_floor), needs=ON_ERRORS,
            fixed=INFINITE),
        Row("own_width", "privacy_cost", Ratio("least Γ = √(c(ε)α·g(B′)), along c"), WIDTH,
            algorithm_1, (half_more_flips, orders_swapped), given=rare(least_covering),
            needs=ATTACKED, settles=OURS, fixed=INFINITE),
        Row("greedy_cost", "privacy_cost",
            Ratio("greedy, LTC: floor = B′√(2c(ε)α/tanh(B′/2)), along c"), GREEDY, greedy,
            (half_more_flips, orders_swapped), given=rare(greedy_floor), needs=ON_SIGNS,
            settles=OURS, fixed=INFINITE),
        Row("greedy_corruption", "corruption",
            Ratio("greedy, LTC: floor = B′√(2c(ε)α/tanh(B′/2)), along α"), GREEDY, greedy,
            (half_more_flips, orders_swapped), given=rare(greedy_floor), needs=ON_SIGNS,
            settles=OURS, fixed=INFINITE),
    )  # fmt: skip

    def __init__(self, config: RelativeConditionProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)
        self.failure_prob = config.failure_prob

    def noisy(
        self, point: Point, states: TwoArmStates, margin: float, cost: float,
        known: float = 0.0, failure_prob: float | None = None,
    ) -> CalibratedCase:  # fmt: skip
        """A margin of so many standard errors, and what it is claimed to cost in their unit."""
        unit = deviation(states, point.n_pairs, point.epsilon, known)
        return CalibratedCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon, world=states,
            margin=margin * unit, failure_prob=failure_prob or self.failure_prob,
            claimed=cost * unit, known=known,
        )  # fmt: skip

    def case(self, point: Point) -> Case:
        """What the row says that its cases are made of."""
        return point.row.given(self, point)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """κ is finite and every pair can be drawn: m ≤ ρ_s/2."""
        mass = self.config.mass
        kappas = [trial.grid[0] for trial in self.trials if trial.row.over == "coverage"]
        smallest = min(kappas, default=float("inf"))
        ladders = [t.cases[-1] for t in self.trials if isinstance(t.cases[-1], LadderCase)]
        largest = max((case.world.cells[0].max() for case in ladders), default=0.0)
        return (
            AssumptionResult("mass of informative pairs", mass <= 0.5, f"m = {mass:g}"),
            AssumptionResult("κ at least 2", smallest >= 2, f"κ ≥ {smallest:g}"),
            AssumptionResult("rare pairs", bool(largest <= 0.5), f"m ≤ {largest:.3g}"),
        )
