"""The minimax floor of private and corrupted preference learning, at every level of coverage.

Statement (ours; proofs in docs/explanations/sharper_floor.md).  Labels as in P4's Definition 5.1,
‖x‖ ≤ 1, ‖θ‖ ≤ B′; Z = α under CTL, c(ε)·α under LTC, α₁ + c(ε)·α₂ under CLC; ξ the least
eigenvalue of E[xxᵀ], 0 without coverage; p(t) = σ(−B′+t) − σ(−B′) and

    ω(Z, ξ) = sup{√m·t : m ≥ ξ, t ≤ 2B′, m·p(t) ≤ Z},    g = max_t t²/p(t),    ω(Z, 0) = √(Z·g).

Every estimator and every sequentially interactive ε-LDP protocol has, in the worst case, a floor of
at least ω(2Z, ξ)/2 in the norm of Σ̂, and the halfspace estimator on randomised responses one of at
most ω(2Z, ξ): a factor 2 at every B′, ε, ξ and d.  γ·g is 2B′ for small B′, .6476 for large, and

    ω(Z, ξ) ≤ min{Z/(γ√ξ), √(Z·g)} ≤ 2ω(Z, ξ):

ζα/(γ√ξ) where coverage rules, √(ζαg) without.  Without coverage the minimax floor of LTC over that
of CTL is at least √c(ε) as α → 0, because LTC(α) is at least as bad as CTL((1−τ)c(ε)α) (Theorem 6
of the page), and at most 2√c(ε); one estimator alone need not feel the order.  In the L2 norm the
floor is at least t/2 with ξ·p(t) = 2Z, which is Z/(γξ) for small Z: P4's Theorem 5.7 is attained
with constant 1, and LTC costs c(ε) as α → 0.  For policies SubOpt/√κ of every learner is, in the
worst case, at least ½√(Z·g) as Z → 0, and pessimism with the halfspace estimator has at most
2√(2Z·g).

Rows.  ``separation``, ``covered_separation``: Lemma 2 of that page, proved by intervals;
``regimes_…``: ω against its two regimes, by formulas.  ``pairs_…``: the largest distance that
corruption can hide, found over all pairs of parameters by passing their labels through the
randomizer. ``halfspace``: that estimator under the strong adversary. ``certificate``: its value for
Algorithm 1 beside a bound that no attack exceeds, by duality; ``certificate_policies``: the same
for what greedy and pessimistic RLHF and DPO lose. ``curve_…``: Algorithm 1 in the worst cell of
mass m or more is on the curve ω(Z, m). ``l2_…``: Algorithm 1 under coverage against the least
distance. ``policy_…``: the family of the policy theorem.

What would refute it: a random case above 1, or a number off its constant by more than its margin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from repro.base.notation import privacy_cost
from repro.base.schema import Positive, Share
from repro.corruption.orders import Order
from repro.families.robust import proofs_minimax as proof
from repro.families.robust import searches_certificate as certificate
from repro.families.robust import searches_minimax as step
from repro.families.robust import searches_policy_certificate as policy_certificate
from repro.families.robust.bounds_cases import PricedCase
from repro.families.robust.bounds_modulus import (
    least_distance,
    least_floor,
    modulus,
    rise,
    saturation,
    worst_step,
)
from repro.families.robust.cases import (
    STRONG_CTL,
    STRONG_LTC,
    Attack,
    RobustCase,
    RobustExperiment,
    RobustProbes,
    the_value,
)
from repro.families.robust.measures import of_method, over_claimed
from repro.families.robust.quantities_hidden_policy import HiddenMargin, hidden_regret
from repro.families.robust.quantities_minimax import (
    ParameterPairs,
    covered_distance,
    covered_floor,
    hidden_distance,
    hidden_floor,
)
from repro.families.robust.worlds_rare_cell import RareCell
from repro.families.robust.wrong import as_it_is, half_more_flips, no_debias, orders_swapped
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Ratio
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Method, Need, Row, method

Claimed = Callable[[float, float, float], float]
"""(Z, B′, ξ) → a floor."""


any_learner = Method("any_learner", as_it_is)
"""No estimator is named."""


@method
def one_side_attacked(case: RobustCase) -> RobustCase:
    """Wrong: all the flips under one of the two parameters, half as many in all."""
    return replace(case, corruption=case.corruption / 2)


algorithm_1 = Method("algorithm_1", lambda case: case)

PROVED = proved("left side / right side")
SEARCHED = of_method("left side / right side", Evidence.SEARCHED)
REGIMES = of_method("left side / right side, largest", Evidence.COMPUTED)
HIDDEN = over_claimed("half the largest hidden distance / ½ω(2Z, ξ)", hidden_floor)
HIDDEN_L2 = over_claimed("half the largest hidden L2 distance / claimed", hidden_distance)
REGRET = over_claimed("SubOpt/√κ of a hidden margin / ½√(Zg)", hidden_regret)
CURVE = over_claimed("worst floor at coverage ξ / ω(Z, ξ)", covered_floor)
DISTANCE = over_claimed("floor of ‖θ̂ − θ_true‖₂ / least of any estimator", covered_distance)

FLOOR, POLICY, L2 = "own.minimax_floor", "own.minimax_policy_floor", "own.minimax_l2_floor"
HIDDEN_LTC = (Need.LABELS, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)
HIDDEN_CTL = (Need.LABELS, Need.ADVERSARY, Need.ORDER)
"""Not privacy: flips in front of the randomizer hide a pair whatever randomizes them."""
HIDDEN_CLC = (Need.LABELS, Need.PRIVACY, Need.ADVERSARY)
ATTACKED = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING, Need.ADVERSARY,
            Need.ORDER)  # fmt: skip
ON_WORLDS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING, Need.ADVERSARY)
SWAPPED = (one_side_attacked, half_more_flips, orders_swapped)
INFINITE = ("n_pairs",)
STRONG_CLC = Attack(Order.CLC)


class MinimaxProbes(RobustProbes):
    """Numbers of the experiment; conf/theorem/minimax_floor.yaml gives them."""

    reward_bound: Positive
    min_eigenvalue: Share
    slant: Positive
    known: Share
    privacy_costs: tuple[Positive, Positive]


Cases = Callable[["MinimaxFloor", Point], Case]


def hidden(attack: Attack, claimed: Claimed, covered: bool = False) -> Cases:
    """All pairs of parameters under an attack, in units of a claimed floor."""

    def case(experiment: MinimaxFloor, point: Point) -> Case:
        bound, coverage = experiment.bound(point), experiment.coverage(point) if covered else 0.0
        world = ParameterPairs(bound, coverage)
        return experiment.floor_of(point, attack, world, (bound, coverage), claimed)

    return case


def cell(attack: Attack, claimed: Claimed) -> Cases:
    """Algorithm 1 in cells of mass ξ and more, the truth at the far end of the class."""

    def case(experiment: MinimaxFloor, point: Point) -> Case:
        bound, coverage = experiment.bound(point), experiment.coverage(point)
        world = RareCell(bound, -bound, (coverage, 1.0), 2.0, coverage)
        return experiment.floor_of(point, attack, world, (bound, coverage), claimed)

    return case


def policy(attack: Attack) -> Cases:
    """The family of three states."""

    def case(experiment: MinimaxFloor, point: Point) -> Case:
        bound, config = experiment.bound(point), experiment.config
        world = HiddenMargin(bound, config.slant, config.known)
        return experiment.floor_of(point, attack, world, (bound, 0.0), least_regret)

    return case


def least_regret(moved: float, reward_bound: float, coverage: float) -> float:
    """½√(Zg)."""
    return (moved * saturation(reward_bound)) ** 0.5 / 2


def random_line(experiment: MinimaxFloor, point: Point) -> PricedCase:
    """Random worlds of one feature at random ε, under either order."""
    return PricedCase(
        methods=point.methods, world=step.RandomLine(experiment.config.privacy_costs),
        **experiment.attacked(point, STRONG_LTC),
    )  # fmt: skip


def random_world(experiment: MinimaxFloor, point: Point) -> PricedCase:
    """Random worlds at one ε, under either order; the budget is the world's own."""
    return PricedCase(
        methods=point.methods, world=step.RandomLine(experiment.config.privacy_costs),
        epsilon=point.epsilon, cost=privacy_cost(point.epsilon),
        **experiment.attacked(point, STRONG_LTC),
    )  # fmt: skip


LTC, CTL, CLC = (hidden(attack, least_floor) for attack in (STRONG_LTC, STRONG_CTL, STRONG_CLC))
LTC_COVERED = hidden(STRONG_LTC, least_floor, covered=True)
LTC_L2 = hidden(STRONG_LTC, least_distance, covered=True)


class MinimaxFloor(RobustExperiment[Case]):
    """Upper and lower bounds of the floor, and what attains them."""

    title = "The minimax floor of corruption and privacy, with coverage and without"
    settles = (FLOOR,)
    config_type = MinimaxProbes
    config: MinimaxProbes

    rows = (
        Row("separation", "reward_bound", Inequality("‖θ−θ′‖²_Σ ≤ g(B′)·E|σ − σ′|"), PROVED,
            proof.separation, (proof.separation_ten_percent,), given=the_value),
        Row("covered_separation", "reward_bound",
            Inequality("‖θ−θ′‖_Σ ≤ ω(E|σ − σ′|, ξ)"), PROVED, proof.covered_separation,
            (proof.covered_ten_percent,), given=the_value),
        Row("regimes_above", "min_eigenvalue", Inequality("ω(Z, ξ) ≤ min{Z/(γ√ξ), √(Zg)}", 1e-6),
            REGIMES, step.regimes_above, (step.regimes_above_ten_percent,), given=the_value),
        Row("regimes_below", "min_eigenvalue", Inequality("min{Z/(γ√ξ), √(Zg)} ≤ 2ω(Z, ξ)"),
            REGIMES, step.regimes_below, (step.regimes_never_meet,), given=the_value),
        Row("halfspace", "corruption", Inequality("halfspace estimator: floor ≤ √(2Zg)", 1e-6),
            SEARCHED, step.halfspace, (step.halfspace_two_thirds, step.halfspace_without_cost),
            given=random_line, needs=(Need.PRIVACY, Need.DEBIASING), fixed=INFINITE),
        Row("certificate", "privacy_cost",
            Inequality("strong adversary: .95·certificate ≤ value ≤ certificate", 1e-6), SEARCHED,
            certificate.certified, (certificate.fewer_flips, certificate.more_flips),
            given=random_world, needs=ON_WORLDS, settles=("own.attack_certificate",),
            fixed=INFINITE),
        Row("certificate_policies", "privacy_cost",
            Inequality("greedy, pessimistic, DPO: .95·certificate ≤ value ≤ certificate", 1e-6),
            SEARCHED, policy_certificate.certified,
            (policy_certificate.fewer_flips, policy_certificate.more_flips), given=random_world,
            needs=ON_WORLDS, settles=("own.attack_certificate",), fixed=INFINITE),
        Row("pairs_ltc_cost", "privacy_cost", Ratio("LTC, every estimator: floor ≥ √(c(ε)αg/2)"),
            HIDDEN, any_learner, SWAPPED, given=LTC, needs=HIDDEN_LTC, fixed=INFINITE),
        Row("pairs_ctl_cost", "privacy_cost", Ratio("CTL, every estimator: floor ≥ √(αg/2)"),
            HIDDEN, any_learner, SWAPPED, given=CTL, needs=HIDDEN_CTL, fixed=INFINITE),
        Row("pairs_clc_cost", "privacy_cost", Ratio("CLC: floor ≥ √((α + c(ε)α)g/2)"), HIDDEN,
            any_learner, (one_side_attacked, half_more_flips), given=CLC, needs=HIDDEN_CLC,
            fixed=INFINITE),
        Row("pairs_reward_bound", "reward_bound", Ratio("LTC: floor ≥ √(Zg(B′)/2), along B′"),
            HIDDEN, any_learner, SWAPPED, given=LTC, needs=HIDDEN_LTC, fixed=INFINITE),
        Row("pairs_coverage", "min_eigenvalue", Ratio("LTC: floor ≥ ½ω(2Z, ξ), along ξ"), HIDDEN,
            any_learner, (one_side_attacked, half_more_flips), given=LTC_COVERED,
            needs=(*HIDDEN_LTC, Need.COVERAGE), fixed=INFINITE),
        Row("curve_ltc", "min_eigenvalue", Ratio("LTC: Algorithm 1 on the curve ω(Z, ξ)"), CURVE,
            algorithm_1, (no_debias, half_more_flips, orders_swapped),
            given=cell(STRONG_LTC, modulus), needs=(*ATTACKED, Need.COVERAGE), fixed=INFINITE),
        Row("curve_ctl", "min_eigenvalue", Ratio("CTL: Algorithm 1 on the curve ω(α, ξ)"), CURVE,
            algorithm_1, (no_debias, half_more_flips, orders_swapped),
            given=cell(STRONG_CTL, modulus), needs=(*ATTACKED, Need.COVERAGE), fixed=INFINITE),
        Row("l2_pairs", "privacy_cost", Ratio("LTC, every estimator: ‖θ̂−θ‖₂ ≥ t/2, ξp(t) = 2Z"),
            HIDDEN_L2, any_learner, SWAPPED, given=LTC_L2, needs=HIDDEN_LTC, settles=(L2,),
            fixed=INFINITE),
        Row("l2_ltc", "privacy_cost", Ratio("LTC: Algorithm 1 attains it as Z → 0"), DISTANCE,
            algorithm_1, (no_debias, half_more_flips, orders_swapped),
            given=cell(STRONG_LTC, least_distance), needs=ATTACKED, settles=(L2,),
            fixed=INFINITE),
        Row("l2_ctl", "privacy_cost", Ratio("CTL: Algorithm 1 attains it as Z → 0"), DISTANCE,
            algorithm_1, (no_debias, half_more_flips, orders_swapped),
            given=cell(STRONG_CTL, least_distance), needs=ATTACKED, settles=(L2,),
            fixed=INFINITE),
        Row("policy_ltc_cost", "privacy_cost",
            Ratio("LTC, every learner: SubOpt/√κ ≥ ½√(c(ε)αg) as α → 0"), REGRET, any_learner,
            SWAPPED, given=policy(STRONG_LTC), needs=HIDDEN_LTC, settles=(POLICY,),
            fixed=INFINITE),
        Row("policy_reward_bound", "reward_bound",
            Ratio("LTC, every learner: SubOpt/√κ ≥ ½√(Zg(B)), along B"), REGRET, any_learner,
            SWAPPED, given=policy(STRONG_LTC), needs=HIDDEN_LTC, settles=(POLICY,),
            fixed=INFINITE),
    )  # fmt: skip

    def bound(self, point: Point) -> float:
        """B′."""
        return point.swept("reward_bound", self.config.reward_bound)

    def coverage(self, point: Point) -> float:
        """ξ, or the mass of a cell."""
        return point.swept("min_eigenvalue", self.config.min_eigenvalue)

    def floor_of(
        self, point: Point, attack: Attack, world: Any, numbers: tuple[float, float],
        claimed: Claimed,
    ) -> RobustCase:  # fmt: skip
        """Infinitely many labels of a world, in units of a claimed floor of (Z, B′, ξ)."""
        moved = self.corruption(point) * attack.worth(point.epsilon)
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, world=world,
            claimed=claimed(moved, *numbers), **self.attacked(point, attack),
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Cells of hidden pairs have room: twice Z is at most p(t) at the worst t."""
        found = []
        for _, place, case in self.ends(RobustCase):
            if isinstance(case.world, ParameterPairs):
                moved = 2 * case.corruption * Attack(case.order).worth(case.epsilon)
                room = float(rise(worst_step(case.world.reward_bound), case.world.reward_bound))
                found.append(AssumptionResult(f"{place}: a rare cell", moved <= room,
                                              f"2Z/p = {moved / room:.3g}"))  # fmt: skip
        return tuple(found)
