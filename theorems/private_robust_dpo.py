"""P4 Theorem 6.3: private and robust DPO with log-linear policies.

Statement (arXiv 2505.15694, Theorem 6.3).  The policy of Algorithm 1's output has, w.p. ≥ 1−δ,

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ),

ζ = 1 (CTL) or c(ε) (LTC), γ = 1/(2 + e^βB + e^−βB).  By Remark 6.4 the algorithm is rDPO.

That γ is too large: with ‖φ‖ ≤ 1 margins reach 2β‖θ* − θ_sft‖, which is 2βB at θ_sft = 0 and 4βB if
‖θ_sft‖ ≤ B, and at finite ε no universal C makes up for it.  No row here tests that; the proof, the
numbers and the corrected form are in docs/explanations/corrected_proposition_4_6.md, held by
tests/families/robust/test_curvature_of_theorem_6_3.py.  `kl_weight` has σ′ at the pair's own
margin, which is the right one.

Measured: |J(π*) − J(π̂)|, because J has no KL term and the gap is signed.  On three responses of
one state: noise in n and c (two-sided), and the floors of infinitely many labels (exact
expectations: nothing is drawn) as numbers along α and c: the strong adversary aims at the gradient
g of J, and the floor is ζα·max_c |⟨g, H⁻¹x_c⟩|, H the Hessian at the truth (`bounds_response`).
So the floor of a fixed instance goes like α, locally, below the √α of the bound
(`printed_corruption`, at_least ½; its neighbours show that it could fail).  The √α regime of the
bound is a supremum over instances with κ_Π ≤ 1.5 (`root_…`: √α, and √c under LTC where c is
printed), in the straight range of the policy; its law at any α is in
docs/explanations/separation_at_any_size.md.  In the same family B enters as printed while βB is
fixed (`root_bound`); with it 1/γ does not: the floor goes like B·√g, √(1/γ) where 1/γ is printed
(`root_curvature`).  Noise goes like 1/√n at every mass of the rare pair (`rare_noise`).  Where
every mass is at least ξ the worst is ξ, and the floor ζα/(γ√ξ): linear in α and in c
(`covered_…`; P4's Theorem 5.7 gives 1/(γξ) for the estimate).

λ stands on the right side only: Algorithm 1 has no ridge, and neither has J.  Its term βB²√λ is
what a pair costs that the data lack.  With n = ln(1/δ)/λ labels a pair of mass 1 − e^−λ is missing
with probability δ, and the gap is then βB²√λ/32 (`ridge`), at θ̂ of least norm: attained at the
least λ of the theorem, (d/n)·ln(n/δ), but for a factor √(d·ln(n/δ)/ln(1/δ)).

On two responses whose reference is lopsided the noise goes like √κ_Π; there B is the reward
difference, and the gap is measured in its unit.

`uncovered`: a response that the reference draws with probability μ, nμ from 1000 to 10.  DPO needs
coverage of the whole class and loses more as μ falls; pessimistic RLHF on the same labels does not
(P4, Remark 4.8): it is the method, DPO the control.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import expit

from repro.base.errors import BadInput
from repro.base.schema import Share
from repro.families.robust import bounds_rare_pair as closed
from repro.families.robust.bounds_response import strong_floor
from repro.families.robust.cases import (
    NOBODY,
    STRONG_CTL,
    STRONG_LTC,
    Attack,
    RobustCase,
    RobustExperiment,
    RobustProbes,
)
from repro.families.robust.cases_separation import RarePairs
from repro.families.robust.measures import of_changed_case, over_claimed
from repro.families.robust.quantities_dpo import (
    UncoveredCase,
    estimates,
    lost_by_dpo,
    lost_by_pessimism,
)
from repro.families.robust.quantities_floors import dpo_floor, gap_gradient
from repro.families.robust.quantities_rare_noise import (
    PolicyTail,
    RareNoise,
    gap_exceeded,
    worst_noise,
)
from repro.families.robust.quantities_sizes import rare_dpo_at
from repro.families.robust.quantities_two_arms import (
    TwoArmStates,
    at_one_deviation,
    deviation,
    tail_case,
)
from repro.families.robust.quantities_uncovered import (
    PLENTY,
    WEIGHT,
    Uncovered,
    UnseenPair,
    covered_dpo,
    rare_direction,
    uncovered_dpo,
    unseen_dpo,
)
from repro.families.robust.worlds_pairs import PolicyPairs
from repro.families.robust.wrong import as_it_is, half_more_flips, no_debias, orders_swapped
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, Values, method


def gap_in_margins(case: RobustCase[PolicyPairs], rng: np.random.Generator, replicates: int):
    """The gap in units of h/(4β), h the reward difference: |θ̂ − θ| of the margin, while small."""
    beta = case.world.policies.kl_weight
    return 4 * beta * gap_in_rewards(case, rng, replicates) / case.claimed


def gap_in_rewards(case: RobustCase[PolicyPairs], rng: np.random.Generator, replicates: int):
    """The gap in units of the reward difference."""
    reward = case.world.policies.reward
    return dpo_floor(case, rng, replicates) / float(reward.max() - reward.min())


def lost(case: UncoveredCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) reward that each algorithm loses, all on the same estimates."""
    found = estimates(case, rng, replicates)
    return {m.name: m.run(found) for m in case.methods}


GAP = of_changed_case("|J(π*) − J(π̂)| without corruption", dpo_floor)
IN_REWARDS = of_changed_case("|J(π*) − J(π̂)| / reward difference", gap_in_rewards)
FLOOR = of_changed_case("|J(π*) − J(π̂)| of n → ∞ labels", dpo_floor, Evidence.EXACT)
IN_MARGINS = of_changed_case("gap·4β/h over its mean c(ε)√(2r(1−r)/(πnm))/σ′(h)", gap_in_margins)
RARE = over_claimed("sup over m of |J(π*) − J(π̂)| of n → ∞ labels / claimed", uncovered_dpo)
COVERED = over_claimed("sup over m ≥ ξ of |J(π*) − J(π̂)| of n → ∞ labels / claimed", covered_dpo)
UNSEEN = over_claimed("|J(π*) − J(π̂)| without labels of the rare pair / claimed", unseen_dpo)
WORST = over_claimed("sup over m of E|J(π*) − J(π̂)|", worst_noise)
TAIL = over_claimed("|J(π*) − J(π̂)| exceeded with probability δ / claimed", gap_exceeded)
OVER_CLAIMED = over_claimed("|J(π*) − J(π̂)| of n → ∞ labels / claimed", dpo_floor)
LOST = Measure("reward lost against the best response", lost, Evidence.MEASURED)

rdpo = Method("rdpo", as_it_is)
pessimistic, dpo = Method("pessimistic", lost_by_pessimism), Method("dpo", lost_by_dpo)


@method
def as_if_even(case: RobustCase[PolicyPairs]) -> RobustCase[PolicyPairs]:
    """Wrong for a sweep of β: in units of the noise of even labels, no 1/γ."""
    shown = float(case.world.reward_diff[0])
    return replace(case, claimed=case.claimed * 4 * float(expit(shown) * expit(-shown)))


@method
def first_bound(case: RobustCase[Uncovered]) -> RobustCase[Uncovered]:
    """Wrong for a sweep of B at fixed βB: the policies of B = 25, whatever B is."""
    return replace(case, world=replace(case.world, kl_weight=case.world.reward_bound / 25))


@method
def curvature_of_two(case: RobustCase[Uncovered]) -> RobustCase[Uncovered]:
    """Wrong for a sweep of B at fixed β: B′ = 2, whatever B is."""
    return replace(case, world=replace(case.world, reward_bound=2.0))


@method
def every_mass(case: RobustCase[Uncovered]) -> RobustCase[Uncovered]:
    """Wrong under uniform coverage: masses down to a thousandth of ξ."""
    low, high = case.world.masses
    return replace(case, world=replace(case.world, masses=(low / 1000, high)))


@method
def pair_is_seen(case: RobustCase[UnseenPair]) -> RobustCase[UnseenPair]:
    """Wrong for a missing pair: its labels are there."""
    return replace(case, world=replace(case.world, seen=case.world.mass))


NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING)
ATTACKED = (*NOISY, Need.ADVERSARY)
ORDERED = (*ATTACKED, Need.ORDER)
INFINITE = ("n_pairs",)


def claimed_floor(world: PolicyPairs, corruption: float, worth: float) -> float:
    """ζα·max_c |⟨g, H⁻¹x_c⟩|, g the gradient of J."""
    root = gap_gradient(world.policies, world)[None]
    return strong_floor(world, corruption, worth, root)


def policies(attack: Attack) -> Callable[[PrivateRobustDpo, Point], RobustCase]:
    """Log-linear policies of Algorithm 1's output, under an attack."""
    return lambda experiment, point: experiment.pair_case(point, attack)


def floor(attack: Attack) -> Callable[[PrivateRobustDpo, Point], RobustCase]:
    """The same on infinitely many labels."""
    return lambda experiment, point: experiment.floor_case(point, attack, claimed_floor)


def one_uncovered(experiment: PrivateRobustDpo, point: Point) -> UncoveredCase:
    """A bandit with a response that is hardly covered, nobody corrupting."""
    return UncoveredCase(
        methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
        world=experiment.world(point), **experiment.attacked(point, NOBODY),
    )  # fmt: skip


def lopsided_noise(experiment: PrivateRobustDpo, point: Point) -> RobustCase:
    """Two responses whose β is swept: the pair shows h = β·ln(odds), so labels are uneven."""
    case = experiment.pair_case(point, NOBODY)
    world = case.world
    states = TwoArmStates(1, float(world.cell_prob[0]))
    shown = float(world.reward_diff[0])
    unit = deviation(states, point.n_pairs, point.epsilon, shown)
    return replace(case, claimed=math.sqrt(2 / math.pi) * unit)


Rare = RobustCase[Uncovered]
Worlds = Callable[["PrivateRobustDpo", Point, float], Uncovered]
"""(experiment, grid point, α) → rare pairs."""
Floor = Callable[[float, Uncovered], float]
"""(ζα, rare pairs) → the floor that is claimed."""


def numbers(world: Uncovered) -> tuple[float, float, float]:
    """(end, reward, β): largest |θ₁|, reward difference of the unseen state at m → 0, β."""
    end = -float(rare_direction(world.reward_bound)[0])
    return end, WEIGHT * end, world.kl_weight


def every_pair(experiment: PrivateRobustDpo, point: Point, share: float) -> Uncovered:
    """Rare directions of every mass in a family of bounded κ_Π."""
    return experiment.config.rare.pairs(share)


def at_fixed_range(experiment: PrivateRobustDpo, point: Point, share: float) -> Uncovered:
    """The same where B is swept and β = B′/B."""
    world = experiment.config.rare.pairs(share)
    return replace(world, kl_weight=world.reward_bound / point.value)


def at_fixed_kl(experiment: PrivateRobustDpo, point: Point, share: float) -> Uncovered:
    """The same where B is swept and B′ = βB."""
    world = experiment.config.rare.pairs(share)
    return replace(world, reward_bound=world.kl_weight * point.value)


def every_covered_pair(experiment: PrivateRobustDpo, point: Point, share: float) -> Uncovered:
    """The same of masses from ξ.

    Raises:
        BadInput: ξ is not below ¼, the mass of the other pair.
    """
    least = point.swept("min_eigenvalue", experiment.config.min_eigenvalue)
    if not 0 < least < PLENTY:
        raise BadInput("min_eigenvalue", least, f"allowed: above 0, below {PLENTY}")
    return replace(experiment.config.rare.pairs(share), masses=(least, PLENTY))


def straight(moved: float, world: Uncovered) -> float:
    """B·√(Z·g(B′/√2))/(16√2), B = B′/β."""
    return closed.straight_rare_dpo(moved, *numbers(world))


def straight_covered(moved: float, world: Uncovered) -> float:
    """Z/(γ√ξ) times ½·(reward − √ξ·end)/(4β)."""
    return closed.covered_dpo(moved, world.masses[0], *numbers(world))


def rare(
    attack: Attack, worlds: Worlds = every_pair, claimed: Floor = rare_dpo_at
) -> Callable[[PrivateRobustDpo, Point], Rare]:
    """Rare directions of infinitely many labels, in units of a claimed floor."""

    def case(experiment: PrivateRobustDpo, point: Point) -> Rare:
        share = experiment.corruption(point)
        world = worlds(experiment, point, share)
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, world=world,
            claimed=claimed(share * attack.worth(point.epsilon), world),
            **experiment.attacked(point, attack),
        )  # fmt: skip

    return case


def covered(attack: Attack) -> Callable[[PrivateRobustDpo, Point], Rare]:
    """The same under uniform coverage."""
    return rare(attack, every_covered_pair, straight_covered)


def missing_pair(experiment: PrivateRobustDpo, point: Point) -> RobustCase[UnseenPair]:
    """A pair of mass 1 − e^−λ: n = ln(1/δ)/λ labels lack it with probability δ."""
    mass, given = -math.expm1(-point.value), experiment.config.rare
    world = Uncovered(given.reward_bound, (mass, mass), given.ratio, given.kl_weight)
    return RobustCase(
        methods=point.methods, epsilon=point.epsilon, world=UnseenPair(world, 0.0),
        claimed=closed.unseen_dpo(mass, *numbers(world)),
    )  # fmt: skip


def rare_noise(experiment: PrivateRobustDpo, point: Point) -> RareNoise:
    """Noise in the family of bounded κ_Π; θ = (−B′/2, B′/2) lies inside the class."""
    bound, kl_weight = experiment.config.rare.reward_bound, experiment.config.rare.kl_weight
    return RareNoise(
        methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon,
        world=TwoArmStates(1, PLENTY), margin=-bound / 2, ball=bound / math.sqrt(2),
        kl_weight=kl_weight,
    )  # fmt: skip


def lopsided_tail(experiment: PrivateRobustDpo, point: Point) -> PolicyTail:
    """Two responses along ln(1/δ); h·z·s/(4β) is claimed, s the deviation of the margin."""
    world = experiment.world(point)
    shown, kl_weight = float(world.reward_diff[0]), world.policies.kl_weight
    case = tail_case(point, float(world.cell_prob[0]), shown)
    claimed = shown * case.claimed / (4 * kl_weight)
    return PolicyTail(**{**vars(case), "kl_weight": kl_weight, "claimed": claimed})


CLEAN, LTC, CTL = policies(NOBODY), floor(STRONG_LTC), floor(STRONG_CTL)


class DpoProbes(RobustProbes):
    """Numbers of the experiment; conf/theorem/private_robust_dpo.yaml gives them."""

    min_eigenvalue: Share
    rare: RarePairs


class PrivateRobustDpo(RobustExperiment[RobustCase]):
    """Theorem 6.3 and what pessimism adds."""

    title = "P4 Theorem 6.3: private and robust DPO"
    settles = ("p4.thm_6_3",)
    config_type = DpoProbes
    config: DpoProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "gap {rate}"), GAP, rdpo, (no_debias,),
            on="three_arms", given=CLEAN, needs=NOISY),
        Row("privacy_cost", "privacy_cost", Slope(1, "gap {rate}"), GAP, rdpo, (no_debias,),
            on="three_arms", given=CLEAN, needs=NOISY),
        Row("coverage", "coverage", Slope(0.5, "gap {rate}", symbol="κ_Π"), IN_REWARDS, rdpo,
            (no_debias,), on="lopsided", given=CLEAN, needs=(*NOISY, Need.COVERAGE)),
        Row("kl_weight", "kl_weight",
            Ratio("gap·4β/h = c(ε)√(2r(1−r)/(πnm))/σ′(h), h = βL: 1/γ", tolerance=0.1), IN_MARGINS,
            rdpo, (no_debias, as_if_even), on="lopsided", given=lopsided_noise, needs=NOISY),
        Row("root_corruption", "corruption",
            Ratio("κ_Π ≤ 1.5, LTC: sup of floor ∝ √(c(ε)α), along α"), RARE, rdpo,
            (half_more_flips, orders_swapped), given=rare(STRONG_LTC), needs=ORDERED,
            fixed=INFINITE),
        Row("root_cost", "privacy_cost",
            Ratio("κ_Π ≤ 1.5, LTC: sup of floor ∝ √(c(ε)α), along c"), RARE, rdpo,
            (half_more_flips, orders_swapped), given=rare(STRONG_LTC), needs=ORDERED,
            fixed=INFINITE),
        Row("root_ctl", "privacy_cost",
            Ratio("κ_Π ≤ 1.5, CTL: sup of floor ∝ √α, free of ε"), RARE, rdpo,
            (half_more_flips, orders_swapped), given=rare(STRONG_CTL), needs=ORDERED,
            fixed=INFINITE),
        Row("root_bound", "reward_bound",
            Ratio("κ_Π ≤ 1.5, LTC: sup of floor = B·√(c(ε)αg)/(16√2), βB fixed"), RARE, rdpo,
            (first_bound, orders_swapped), given=rare(STRONG_LTC, at_fixed_range, straight),
            needs=ORDERED, fixed=INFINITE),
        Row("root_curvature", "reward_bound",
            Ratio("κ_Π ≤ 1.5, LTC: sup of floor = B·√(c(ε)αg(βB/√2))/(16√2), β fixed: "
                  "√(1/γ) where 1/γ is printed"), RARE, rdpo,
            (curvature_of_two, orders_swapped), given=rare(STRONG_LTC, at_fixed_kl, straight),
            needs=ORDERED, fixed=INFINITE),
        Row("rare_noise", "n_pairs", Slope(-0.5, "κ_Π ≤ 1.5: sup of mean gap {rate}"), WORST, rdpo,
            (no_debias,), given=rare_noise, needs=NOISY),
        Row("ridge", "ridge",
            Ratio("κ_Π ≤ 1.5, n = ln(1/δ)/λ: w.p. δ a pair is missing and costs βB²√λ/32"), UNSEEN,
            rdpo, (no_debias, pair_is_seen), given=missing_pair, needs=NOISY, fixed=INFINITE),
        Row("log_inverse_delta", "log_inverse_delta",
            Ratio("gap exceeded w.p. δ = z_{δ/2}·h·c(ε)√(r(1−r)/(nm))/(4βσ′) ~ √(2ln(1/δ))"),
            TAIL, rdpo, (at_one_deviation,), on="lopsided", given=lopsided_tail, needs=NOISY),
        Row("covered_corruption", "corruption",
            Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along α"), COVERED, rdpo,
            (every_mass, orders_swapped), given=covered(STRONG_LTC), needs=ORDERED,
            fixed=INFINITE),
        Row("covered_cost", "privacy_cost",
            Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along c"), COVERED, rdpo,
            (every_mass, orders_swapped), given=covered(STRONG_LTC), needs=ORDERED,
            fixed=INFINITE),
        Row("covered_ctl", "privacy_cost",
            Ratio("m ≥ ξ, CTL: sup of floor ∝ α/(γ√ξ), free of ε"), COVERED, rdpo,
            (every_mass, orders_swapped), given=covered(STRONG_CTL), needs=ORDERED,
            fixed=INFINITE),
        Row("covered_coverage", "min_eigenvalue",
            Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along ξ"), COVERED, rdpo,
            (every_mass, orders_swapped), given=covered(STRONG_LTC),
            needs=(*ORDERED, Need.COVERAGE), fixed=INFINITE),
        Row("ltc_corruption", "corruption", Ratio("LTC: floor = c(ε)·α·max|⟨g, H⁻¹x⟩|, along α"),
            OVER_CLAIMED, rdpo, (no_debias, orders_swapped), on="three_arms", given=LTC,
            needs=ORDERED, fixed=INFINITE),
        Row("ctl_corruption", "corruption", Ratio("CTL: floor = α·max|⟨g, H⁻¹x⟩|, along α"),
            OVER_CLAIMED, rdpo, (no_debias, orders_swapped), on="three_arms", given=CTL,
            needs=ORDERED, fixed=INFINITE),
        Row("printed_corruption", "corruption",
            Slope(0.5, "LTC, as printed: floor ≤ O(√α), that is 1/floor {rate}", "at_least",
                  symbol="(1/α)"),
            FLOOR, rdpo, (no_debias,), on="three_arms", given=LTC, needs=ATTACKED,
            fixed=INFINITE),
        Row("ltc_cost", "privacy_cost", Ratio("LTC: floor = c(ε)·α·max|⟨g, H⁻¹x⟩|, along c"),
            OVER_CLAIMED, rdpo, (orders_swapped,), on="three_arms", given=LTC, needs=ORDERED,
            fixed=INFINITE),
        Row("ctl_cost", "privacy_cost", Ratio("CTL: floor = α·max|⟨g, H⁻¹x⟩|, free of ε"),
            OVER_CLAIMED, rdpo, (orders_swapped,), on="three_arms", given=CTL, needs=ORDERED,
            fixed=INFINITE),
        Row("uncovered", "coverage",
            Slope(0, "pessimistic RLHF's loss {rate} of a response", "at_most", tolerance=0.1,
                  symbol="1/π_sft"),
            LOST, pessimistic, (dpo,), on="uncovered", given=one_uncovered,
            needs=(Need.PESSIMISM,), settles=("p4.rem_4_8",)),
    )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 4.5: one-hot features hold every policy; θ_true lies inside the class."""
        arms = self.built("three_arms").policies
        norm = float(arms.theta.norm())
        return (AssumptionResult("class", norm <= arms.radius, f"‖θ_true‖ = {norm:.3g}"),)
