"""Proofs by intervals of steps in P4's reductions, and counterexamples, one comparison each.

Each ratio is what is left of a step's two sides when what only makes it smaller is a variable of
its own; the counterexamples are log-linear policies on a line, written out.
"""

from __future__ import annotations

import math
from functools import partial

from repro.study.proofs import Claimed, Interval, iv, proved
from repro.study.row import Method

UNIT, SIGNED, HALF_TURN, FAR = (0.0, 1.0), (-1.0, 1.0), (0.0, 3.1415926), (0.0, 1e6)
NEAR = (1e-3, 0.5)
"""How far θ̂′ is from θ* in the counterexamples."""
COPIES = 8
PROVED = proved("left side / right side")


def _sigmoid(x: Interval) -> Interval:
    return 1 / (1 + iv.exp(-x))


def _inverse_slope(x: Interval) -> Interval:
    """1/σ′."""
    grown = iv.exp(x)
    return 2 + grown + 1 / grown


def _eq_20(bound: float) -> Claimed:
    """γh² over −L′(θ)·h for one pair of margins x and x + h, γ = σ′(B′).

    −L′(θ)·h is σ′·h² between the two margins plus −L′(θ̂)·h = s·h² ≥ 0, as θ̂ is optimal.
    """
    gamma = 1 / _inverse_slope(iv.mpf(bound))
    return Claimed(((0.0, bound), FAR), lambda x, s: gamma / (1 / _inverse_slope(x) + s))


def _first_step(bound: float) -> Claimed:
    """Wrong: over the Bregman divergence ½σ′·h² of two margins close to each other."""
    gamma = 1 / _inverse_slope(iv.mpf(bound))
    return Claimed(((0.0, bound),), lambda x: 2 * gamma * _inverse_slope(x))


end = Method("end", _eq_20)
first_step_as_printed = Method("first_step_as_printed", _first_step)


def _twice_the_error(states: float) -> Claimed:
    """Gap over 2‖e‖, e = θ̂ − θ: it is ⟨e, φ(π̂) − φ(π*)⟩ − s, s ≥ 0, as π̂ is greedy for θ̂.

    The two mean features are δ ≤ 2 apart, at some angle with e.
    """
    box = (HALF_TURN, (0.0, 2.0), FAR)
    return Claimed(box, lambda angle, apart, s: (iv.cos(angle) * apart - s) / 2)


def _once_the_error(states: float) -> Claimed:
    """Wrong: over ‖e‖.  Features ±1, θ = 1 and θ̂ = −t: a gap of 2 for an error of 1 + t."""
    return Claimed((UNIT,), lambda t: 2 / (1 + t))


twice_the_error = Method("twice_the_error", _twice_the_error)
once_the_error = Method("once_the_error", _once_the_error)


def _schur(states: float, factor: float = 1.0) -> Claimed:
    """E[ψ]ᵀΣ⁺E[ψ], Σ = E[ψψᵀ], over a factor.

    For v = Σ⁺E[ψ] it is (E[vᵀψ])²/E[(vᵀψ)²]: the squared cosine of the angle between vᵀψ and the
    constant 1, which is 1 where ψ does not depend on the state.
    """
    return Claimed((HALF_TURN,), lambda angle: iv.cos(angle) ** 2 / factor)


at_most_one = Method("at_most_one", _schur)
at_most_half = Method("at_most_half", partial(_schur, factor=0.5))


def _printed(bound: float, copies: int, share: float = 1.0) -> Claimed:
    """|gap| over share·√(3/2)·√κ_Π·B·Γ: a response φ = 1 against copies of φ = −1.

    θ* = B, θ_sft = −B and θ̂′ = θ* − t; π_θ(1) = σ(2θ − log copies), r* differs by 4βB.  √κ_Π·Γ is
    √2·βt: κ_Π = 2/Σ_sft is attained at the even policy, Γ = βt·√Σ_sft.
    """
    shift = iv.log(iv.mpf(copies))

    def ratio(t: Interval) -> Interval:
        # σ(x) − σ(x − 2t), by its slope in between
        between = 2 * bound - shift - iv.mpf([0, 1]) * 2 * t
        return 8 / _inverse_slope(between) / (share * iv.sqrt(iv.mpf(3)))

    return Claimed((NEAR,), ratio)


of_copies = Method("as_printed", partial(_printed, copies=COPIES))
of_copies_over_ten = Method("bound_over_ten", partial(_printed, copies=COPIES, share=0.1))
of_two = Method("as_printed", partial(_printed, copies=1))
of_two_over_ten = Method("bound_over_ten", partial(_printed, copies=1, share=0.1))


def _span(bound: float) -> Claimed:
    """|gap| over span·TV in a state: two means of r*, of what is gained and of what is lost."""
    return Claimed((UNIT, UNIT), lambda gained, lost: abs(gained - lost))


def _largest_reward(bound: float, shift: Interval) -> Interval:
    """max r*/β = x − log Z, x = θ* − θ_sft = 2B, a response φ = 1 against e^shift of φ = −1."""
    x = iv.mpf(2 * bound)
    rare = _sigmoid(-x - shift)
    return x - iv.log(rare * iv.exp(x) + (1 - rare) * iv.exp(-x))


SHIFTS = (0.0, math.log(400))
"""log of the copies, up to 400."""


def _maximum(bound: float) -> Claimed:
    """Wrong: over max·TV; with two responses |gap| is span·TV, and the span of r*/β is 2x = 4B."""
    return Claimed((SHIFTS,), lambda shift: 4 * bound / _largest_reward(bound, shift))


def _range(bound: float, factor: float = 4.0) -> Claimed:
    """Span of r* over factor·βB: |θ* − θ_sft|·|φ − φ′|, all four in units of their bounds."""
    box = (SIGNED, SIGNED, SIGNED, SIGNED)
    return Claimed(box, lambda a, b, u, v: abs(a - b) * abs(u - v) / factor)


def _maximum_over_two(bound: float) -> Claimed:
    """Wrong: max r* over 2βB."""
    return Claimed((SHIFTS,), lambda shift: _largest_reward(bound, shift) / (2 * bound))


span = Method("span", _span)
maximum_as_printed = Method("maximum_as_printed", _maximum)
span_over_4bb = Method("span_over_4bB", _range)
span_over_2bb = Method("span_over_2bB", partial(_range, factor=2.0))
maximum_over_2bb = Method("maximum_over_2bB", _maximum_over_two)


def _step_d(bound: float) -> Claimed:
    """E KL(π*, π̂) over ¼·κ_Π·‖θ̂′ − θ*‖²_{Σ_sft}, κ_Π over a segment that holds both parameters.

    By Taylor's formula KL is ½‖θ̂′ − θ*‖² times a mean of Var φ over the segment, and the bound has
    the largest: what is left is their quotient.
    """
    return Claimed((UNIT,), lambda mean: mean)


def _step_d_in_b(bound: float) -> Claimed:
    """Wrong: κ_Π over |θ| ≤ B.  φ = ±1, θ* = B, θ̂′ = 3B and e^shift copies of −1, shift ≥ 2B.

    Var φ = 4σ′(2θ − shift) grows up to θ = B, where the bound has it.
    """

    def ratio(shift: Interval) -> Interval:
        win, played = _sigmoid(2 * bound - shift), _sigmoid(6 * bound - shift)
        divergence = win * iv.log(win / played) + (1 - win) * iv.log((1 - win) / (1 - played))
        return divergence * _inverse_slope(2 * bound - shift) / (8 * iv.mpf(bound) ** 2)

    return Claimed(((2 * bound, 6 * bound),), ratio)


def _corrected(bound: float, share: float = 1.0) -> Claimed:
    """|gap| over share·√(3/2)·√κ_Π(3B)·2B·Γ.

    r* is β(θ* − θ_sft)·φ up to a constant, so |gap| is β|θ* − θ_sft|·‖θ̂′ − θ*‖ times a mean v of
    Var φ over the segment between them, and √κ_Π·Γ is β‖θ̂′ − θ*‖ times √2·√w, w ≥ v the largest
    variance, at most 1.  Left are |θ* − θ_sft|/(2B), v/w and √w over √3.
    """
    box = (UNIT, UNIT, UNIT)
    return Claimed(
        box, lambda apart, mean, w: apart * mean * iv.sqrt(w) / (share * iv.sqrt(iv.mpf(3)))
    )


class_of_3b = Method("class_of_3B", _step_d)
class_of_b = Method("class_of_B", _step_d_in_b)
corrected_bound = Method("corrected_bound", _corrected)
corrected_over_fifty = Method("corrected_over_fifty", partial(_corrected, share=0.02))


def _of_segment(bound: float, share: float = 1.0) -> Claimed:
    """|gap| over share·‖θ* − θ_sft‖·√(κ/2)·Γ, κ over the segment from θ* to θ̂′, in any dimension.

    With w = θ* − θ_sft, v = θ̂′ − θ* and wᵀΣv = 2·E Cov(⟨φ, w⟩, ⟨φ, v⟩) the gap is ½β times a mean
    over the segment of wᵀΣv, which is the cosine of an angle times √(wᵀΣw)·√(vᵀΣv).  The first root
    is √2·‖w‖ times the deviation of ⟨φ, w⟩/‖w‖, at most 1; the second is at most √κ·Γ/β.
    """
    box = (HALF_TURN, UNIT, UNIT)
    return Claimed(
        box, lambda angle, deviation, root: abs(iv.cos(angle)) * deviation * root / share
    )


of_segment = Method("of_segment", _of_segment)
of_segment_ten_percent = Method("own_ten_percent", partial(_of_segment, share=0.9))


def _condition(states: float, dimension: bool) -> Claimed:
    """‖E[ψ]‖²_{M⁻¹} over 3·d·κ or 3κ on the event of Lemma H.1, M = Σ̂+λI and Σ_data ⪯ 3M.

    Let Σ = E[ψψᵀ] and v = M⁻¹E[ψ], so x = ‖E[ψ]‖²_{M⁻¹} = vᵀE[ψ] = vᵀMv.  Then x/(3κ) = x²/(3κx) is
    the product of (vᵀE[ψ])²/vᵀΣv, the squared cosine of the angle between vᵀψ and the constant 1;
    of vᵀΣv/(κ·vᵀΣ_data v), at most 1 by the definition of κ; of vᵀΣ_data v/(3·vᵀMv), at most 1 on
    the event.  The paper's d divides it once more.
    """
    box = (HALF_TURN, UNIT, UNIT)
    if not dimension:
        return Claimed(box, lambda angle, seen, event: iv.cos(angle) ** 2 * seen * event)
    return Claimed(
        (*box, UNIT), lambda angle, seen, event, per_d: iv.cos(angle) ** 2 * seen * event * per_d
    )


def _half_of_kappa(states: float) -> Claimed:
    """Wrong: over κ/2, one feature: φ = ±1, π† always 1, π_ref always −1, fair data, n → ∞.

    E[ψ] = 2, Σ = 4, Σ_data = 2 and κ = 2, so it is 4/(2+λ), λ → 0.
    """
    return Claimed((UNIT,), lambda ridge: 4 / (2 + ridge))


with_dimension = Method("with_dimension", partial(_condition, dimension=True))
kappa_alone = Method("kappa_alone", partial(_condition, dimension=False))
half_of_kappa = Method("half_of_kappa", _half_of_kappa)
