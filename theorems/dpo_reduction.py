"""P4 Proposition 4.6, and the γ of Theorem 6.3: what DPO with log-linear policies loses.

Statement (arXiv 2505.15694).  With π̂ = π_{θ̂/β + θ_sft},

    SubOpt(π̂, π*) ≤ √(3/2)·√κ_Π·B·Γ,      ‖θ̂ − θ_true‖_{Σ̂+λI} ≤ Γ,  κ_Π = max over Π of κ(π, π).

The proof goes (a) gap ≤ Δ_max·E TV with Δ_max = max(r* − β·ln Z_β) ≤ 2βB, (b, c) Pinsker and
Jensen, (d) E KL(π*, π̂) ≤ ¼·κ_Π·‖θ̂′ − θ*‖²_{Σ_sft}.  All are decided by intervals, with
|gap|, because J has no KL term and the gap is signed; what is left of each step is compared in the
tests with random one-feature instances, where every step has a closed form.

* `proposition` is contradicted, by 2/√3 = 1.155.  Every assumption holds: φ = ±u, ‖u‖ = 1, ⟨1, u⟩
  = 0; θ*, θ_sft ∈ Θ_B; Γ is the error itself at n → ∞, λ → 0; κ_Π is the maximum over all of eq.
  (12).  With 8 copies and B = ln(8)/2, π* gives ½ to either side, so Pinsker and step (d) are
  equalities for θ̂ near θ_true, and so is step (a): |gap| = 4βB·½‖θ̂′ − θ*‖ against a bound of
  √3·βB·‖θ̂′ − θ*‖.  The √3 of Lemma H.1 does not make up for the 2 that is missing in Δ_max.
* `step_a`: true with the *span* of r* within a state; false with the maximum as printed
  (control `maximum_as_printed`): a small maximum can go with a large negative minimum.
* `reward_range`: the span is at most 4βB; neither it nor the maximum is below 2βB as printed, both
  because ‖θ* − θ_sft‖ can be 2B (controls).
* `step_d`: true with κ_Π over ‖θ‖ ≤ 3B, where θ̂′ = θ̂/β + θ_sft lies.  Read with the ‖θ‖ ≤ B that
  Assumption 4.5 has for θ*, it is false (control `class_of_B`); eq. (12) itself has no bound on θ.
* `corrected`: |gap| ≤ √(3/2)·√κ_Π(3B)·2B·Γ, from the corrected steps: the printed rate with twice
  the constant.

* `search`: with two responses in each state κ_Π is attained at θ = 0, so no reading of Π is in
  play.  At θ* = −θ_sft = B·u the printed bound is missed by (4/√3)·|σ(2B) − σ(2t)|/|B − t|, θ̂′ =
  t·u: by 2tanh(B)/(√3·B) at θ̂′ = 0, above 1 for B < .69, and by up to 1.1518 at B = .1.  For small
  errors it is 8σ′(2B)/√3, 1.1432 there; the search of the tests, from random starts over features,
  ρ, θ* and θ_sft, looks at small errors only and finds no more than that.
* `policies`: DPO's policy π̂ ∝ π_sft·exp(r̂/β) on random worlds of two responses a state, where κ_Π
  is κ of the even policy: |gap| ≤ ‖θ* − θ_sft‖·√(κ_Π/2)·Γ; and .999 over the quotient where it is
  attained, next to an even π*.
* `own_form`: |gap| ≤ ‖θ* − θ_sft‖·√(κ/2)·Γ with κ over the segment from θ* to θ̂′ alone
  (docs/explanations/corrected_proposition_4_6.md); equality is approached (in the tests).  So the
  proposition holds as printed where ‖θ* − θ_sft‖ ≤ B, for n → ∞ up to √3·B, and not beyond; with
  ‖θ_sft‖ ≤ B it is off in its constant only, and Theorem 6.3's universal C has room for that.

The controls of the step checks are the printed steps, so they confirm the slips.

Theorem 6.3 puts Theorem 5.4 into the proposition: w.p. ≥ 1−δ, with γ = 1/(2 + e^βB + e^−βB),

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ).

Margins reach 2β‖θ* − θ_sft‖, which is 2βB at θ_sft = 0 and 4βB at θ_sft = −θ*.  One state, φ = ±u,
θ* = B·u, nobody corrupts; Algorithm 1 reads private labels, and what SubOpt exceeds with
probability δ (the exact binomial law of the labels of n/2 informative pairs) is held against the
bound with C = 1 while βB grows.

* `curvature` (θ_sft = 0, ε = 1) and `curvature_far` (θ_sft = −θ*, no privacy) grow over the
  printed bound like e^βB at least: no universal C does.  At θ_sft = 0 that needs margins above ε,
  which the check assumes; without privacy the quotient stays below ½, though it rises on the grid.
* `curvature_repaired`: with R = ‖θ* − θ_sft‖ for B and the γ of margins up to 2βR the quotient
  neither grows nor falls at ε = 1; it is a bound from above, and at larger ε it is tight only
  where e^βB exceeds e^ε, so this check keeps its ε.
* `private_dpo`: Section 6.2 puts λ = d/(β²B²γ²n) into the theorem and prints the rate without its
  factor B.  With e^(2B) copies of −u, so that π* is even, SubOpt over it grows like B at a fixed
  βB; over B times the rate it does not (`private_dpo_with_b`).
* `curvature_near`: as printed with C = 1 where 2‖θ* − θ_sft‖ = B, so that margins end at βB.

Proofs, and the table of other ε: docs/explanations/corrected_proposition_4_6.md.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from scipy.special import expit

from repro.base.notation import privacy_cost
from repro.base.schema import Count, Number, Positive
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Claim, Inequality, Ratio, Slope
from repro.core.proofs import Claimed, Interval, interval_inverse_slope, iv, proof_of
from repro.core.random_cases import searched
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.p4.debiased_mle.labels import algorithm_1, no_debias
from repro.p4.linear_rlhf.reduction import even_policies, policy_gap_ratio, random_policies
from repro.p4.linear_rlhf.two_arms import MarginLabels, TwoArmStates, exact_fall

UNIT, SIGNED, HALF_TURN = (0.0, 1.0), (-1.0, 1.0), (0.0, 3.1415926)
NEAR = (1e-3, 0.5)
"""How far θ̂′ is from θ* in the counterexamples."""
SHIFTS = (0.0, math.log(400))
"""log of the copies, up to 400."""


TIGHT = 0.999
"""Share of the bound that is reached next to an even π*."""
DIMENSION = 2
"""d of two opposite responses, with ⟨1, θ⟩ = 0."""


# Worlds: of proofs, and labels of two responses --------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BoundedPolicies:
    """What the proofs are given: they read B alone, and say the same of every S.

    Attributes:
        num_states: S.
        reward_bound: B, of θ* and θ_sft.
    """

    num_states: Count
    reward_bound: Positive


@dataclass(frozen=True, eq=False, kw_only=True)
class OppositeResponses(MarginLabels):
    """Labels of one state with φ = ±u, ‖u‖ = 1 and θ* = B·u, read over ‖θ‖ ≤ β‖θ* − θ_sft‖.

    Attributes:
        scaled_bound: βB.
        policy_bound: B.
        reference_share: θ_sft in units of B·u; −1 is as far from θ* as ‖θ_sft‖ ≤ B allows.
        slope_at: margin whose slope is the γ of the bound, in units of βB; 1 as printed.
    """

    scaled_bound: Positive
    policy_bound: Positive
    reference_share: Annotated[Number, Field(ge=-1, lt=1)] = 0.0
    slope_at: Annotated[Number, Field(ge=0)] = 1.0

    @property
    def stated(self) -> TwoArmStates:
        win = float(expit(self.reference_odds))
        return TwoArmStates(1, 2 * win * (1 - win))

    @property
    def reference_odds(self) -> float:
        """Log odds of +u under π_sft."""
        return 2 * self.reference_share * self.policy_bound

    @property
    def margin(self) -> float:
        """2β‖θ* − θ_sft‖."""
        return 2 * self.scaled_bound * (1 - self.reference_share)

    @property
    def ball(self) -> float:
        """The class ends at the truth."""
        return self.margin


@dataclass(frozen=True, eq=False, kw_only=True)
class EvenOptimum(OppositeResponses):
    """The same with e^(2B) copies of −u, so that π* gives ½ to either side."""

    @property
    def reference_odds(self) -> float:
        """Log odds of +u under π_sft."""
        return super().reference_odds - 2 * self.policy_bound


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomGibbsPolicies:
    """Random log-linear policies, two responses in each state.

    Attributes:
        num_states: S.
        estimate: (fitted, truth) → what the policy is made of.
    """

    num_states: Count
    estimate: Estimate = as_fitted


# Steps and bounds: what is left of their two sides, and wrong ones -------------------------------
# What only makes a ratio smaller is a variable of its own; the counterexamples are log-linear
# policies on a line, written out.


def printed(world: BoundedPolicies, copies: int, share: float = 1.0) -> Claimed:
    """|gap| over share·√(3/2)·√κ_Π·B·Γ: a response φ = 1 against copies of φ = −1.

    θ* = B, θ_sft = −B and θ̂′ = θ* − t; π_θ(1) = σ(2θ − log copies), r* differs by 4βB.  √κ_Π·Γ is
    √2·βt: κ_Π = 2/Σ_sft is attained at the even policy, Γ = βt·√Σ_sft.
    """
    shift = iv.log(iv.mpf(copies))

    def ratio(t: Interval) -> Interval:
        # σ(x) − σ(x − 2t), by its slope in between
        between = 2 * world.reward_bound - shift - iv.mpf([0, 1]) * 2 * t
        return 8 / interval_inverse_slope(between) / (share * iv.sqrt(iv.mpf(3)))

    return Claimed((NEAR,), ratio)


def span(world: BoundedPolicies) -> Claimed:
    """|gap| over span·TV in a state: two means of r*, of what is gained and of what is lost."""
    return Claimed((UNIT, UNIT), lambda gained, lost: abs(gained - lost))


def maximum_as_printed(world: BoundedPolicies) -> Claimed:
    """Wrong: over max·TV; with two responses |gap| is span·TV, and the span of r*/β is 2x = 4B."""
    bound = world.reward_bound
    return Claimed((SHIFTS,), lambda shift: 4 * bound / _largest_reward(bound, shift))


def reward_range(world: BoundedPolicies, factor: float = 4.0) -> Claimed:
    """Span of r* over factor·βB: |θ* − θ_sft|·|φ − φ′|, all four in units of their bounds."""
    box = (SIGNED, SIGNED, SIGNED, SIGNED)
    return Claimed(box, lambda a, b, u, v: abs(a - b) * abs(u - v) / factor)


def maximum_over_2bb(world: BoundedPolicies) -> Claimed:
    """Wrong: max r* over 2βB."""
    bound = world.reward_bound
    return Claimed((SHIFTS,), lambda shift: _largest_reward(bound, shift) / (2 * bound))


def class_of_3b(world: BoundedPolicies) -> Claimed:
    """E KL(π*, π̂) over ¼·κ_Π·‖θ̂′ − θ*‖²_{Σ_sft}, κ_Π over |θ| ≤ 3B.

    By Taylor's formula KL is ½‖θ̂′ − θ*‖² times Var φ at a point of the segment, ``short`` of 3B,
    and the bound has the largest.  With e^(6B + ``beyond``) copies of −1 that is 4/V(``beyond``),
    V = 1/σ′, and V grows to the point by 4·sinh(short)·sinh(beyond + short); with fewer copies the
    even policy is in the class, and has the largest variance of all.
    """
    bound = world.reward_bound

    def ratio(beyond: Interval, short: Interval) -> Interval:
        grown = 4 * _sinh(short) * _sinh(beyond + short)
        return 1 / (1 + grown / interval_inverse_slope(beyond))

    return Claimed(((0.0, 6 * bound), (0.0, 6 * bound)), ratio)


def class_of_b(world: BoundedPolicies) -> Claimed:
    """Wrong: κ_Π over |θ| ≤ B.  φ = ±1, θ* = B, θ̂′ = 3B and e^shift copies of −1, shift ≥ 2B.

    Var φ = 4σ′(2θ − shift) grows up to θ = B, where the bound has it.
    """
    bound = world.reward_bound

    def ratio(shift: Interval) -> Interval:
        win, played = _sigmoid(2 * bound - shift), _sigmoid(6 * bound - shift)
        divergence = win * iv.log(win / played) + (1 - win) * iv.log((1 - win) / (1 - played))
        return divergence * interval_inverse_slope(2 * bound - shift) / (8 * iv.mpf(bound) ** 2)

    return Claimed(((2 * bound, 6 * bound),), ratio)


def corrected(world: BoundedPolicies, share: float = 1.0) -> Claimed:
    """|gap| over share·√(3/2)·√κ_Π(3B)·2B·Γ.

    r* is β(θ* − θ_sft)·φ up to a constant, so |gap| is β|θ* − θ_sft|·‖θ̂′ − θ*‖ times a mean v of
    Var φ over the segment between them, and √κ_Π·Γ is β‖θ̂′ − θ*‖ times √2·√w, w ≥ v the largest
    variance, at most 1.  Left are |θ* − θ_sft|/(2B), v/w and √w over √3.
    """
    box = (UNIT, UNIT, UNIT)
    return Claimed(
        box, lambda apart, mean, w: apart * mean * iv.sqrt(w) / (share * iv.sqrt(iv.mpf(3)))
    )


def of_segment(world: BoundedPolicies, share: float = 1.0) -> Claimed:
    """|gap| over share·‖θ* − θ_sft‖·√(κ/2)·Γ, κ over the segment from θ* to θ̂′, in any dimension.

    With w = θ* − θ_sft, v = θ̂′ − θ* and wᵀΣv = 2·E Cov(⟨φ, w⟩, ⟨φ, v⟩) the gap is ½β times a mean
    over the segment of wᵀΣv, which is the cosine of an angle times √(wᵀΣw)·√(vᵀΣv).  The first root
    is √2·‖w‖ times the deviation of ⟨φ, w⟩/‖w‖, at most 1; the second is at most √κ·Γ/β.
    """
    box = (HALF_TURN, UNIT, UNIT)
    return Claimed(
        box, lambda angle, deviation, root: abs(iv.cos(angle)) * deviation * root / share
    )


def _largest_reward(bound: float, shift: Interval) -> Interval:
    """max r*/β = x − log Z, x = θ* − θ_sft = 2B, a response φ = 1 against e^shift of φ = −1."""
    x = iv.mpf(2 * bound)
    rare = _sigmoid(-x - shift)
    return x - iv.log(rare * iv.exp(x) + (1 - rare) * iv.exp(-x))


def _sinh(x: Interval) -> Interval:
    return (iv.exp(x) - iv.exp(-x)) / 2


def _sigmoid(x: Interval) -> Interval:
    return 1 / (1 + iv.exp(-x))


@dataclass(frozen=True)
class PolicyPair:
    """π* and π̂ with φ = ±1 and e^shift copies of −1.

    Attributes:
        bound: B.
        truth, fitted: θ* in [−B, B] and θ̂′ in [−3B, 3B].
        shift: log of the copies.
    """

    bound: float
    truth: float
    fitted: float
    shift: float


def policy_pair(world: BoundedPolicies, rng: np.random.Generator) -> PolicyPair:
    """Random ones, or, every fourth time, with θ̂′ next to an even π*."""
    bound = world.reward_bound
    truth, fitted = rng.uniform(-bound, bound), rng.uniform(-3 * bound, 3 * bound)
    if rng.random() < 0.25:
        return PolicyPair(bound, truth, truth + 0.01 * rng.choice([-1, 1]), 2 * truth)
    return PolicyPair(bound, truth, fitted, 4 * bound * rng.standard_normal())


def divergence_ratio(case: PolicyPair, class_bound: float) -> float:
    """KL(π*, π̂) over step (d)'s bound with κ_Π over |θ| ≤ class_bound·B."""
    best, played = (float(expit(2 * margin - case.shift)) for margin in (case.truth, case.fitted))
    rest = (float(expit(case.shift - 2 * margin)) for margin in (case.truth, case.fitted))
    lost, given = rest
    divergence = best * math.log(best / played) + lost * math.log(lost / given)
    beyond = max(0.0, abs(case.shift) - 2 * class_bound * case.bound)
    largest_variance = 1 / math.cosh(beyond / 2) ** 2
    return 2 * divergence / (largest_variance * (case.truth - case.fitted) ** 2)


# Theorem 6.3: Algorithm 1, and the γ of its bound -------------------------------------------------

rdpo = named("rdpo", algorithm_1)
"""With the bound as printed."""


def slope_of_largest_margin(world: OppositeResponses) -> OppositeResponses:
    """Corrected: γ of margins up to 2β‖θ* − θ_sft‖."""
    return replace(world, slope_at=world.margin / world.scaled_bound)


def printed_slope(world: OppositeResponses) -> OppositeResponses:
    """Wrong where margins exceed βB: the printed γ."""
    return replace(world, slope_at=1.0)


def slope_of_even_labels(world: OppositeResponses) -> OppositeResponses:
    """Wrong: γ = ¼, as if every pair were a tie."""
    return replace(world, slope_at=0.0)


def lost_with_probability(world: OppositeResponses) -> float:
    """What J(π*) − J(π̂) exceeds with probability δ: the lowest estimate's share of it."""
    best = world.reference_odds + world.margin * world.policy_bound / world.scaled_bound
    fall = exact_fall(world, world.margin) * world.policy_bound / world.scaled_bound
    # σ(x) − σ(x − t) without cancellation
    given_up = math.sinh(fall / 2) / (2 * math.cosh(best / 2) * math.cosh((best - fall) / 2))
    return world.margin * given_up


def theorem_6_3(world: OppositeResponses, bound: float) -> float:
    """Right side with C = 1, α = 0 and λ = (d/n)·ln(n/δ).

    Args:
        world: gives γ.
        bound: what stands for B.
    """
    ridge = DIMENSION / world.n_pairs * math.log(world.n_pairs / world.failure_prob)
    beta = world.scaled_bound / world.policy_bound
    return bound * (price_of_noise(world) + _root_kappa(world) * beta * bound * math.sqrt(ridge))


def price_of_noise(world: OppositeResponses) -> float:
    """√κ_Π·c(ε)/γ·√((d + ln(1/δ))/n): the rate of Section 6.2's private DPO."""
    margin = world.slope_at * world.scaled_bound
    inverse_slope = 2 + math.exp(margin) + math.exp(-margin)
    noise = math.sqrt((DIMENSION - math.log(world.failure_prob)) / world.n_pairs)
    return _root_kappa(world) * privacy_cost(world.epsilon) * inverse_slope * noise


def _root_kappa(world: OppositeResponses) -> float:
    """√κ_Π, which is attained at the even policy."""
    return math.sqrt(0.5 / world.stated.mass)


def over_private_dpo(
    world: OppositeResponses, change: Algorithm, rng: Any, replicates: int, bounds: int
) -> float:
    """Over Section 6.2's rate times so many factors B."""
    changed = change(world)
    rate = price_of_noise(changed) * world.policy_bound**bounds
    return lost_with_probability(changed) / rate


def over_printed(world: OppositeResponses, change: Algorithm, *_: Any) -> float:
    """Over the bound with B in it."""
    changed = change(world)
    return lost_with_probability(changed) / theorem_6_3(changed, world.policy_bound)


def over_repaired(world: OppositeResponses, change: Algorithm, *_: Any) -> float:
    """Over the bound with ‖θ* − θ_sft‖ for B."""
    changed = change(world)
    apart = world.policy_bound * (1 - world.reference_share)
    return lost_with_probability(changed) / theorem_6_3(changed, apart)


span_over_4bb = named("span_over_4bB", reward_range, factor=4.0)
span_over_2bb = named("span_over_2bB", reward_range, "2βB in the place of 4βB", factor=2.0)
of_copies = named("as_printed", printed, copies=8)
of_copies_over_ten = named(
    "bound_over_ten", printed, "a tenth of the printed bound", copies=8, share=0.1
)
of_two = named("as_printed", printed, copies=1)
of_two_over_ten = named(
    "bound_over_ten", printed, "a tenth of the printed bound", copies=1, share=0.1
)
corrected_bound = named("corrected_bound", corrected)
corrected_over_fifty = named(
    "corrected_over_fifty", corrected, "a fiftieth of the corrected bound", share=0.02
)
of_segment_ten_percent = named(
    "own_ten_percent", of_segment, "the bound is 10 % smaller", share=0.9
)


# The claims --------------------------------------------------------------------------------------


def check(name: str, words: str, quantity: str, right: Any, wrong: Any, **more: Any) -> Check:
    """A step or bound, decided by intervals, along S unless it says otherwise."""
    proved = Quantity(quantity, proof_of, evidence="proved")
    given: dict[str, Any] = {"axis": "num_states", **more}
    return Check(
        name=name, claim=Inequality(words), quantity=proved, right=right, wrong=wrong, **given
    )


def of_policies(
    world: RandomGibbsPolicies, rng: np.random.Generator, replicates: int, tempered: float = 1.0,
    keeps_reference: bool = True,
) -> np.ndarray:  # fmt: skip
    """(R,) |gap| over the bound in a random world; half of the time .999 over it where tight."""
    given = world.estimate, tempered, keeps_reference

    def ratio() -> float:
        if rng.random() < 0.5:
            return TIGHT / max(policy_gap_ratio(even_policies(rng), *given), 1e-9)
        return policy_gap_ratio(random_policies(rng, world.num_states), *given)

    return np.array([ratio() for _ in range(replicates)])


dpo = named("dpo", of_policies)
without_reference = named(
    "without_reference", of_policies, "the policy leaves π_sft out", keeps_reference=False
)
"""Wrong: π̂ ∝ exp(r̂/β), π_sft left out."""
twice_the_weight = named(
    "twice_the_weight", of_policies, "the policy is tempered with twice the KL weight", tempered=2.0
)
"""Wrong: 2β in the policy, β in the estimate."""


EXCEEDED = "SubOpt exceeded with probability δ / bound with C = 1"
PRINTED = Quantity(EXCEEDED, over_printed, evidence="exact")
REPAIRED = Quantity(EXCEEDED, over_repaired, evidence="exact")
PRIVATE_DPO = "SubOpt exceeded with probability δ / √κ_Π·c(ε)/γ·√(d/n)"
WITHOUT_B = Quantity(PRIVATE_DPO, partial(over_private_dpo, bounds=0), evidence="exact")
WITH_B = Quantity(f"{PRIVATE_DPO} / B", partial(over_private_dpo, bounds=1), evidence="exact")


def of_theorem_6_3(
    name: str, claim: Claim, quantity: Quantity, right: Algorithm, wrong: Any, **more: Any
) -> Check:
    """What rDPO loses over the bound, along βB."""
    return Check(name=name, axis="scaled_bound", claim=claim, quantity=quantity, right=right,
                 wrong=wrong, **more)  # fmt: skip


NO_LABELS = {
    "labels": "an inequality about every estimate, wherever it is from: no labels are drawn"
}
NO_DATA = {
    **NO_LABELS,
    "estimate": "an inequality about every two policies: none is estimated",
    "algorithm": "an inequality about every two policies of the class",
}
GROWS: dict[str, Any] = {
    "settles": ["p4.thm_6_3"],
    "expected": "contradicted",
    "why": "γ is of margins up to βB, Assumption 4.5 allows 2βB and more: no C makes up for e^βB",
}
CURVATURE = [
    of_theorem_6_3("curvature",
                   Slope("Theorem 6.3 as printed: SubOpt over its bound {rate}", 0, "at_most"),
                   PRINTED, rdpo, [slope_of_even_labels], **GROWS),
    of_theorem_6_3("curvature_far",
                   Slope("the same at θ_sft = −θ*, no privacy: {rate}", 0, "at_most"),
                   PRINTED, rdpo, [slope_of_even_labels], keeps=["epsilon"],
                   **GROWS),
    of_theorem_6_3("curvature_repaired",
                   Slope("R for B, γ of margins 2βR: SubOpt over the bound {rate}", 0),
                   REPAIRED, slope_of_largest_margin,
                   [no_debias, printed_slope, slope_of_even_labels],
                   keeps=["epsilon"], settles=["own.theorem_6_3"]),
    of_theorem_6_3("curvature_near",
                   Ratio("Theorem 6.3 as printed, C = 1, where 2‖θ*−θ_sft‖ = B", tolerance=0.0,
                         direction="at_most"), PRINTED, rdpo, [no_debias, slope_of_even_labels],
                   keeps=["epsilon"], settles=["p4.thm_6_3"],
                   blind={"estimate": "a bound from above: the truth itself loses nothing"}),
    Check(name="private_dpo", axis="reward_bound", at="policy_bound", quantity=WITHOUT_B,
          claim=Slope("Section 6.2, private DPO: SubOpt over its rate {rate}", 0, "at_most",
                      symbol="B"), right=rdpo, settles=["p4.sec_6_2"], keeps=["epsilon"],
          expected="contradicted", why="the factor B that Theorem 6.3 has is lost"),
    Check(name="private_dpo_with_b", axis="reward_bound", at="policy_bound", quantity=WITH_B,
          claim=Ratio("over B times the rate: at most 1", direction="at_most"),
          right=rdpo, wrong=[no_debias], settles=["p4.sec_6_2"], keeps=["epsilon"],
          blind={"estimate": "a bound from above: the truth itself loses nothing"}),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Assumption 4.5, and that the sweep of ``curvature`` is in the regime of its growth."""
    yield "Assumption 4.5", True, "by construction: π* and π_sft are log-linear with ‖θ‖ ≤ B"
    if swept.name == "curvature":
        largest: Any = swept.sweep.worlds[-1]
        numbers = f"margin {largest.margin:g}, ε = {largest.epsilon:g}"
        yield "largest margin 2βB above ε", largest.margin > largest.epsilon, numbers


THEOREM = Theorem(
    title="P4 Proposition 4.6, Theorem 6.3's γ: reduction of DPO to estimation",
    settles=["p4.prop_4_6"],
    checks=[
        check("proposition", "as printed: |gap| ≤ √(3/2)·√κ_Π·B·Γ", "|gap| / √(3/2)·√κ_Π·B·Γ",
              of_copies, [of_copies_over_ten], expected="contradicted",
              why="false by a factor 2/√3: Δ is a span, the class is 3B"),
        check("step_a", "step (a) with Δ the span of r*", "|gap| / Δ·E TV",
              span, [maximum_as_printed]),
        check("reward_range", "span of r* ≤ 4βB", "Δ / 4βB",
              span_over_4bb, [span_over_2bb, named("maximum_over_2bB", maximum_over_2bb)]),
        check("step_d", "step (d) with κ_Π over ‖θ‖ ≤ 3B", "E KL / ¼κ_Π‖θ̂′ − θ*‖²",
              named("class_of_3B", class_of_3b), [
              named("class_of_B", class_of_b, "κ over ‖θ‖ ≤ B, not 3B")]),
        Check(name="step_d_drawn", axis="num_states",
              claim=Inequality("step (d) of two random policies, κ_Π over ‖θ‖ ≤ 3B"),
              quantity=searched("KL / ¼κ_Π‖θ̂′ − θ*‖²", policy_pair),
              right=named("class_of_3B", divergence_ratio, class_bound=3.0),
              wrong=[named("class_of_B", divergence_ratio,
                           "κ over ‖θ‖ ≤ B, not 3B", class_bound=1.0)], blind=NO_DATA),
        check("corrected", "corrected: |gap| ≤ √(3/2)·√κ_Π(3B)·2B·Γ",
              "|gap| / √(3/2)·√κ_Π(3B)·2B·Γ", corrected_bound, [corrected_over_fifty]),
        check("search", "as printed, two responses: |gap| ≤ √(3/2)·√κ_Π·B·Γ",
              "|gap| / √(3/2)·√κ_Π·B·Γ", of_two, [of_two_over_ten], axis="reward_bound",
              expected="contradicted",
              why="false by 8σ′(2B)/√3 under every reading of Π: Δ is a span"),
        check("own_form", "|gap| ≤ ‖θ*−θ_sft‖·√(κ/2)·Γ, κ on the segment",
              "|gap| / ‖θ*−θ_sft‖·√(κ/2)·Γ", of_segment, [of_segment_ten_percent],
              settles=["own.dpo_reduction"]),
        Check(name="policies", axis="num_states",
              claim=Inequality("DPO, two responses: |gap| ≤ ‖θ*−θ_sft‖·√(κ_Π/2)·Γ, attained"),
              quantity=Quantity("|gap| / ‖θ*−θ_sft‖·√(κ_Π/2)·Γ, and .999 over it where tight",
                                evidence="searched"),
              right=dpo, wrong=[without_reference, twice_the_weight],
              settles=["own.dpo_reduction"], blind=NO_LABELS),
        *CURVATURE,
    ],
    corrected={
        "proposition": "corrected",
        "search": "own_form",
        "curvature": "curvature_repaired",
        "curvature_far": "curvature_repaired",
        "private_dpo": "private_dpo_with_b",
    },
    worlds={
        "class": BoundedPolicies,
        "opposite": OppositeResponses,
        "even": EvenOptimum,
        "policies": RandomGibbsPolicies,
    },
    assumes=assumes,
)  # fmt: skip
