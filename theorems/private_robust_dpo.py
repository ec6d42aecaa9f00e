"""P4 Theorem 6.3: private and robust DPO with log-linear policies.

Statement (arXiv 2505.15694, Theorem 6.3).  The policy of Algorithm 1's output has, w.p. ≥ 1−δ,

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ),

ζ = 1 (CTL) or c(ε) (LTC), γ = 1/(2 + e^βB + e^−βB).  By Remark 6.4 the algorithm is rDPO.

That γ is too large: with ‖φ‖ ≤ 1 margins reach 2β‖θ* − θ_sft‖, which is 2βB at θ_sft = 0 and 4βB if
‖θ_sft‖ ≤ B, and at finite ε no universal C makes up for it: checks `curvature…` of `dpo_reduction`,
proof and corrected form in docs/explanations/corrected_proposition_4_6.md.  Here `kl_weight` has σ′
at the pair's own margin, which is the right one.

Measured: |J(π*) − J(π̂)|, because J has no KL term and the gap is signed.  On three responses of
one state: noise in n and c (two-sided), and the floors of infinitely many labels (exact
expectations: nothing is drawn) as numbers along α and c: the strong adversary aims at the gradient
g of J, and the floor is ζα·max_c |⟨g, H⁻¹x_c⟩|, H the Hessian at the truth
(`debiased_mle.response`).  So the floor of a fixed instance goes like α, locally, below the √α of
the bound (`printed_corruption`, at_least ½; its neighbours show that it could fail).  The √α regime
of the bound is a supremum over instances with κ_Π ≤ 1.5 (`root_…`: √α, and √c under LTC where c is
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

`uncovered`: a third response that the reference draws with probability μ, nμ from 1000 to 10.  DPO
needs coverage of the whole class and loses more as μ falls; pessimistic RLHF on the same labels
does not (P4, Remark 4.8): it is the method, DPO the control.  It loses what telling the two covered
responses apart costs: their margin t is estimated with deviation s, and it leaves the even mixture
of the two for the first where the estimate exceeds Γ = 2.45s, for the second where it is below −Γ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from scipy.special import expit, ndtr

from repro.base.notation import privacy_cost
from repro.base.schema import Number, Positive
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Claim, Ratio, Slope
from repro.p4.corruption_floors import closed_forms as closed
from repro.p4.corruption_floors.policies import dpo_floor, gap_gradient
from repro.p4.corruption_floors.rare_labels import RarePairLabels, RarePairs
from repro.p4.corruption_floors.rare_noise import (
    LopsidedLabels,
    RareNoise,
    gap_exceeded,
    worst_noise,
)
from repro.p4.corruption_floors.rare_pairs import (
    PLENTY,
    WEIGHT,
    Uncovered,
    UnseenPair,
    covered_dpo,
    rare_direction,
    rare_dpo_at,
    uncovered_dpo,
    unseen_dpo,
)
from repro.p4.debiased_mle.labels import (
    AttackedLabels,
    PairLabels,
    SampledPairs,
    algorithm_1,
    attacked_on_both_sides,
    no_debias,
    of_changed,
    orders_swapped,
    over_claimed,
)
from repro.p4.debiased_mle.response import strong_floor
from repro.p4.label_cells.choices import ThreeArmsChoice
from repro.p4.linear_rlhf.dpo import (
    CHI2_2,
    UncoveredLabels,
    estimates,
    lost_by_dpo,
    lost_by_pessimism,
)
from repro.p4.linear_rlhf.two_arms import (
    TwoArmStates,
    at_one_deviation,
    deviation,
    error_exceeded,
)
from repro.worlds.instances.labelled import PrivateLabels

# Worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class LopsidedPairs(SampledPairs):
    """Two responses whose β is swept: the pair shows h = β·ln(odds), so labels are uneven.

    Attributes:
        even: whether the noise is taken for that of even labels, no 1/γ.
    """

    even: bool = False

    @property
    def mean_noise(self) -> float:
        """Mean |θ̂ − θ| of the margin, c(ε)√(2r(1−r)/(πnm))/σ′(h), or as if labels were even."""
        cells = self.stated
        states, shown = TwoArmStates(1, float(cells.cell_prob[0])), float(cells.reward_diff[0])
        uneven = math.sqrt(2 / math.pi) * deviation(states, self.n_pairs, self.epsilon, shown)
        return uneven * 4 * float(expit(shown) * expit(-shown)) if self.even else uneven


@dataclass(frozen=True, eq=False, kw_only=True)
class FixedRange(RarePairLabels):
    """Rare pairs where B is swept and β = B′/B.

    Attributes:
        policy_bound: B.
    """

    policy_bound: Positive

    @property
    def stated(self) -> Uncovered:
        pairs = self.instance.pairs(self.corruption)
        return replace(pairs, kl_weight=pairs.reward_bound / self.policy_bound)


@dataclass(frozen=True, eq=False, kw_only=True)
class FixedWeight(RarePairLabels):
    """Rare pairs where B is swept and B′ = βB.

    Attributes:
        policy_bound: B.
    """

    policy_bound: Positive

    @property
    def stated(self) -> Uncovered:
        pairs = self.instance.pairs(self.corruption)
        return replace(pairs, reward_bound=pairs.kl_weight * self.policy_bound)


@dataclass(frozen=True, eq=False, kw_only=True)
class CoveredPairs(RarePairLabels):
    """Pairs of masses from ξ up.

    Attributes:
        min_eigenvalue: ξ, below ¼, the mass of the other pair.
    """

    min_eigenvalue: Annotated[Number, Field(gt=0, lt=PLENTY)]

    @property
    def stated(self) -> Uncovered:
        return replace(self.instance.pairs(self.corruption), masses=(self.min_eigenvalue, PLENTY))


@dataclass(frozen=True, eq=False, kw_only=True)
class MissingPair(PrivateLabels, AttackedLabels):
    """A pair of mass 1 − e^−λ: n = ln(1/δ)/λ labels lack it with probability δ.

    Attributes:
        instance: the class that it is of.
        ridge: λ.
        seen: whether its labels are there.
    """

    instance: RarePairs
    ridge: Positive
    seen: bool = False

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0

    @property
    def world(self) -> UnseenPair:
        """The pair, and how much of it there is among the labels."""
        mass, given = -math.expm1(-self.ridge), self.instance
        rare = Uncovered(given.reward_bound, (mass, mass), given.ratio, given.kl_weight)
        return UnseenPair(rare, mass if self.seen else 0.0)


# What is claimed of a world ----------------------------------------------------------------------


def response(world: PairLabels) -> float:
    """ζα·max_c |⟨g, H⁻¹x_c⟩|, g the gradient of J."""
    pairs = world.stated
    root = gap_gradient(pairs.policies, pairs)[None]
    return strong_floor(pairs, world.corruption, world.flip_worth, root)


def any_size(world: RarePairLabels) -> float:
    """The floor's law at any α."""
    return rare_dpo_at(world.moved, world.stated)


def straight(world: RarePairLabels) -> float:
    """B·√(Z·g(B′/√2))/(16√2), B = B′/β."""
    return closed.straight_rare_dpo(world.moved, *_numbers(world.stated))


def straight_covered(world: CoveredPairs) -> float:
    """Z/(γ√ξ) times ½·(reward − √ξ·end)/(4β)."""
    return closed.covered_dpo(world.moved, world.min_eigenvalue, *_numbers(world.stated))


def never_seen(world: MissingPair) -> float:
    """βB²√λ/32."""
    pair = world.world
    return closed.unseen_dpo(pair.mass, *_numbers(pair.rare))


def lost_undecided(world: UncoveredLabels) -> float:
    """t·P(x < −Γ/s) + ½t·P(|x| ≤ Γ/s), x ~ N(t/s, 1): two covered responses, the third never taken.

    s = 2c(ε)/√n·‖φ₁ − φ₂‖ in the norm of Σ⁻¹, labels being nearly even.
    """
    pairs = world.stated
    bandit = pairs.policies
    margin = float(bandit.reward[0, 0] - bandit.reward[0, 1])
    # pairs are scaled so that ‖x‖ ≤ 1, and θ with them
    x = pairs.coordinates * float(pairs.truth.norm() / bandit.theta.norm())
    apart = bandit.features[0, 0] - bandit.features[0, 1]
    covariance = (x * pairs.cell_prob[:, None]).T @ x
    norm = float((apart @ covariance.inverse() @ apart).sqrt())
    seen = margin / (2 * privacy_cost(world.epsilon) / math.sqrt(world.n_pairs) * norm)
    reach = math.sqrt(CHI2_2)
    return margin * float(ndtr(-reach - seen) + ndtr(reach - seen)) / 2


def exceeded(world: LopsidedLabels) -> float:
    """h·z·s/(4β), s the deviation of the margin and z the quantile of δ/2."""
    margin = world.margin
    return margin * error_exceeded(world, margin) / (4 * world.kl_weight)


def _numbers(rare: Uncovered) -> tuple[float, float, float]:
    """(end, reward, β): largest |θ₁|, reward difference of the unseen state at m → 0, β."""
    end = -float(rare_direction(rare.reward_bound)[0])
    return end, WEIGHT * end, rare.kl_weight


# Algorithms: rDPO, and wrong on purpose ----------------------------------------------------------

rdpo = named("rdpo", algorithm_1)
pessimistic, dpo = (
    named("pessimistic", lost_by_pessimism),
    named("dpo", lost_by_dpo, "DPO, which is not pessimistic"),
)


def as_if_even(world: LopsidedPairs) -> LopsidedPairs:
    """Wrong for a sweep of β: in units of the noise of even labels, no 1/γ."""
    return replace(world, even=True)


def first_bound(world: FixedRange) -> FixedRange:
    """Wrong for a sweep of B at fixed βB: the policies of B = 25, whatever B is."""
    return replace(world, policy_bound=25.0)


def curvature_of_two(world: FixedWeight) -> FixedWeight:
    """Wrong for a sweep of B at fixed β: B′ = 2, whatever B is."""
    return replace(world, policy_bound=2.0 / world.instance.kl_weight)


def every_mass(world: CoveredPairs) -> CoveredPairs:
    """Wrong under uniform coverage: masses down to a thousandth of ξ."""
    return replace(world, min_eigenvalue=world.min_eigenvalue / 1000)


def pair_is_seen(world: MissingPair) -> MissingPair:
    """Wrong for a missing pair: its labels are there."""
    return replace(world, seen=True)


# Quantities --------------------------------------------------------------------------------------


def gap_in_rewards(world: SampledPairs, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The gap in units of the reward difference."""
    reward = world.world.policies.reward
    return dpo_floor(world, rng, replicates) / float(reward.max() - reward.min())


def gap_in_margins(world: LopsidedPairs, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The gap in units of h/(4β), h the reward difference: |θ̂ − θ| of the margin, while small."""
    beta = world.world.policies.kl_weight
    return 4 * beta * gap_in_rewards(world, rng, replicates) / world.mean_noise


def noise(world: RareNoise, rng: Any, replicates: int) -> float:
    """What noise costs at the worst mass."""
    return worst_noise(world)


def tail(world: LopsidedLabels, change: Algorithm, rng: np.random.Generator, replicates: int):
    """What the gap exceeds with probability δ."""
    return gap_exceeded(change(world), world.margin)


def lost(
    world: UncoveredLabels, algorithm: Algorithm, estimates: Any, replicates: int
) -> np.ndarray:
    """(R,) reward that each algorithm loses, all on the same estimates."""
    return algorithm(estimates)


OVER = "of n → ∞ labels / claimed"
GAP = of_changed("|J(π*) − J(π̂)| without corruption", dpo_floor)
IN_REWARDS = of_changed("|J(π*) − J(π̂)| / reward difference", gap_in_rewards)
IN_MARGINS = of_changed("gap·4β/h over its mean c(ε)√(2r(1−r)/(πnm))/σ′(h)", gap_in_margins)
FLOOR = over_claimed("|J(π*) − J(π̂)| of n → ∞ labels", dpo_floor)
ON_RESPONSE = over_claimed(f"|J(π*) − J(π̂)| {OVER}", dpo_floor, response)
RARE = over_claimed(f"sup over m of |J(π*) − J(π̂)| {OVER}", uncovered_dpo, any_size)
STRAIGHT = replace(RARE, over=straight)
COVERED = over_claimed(f"sup over m ≥ ξ of |J(π*) − J(π̂)| {OVER}", covered_dpo, straight_covered)
UNSEEN = over_claimed("|J(π*) − J(π̂)| without labels of the rare pair / claimed", unseen_dpo,
                      never_seen)  # fmt: skip
WORST = over_claimed("sup over m of E|J(π*) − J(π̂)|", noise)
TAIL = Quantity("|J(π*) − J(π̂)| exceeded with probability δ / claimed", tail, evidence="exact",
                over=exceeded)  # fmt: skip
LOST = Quantity("reward lost against the best response / claimed", lost, drawn=estimates,
                over=lost_undecided)  # fmt: skip

# The claims --------------------------------------------------------------------------------------


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, wrong: Sequence[Algorithm],
    right: Algorithm = rdpo, **more: Any,
) -> Check:  # fmt: skip
    """A check of rDPO, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


FLIPS, READ, MASSES = (
    [attacked_on_both_sides, orders_swapped], [no_debias, orders_swapped],
    [every_mass, orders_swapped],
)  # fmt: skip
NOISE = [
    check("n_pairs", "n_pairs", Slope("gap {rate}", -0.5), GAP, [no_debias]),
    check("privacy_cost", "privacy_cost", Slope("gap {rate}", 1), GAP, [no_debias]),
    check("coverage", "coverage", Slope("gap {rate}", 0.5, symbol="κ_Π"), IN_REWARDS,
          [no_debias]),
    check("kl_weight", "kl_weight",
          Ratio("gap·4β/h = c(ε)√(2r(1−r)/(πnm))/σ′(h), h = βL: 1/γ", tolerance=0.1), IN_MARGINS,
          [no_debias, as_if_even]),
]  # fmt: skip
NO_COVERAGE = [
    check("root_corruption", "corruption",
          Ratio("κ_Π ≤ 1.5, LTC: sup of floor ∝ √(c(ε)α), along α"), RARE, FLIPS),
    check("root_cost", "privacy_cost", Ratio("κ_Π ≤ 1.5, LTC: sup of floor ∝ √(c(ε)α), along c"),
          RARE, FLIPS),
    check("root_ctl", "privacy_cost", Ratio("κ_Π ≤ 1.5, CTL: sup of floor ∝ √α, free of ε"), RARE,
          FLIPS),
    check("root_bound", "reward_bound",
          Ratio("κ_Π ≤ 1.5, LTC: sup of floor = B·√(c(ε)αg)/(16√2), βB fixed"), STRAIGHT,
          [first_bound, orders_swapped], at="policy_bound"),
    check("root_curvature", "reward_bound",
          Ratio("κ_Π ≤ 1.5, LTC: sup of floor = B·√(c(ε)αg(βB/√2))/(16√2), β fixed: "
                "√(1/γ) where 1/γ is printed"), STRAIGHT,
          [curvature_of_two, orders_swapped], at="policy_bound"),
    check("rare_noise", "n_pairs", Slope("κ_Π ≤ 1.5: sup of mean gap {rate}", -0.5), WORST,
          [no_debias]),
    check("ridge", "ridge",
          Ratio("κ_Π ≤ 1.5, n = ln(1/δ)/λ: w.p. δ a pair is missing and costs βB²√λ/32"), UNSEEN,
          [no_debias, pair_is_seen]),
    check("log_inverse_delta", "log_inverse_delta",
          Ratio("gap exceeded w.p. δ = z_{δ/2}·h·c(ε)√(r(1−r)/(nm))/(4βσ′) ~ √(2ln(1/δ))"), TAIL,
          [at_one_deviation]),
]  # fmt: skip
UNIFORM_COVERAGE = [
    check("covered_corruption", "corruption",
          Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along α"), COVERED, MASSES),
    check("covered_cost", "privacy_cost",
          Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along c"), COVERED, MASSES),
    check("covered_ctl", "privacy_cost",
          Ratio("m ≥ ξ, CTL: sup of floor ∝ α/(γ√ξ), free of ε"), COVERED, MASSES),
    check("covered_coverage", "min_eigenvalue",
          Ratio("m ≥ ξ, LTC: sup of floor ∝ c(ε)α/(γ√ξ), along ξ"), COVERED, MASSES),
]  # fmt: skip
FLOORS = [
    check("ltc_corruption", "corruption", Ratio("LTC: floor = c(ε)·α·max|⟨g, H⁻¹x⟩|, along α"),
          ON_RESPONSE, READ),
    check("ctl_corruption", "corruption", Ratio("CTL: floor = α·max|⟨g, H⁻¹x⟩|, along α"),
          ON_RESPONSE, READ),
    check("printed_corruption", "corruption",
          Slope("LTC, as printed: floor ≤ O(√α), that is 1/floor {rate}", 0.5, "at_least",
                symbol="(1/α)"), FLOOR, [no_debias]),
    check("ltc_cost", "privacy_cost", Ratio("LTC: floor = c(ε)·α·max|⟨g, H⁻¹x⟩|, along c"),
          ON_RESPONSE, [orders_swapped]),
    check("ctl_cost", "privacy_cost", Ratio("CTL: floor = α·max|⟨g, H⁻¹x⟩|, free of ε"),
          ON_RESPONSE, [orders_swapped]),
    check("uncovered", "coverage",
          Ratio("pessimistic RLHF loses what two covered responses cost, whatever 1/π_sft(third)",
                tolerance=0.15), LOST, [dpo], pessimistic, settles=["p4.rem_4_8"]),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Assumption 4.5: one-hot features hold every policy; θ_true lies inside the class."""
    world = swept.sweep.worlds[0]
    if isinstance(world, PairLabels) and isinstance(world.instance, ThreeArmsChoice):
        arms = world.stated.policies
        norm = float(arms.theta.norm())
        yield "class", norm <= arms.radius, f"‖θ_true‖ = {norm:.3g}"


THEOREM = Theorem(
    title="P4 Theorem 6.3: private and robust DPO",
    settles=["p4.thm_6_3"],
    checks=[*NOISE, *NO_COVERAGE, *UNIFORM_COVERAGE, *FLOORS],
    worlds={
        "sampled": SampledPairs, "infinite": PairLabels, "lopsided": LopsidedPairs,
        "rare": RarePairLabels, "fixed_range": FixedRange, "fixed_weight": FixedWeight,
        "covered": CoveredPairs, "missing": MissingPair, "rare_noise": RareNoise,
        "tail": LopsidedLabels, "uncovered": UncoveredLabels,
    },
    assumes=assumes,
)  # fmt: skip
