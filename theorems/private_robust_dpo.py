"""P4 Theorem 6.3: private and robust DPO with log-linear policies.

Statement (arXiv 2505.15694, Theorem 6.3).  The policy of Algorithm 1's output has, w.p. ≥ 1−δ,

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ),

ζ = 1 (CTL) or c(ε) (LTC), γ = 1/(2 + e^βB + e^−βB).  By Remark 6.4 the algorithm is rDPO.

Measured: |J(π*) − J(π̂)|, because J has no KL term and the gap is signed.  On three responses of
one state: noise in n and c (two-sided), and the floors of infinitely many labels (exact
expectations: nothing is drawn) as numbers along α and c: the strong adversary aims at the gradient
g of J, and the floor is ζα·max_c |⟨g, H⁻¹x_c⟩|, H the Hessian at the truth (`bounds_response`).
So the floor of a fixed instance goes like α, locally, below the √α of the bound
(`printed_corruption`, at_least ½; its neighbours show that it could fail).  The √α regime of the
bound is a supremum over instances with κ_Π ≤ 1.5 (`root_…`: √α, and √c under LTC where c is
printed), in the straight range of the policy; its law at any α is in
docs/explanations/separation_at_any_size.md.  On two responses whose
reference is lopsided the noise goes like √κ_Π; there B is the reward difference, and the gap is
measured in its unit.

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
from repro.families.robust.quantities_sizes import rare_dpo_at
from repro.families.robust.quantities_two_arms import TwoArmStates, deviation
from repro.families.robust.quantities_uncovered import Uncovered, uncovered_dpo
from repro.families.robust.worlds_pairs import PolicyPairs
from repro.families.robust.wrong import as_it_is, no_debias, orders_swapped
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
def half_more_flips(case: RobustCase) -> RobustCase:
    """Wrong: α half as large again."""
    return replace(case, corruption=1.5 * case.corruption)


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


def rare(attack: Attack) -> Callable[[PrivateRobustDpo, Point], Rare]:
    """Rare directions of every mass in a family of bounded κ_Π, of infinitely many labels."""

    def case(experiment: PrivateRobustDpo, point: Point) -> Rare:
        share = experiment.corruption(point)
        world = experiment.config.rare.pairs(share)
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, world=world,
            claimed=rare_dpo_at(share * attack.worth(point.epsilon), world),
            **experiment.attacked(point, attack),
        )  # fmt: skip

    return case


CLEAN, LTC, CTL = policies(NOBODY), floor(STRONG_LTC), floor(STRONG_CTL)


class DpoProbes(RobustProbes):
    """Numbers of the experiment; conf/theorem/private_robust_dpo.yaml gives them."""

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
            (no_debias,), on="lopsided", given=CLEAN, needs=NOISY),
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
            needs=(Need.PESSIMISM,)),
    )  # fmt: skip

    def case(self, point: Point) -> RobustCase:
        """What the row says that its cases are made of."""
        return point.row.given(self, point)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 4.5: one-hot features hold every policy; θ_true lies inside the class."""
        arms = self.built("three_arms").policies
        norm = float(arms.theta.norm())
        return (AssumptionResult("class", norm <= arms.radius, f"‖θ_true‖ = {norm:.3g}"),)
