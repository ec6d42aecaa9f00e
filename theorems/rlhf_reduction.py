"""P4 Proposition 4.2 and Corollary 4.4: from estimation error to the gap of offline RLHF.

Statement (arXiv 2505.15694).  Algorithm 2 has

    η = 0:  SubOpt(π̂, π*) ≤ 2‖θ̂ − θ_true‖₂                                        (eq. 4)
    η = 1:  SubOpt(π̂, π†) ≤ 2Γ·‖E_ρ[φ(s, π†) − φ(s, π_ref)]‖_{(Σ̂+λI)⁻¹}            (eq. 6)

for every π†, where ‖θ̂ − θ_true‖_{Σ̂+λI} ≤ Γ, and (Corollary 4.4) the norm in eq. (6) is at most
√(3·d·κ(π†, π_ref)) for λ ≥ Ω((d/n)·ln(n/δ)).

`greedy_run` and `pessimistic` run Algorithm 2 on random instances: left over right side, Γ being
the error itself, the least that eq. (5) allows; and .999 over that where two opposite responses
attain the bound, so that a policy which does not use its estimate is caught.  `condition_run` does
the same for κ.  The pessimistic policy maximises over mixtures, which matters in about a third of
the cases.  The other checks are proofs.

* `greedy`, `pessimistic`, `corollary_4_4`: the statements.  The corollary's λ is there for Lemma
  H.1, Σ_data ⪯ 3(Σ̂+λI); on that event it is proved, and `concentration_lemmas` has its chance.
* `without_dimension`: the factor d of Corollary 4.4 is not needed (own result).  Its proof bounds
  E[ψ]ᵀΣ⁻¹E[ψ], Σ = E[ψψᵀ], by E[ψᵀΣ⁻¹ψ] = d (steps c, d); but Σ ⪰ E[ψ]E[ψ]ᵀ, so by Schur's
  complement it is at most 1.  `schur` measures that number; so √κ may stand for √(dκ) in Theorem
  6.1.
* Step (b) writes (Σ^diff)⁻¹ where Σ^diff of two policies is often singular: a pseudo-inverse is
  meant, and used here (`repro.p4.linear_rlhf.bandit`).
* `not_adaptive`: with η = 1 the algorithm is handed Γ, and Γ_CTL under LTC leaves θ_true outside
  the confidence set.  Algorithm 1 adapts to the order, Algorithm 2 with η = 1 does not.  The cells
  are rare ones on which Γ_LTC = √(2B′cα/γ) is all but attained, so the check is two-sided: the
  error is at most Γ_LTC and at least .9·Γ_LTC.

What would refute a check: one case above 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.schema import Count, Number
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Inequality
from repro.core.proofs import Claimed, iv, proof_of
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.p4.debiased_mle.priced_labels import Floor, PricedLabels, TightCells
from repro.p4.linear_rlhf.reduction import condition_ratio, greedy_ratio, pessimistic_ratio

TOLERANCE = 1e-6
UNIT, HALF_TURN, FAR = (0.0, 1.0), (0.0, 3.1415926), (0.0, 1e6)
TIGHT = 0.9
"""Share of the bound that tight cells with B′ up to 1 reach: √(2B′γ/tanh(B′/2)) ≥ .92."""


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AnyStates:
    """A number of states; everything else is random, or a variable of a proof.

    Attributes:
        num_states: S.
    """

    num_states: Count


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimatedStates(AnyStates):
    """The same for a learner with an estimate, which is random.

    Attributes:
        estimate: (fitted, truth) → what its policy is made of.
    """

    estimate: Estimate = as_fitted


@dataclass(frozen=True, eq=False, kw_only=True)
class PessimisticStates(EstimatedStates):
    """The same for a learner who is pessimistic.

    Attributes:
        pessimism: multiple of Γ that is taken off: 1 as printed, 0 greedy, −1 optimistic.
    """

    pessimism: Annotated[Number, Field(ge=-1, le=1)] = 1.0


@dataclass(frozen=True)
class TwoFloors:
    """What Algorithm 1's errors are in random rare cells, R of each kind.

    Attributes:
        tight: where the bound is tight.
        wider: where the cell has twice the mass and its label cannot be turned altogether.
    """

    tight: tuple[Floor, ...]
    wider: tuple[Floor, ...]


def floors(world: PricedLabels, rng: np.random.Generator, replicates: int) -> TwoFloors:
    """Floors in random rare cells."""
    cells = TightCells(), TightCells(spread=2.0)
    drawn = [[world.drawn_floor(cell, rng) for cell in cells] for _ in range(replicates)]
    tight, wider = zip(*drawn, strict=True)
    return TwoFloors(tight, wider)


# What is left of a proof's two sides, and of wrong ones ------------------------------------------


def twice_the_error(world: AnyStates) -> Claimed:
    """Gap over 2‖e‖, e = θ̂ − θ: it is ⟨e, φ(π̂) − φ(π*)⟩ − s, s ≥ 0, as π̂ is greedy for θ̂.

    The two mean features are δ ≤ 2 apart, at some angle with e.
    """
    box = (HALF_TURN, (0.0, 2.0), FAR)
    return Claimed(box, lambda angle, apart, s: (iv.cos(angle) * apart - s) / 2)


def once_the_error(world: AnyStates) -> Claimed:
    """Wrong: over ‖e‖.  Features ±1, θ = 1 and θ̂ = −t: a gap of 2 for an error of 1 + t."""
    return Claimed((UNIT,), lambda t: 2 / (1 + t))


def schur(world: AnyStates, factor: float = 1.0) -> Claimed:
    """E[ψ]ᵀΣ⁺E[ψ], Σ = E[ψψᵀ], over a factor.

    For v = Σ⁺E[ψ] it is (E[vᵀψ])²/E[(vᵀψ)²]: the squared cosine of the angle between vᵀψ and the
    constant 1, which is 1 where ψ does not depend on the state.
    """
    return Claimed((HALF_TURN,), lambda angle: iv.cos(angle) ** 2 / factor)


def condition(world: AnyStates, dimension: bool) -> Claimed:
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


def half_of_kappa(world: AnyStates) -> Claimed:
    """Wrong: over κ/2, one feature: φ = ±1, π† always 1, π_ref always −1, fair data, n → ∞.

    E[ψ] = 2, Σ = 4, Σ_data = 2 and κ = 2, so it is 4/(2+λ), λ → 0.
    """
    return Claimed((UNIT,), lambda ridge: 4 / (2 + ridge))


with_dimension = named("with_dimension", condition, dimension=True)
kappa_alone = named("kappa_alone", condition, dimension=False)
at_most_one = named("at_most_one", schur)
at_most_half = named("at_most_half", schur, "at most ½, not 1", factor=0.5)


# Algorithm 2 with η = 1, and Γ -------------------------------------------------------------------


def over_bound(
    world: PessimisticStates, rng: np.random.Generator, replicates: int, width_share: float = 1.0
) -> np.ndarray:
    """(R,) left over right side of eq. (6), one random instance of S states each."""
    states, taken = world.num_states, world.pessimism
    each = [
        pessimistic_ratio(rng, states, width_share, taken, world.estimate)
        for _ in range(replicates)
    ]
    return np.array(each)


def over_twice_the_error(
    world: EstimatedStates, rng: np.random.Generator, replicates: int, least: bool = False,
    share: float = 1.0,
) -> np.ndarray:  # fmt: skip
    """(R,) left over right side of eq. (4), one random instance of S states each."""
    each = [greedy_ratio(rng, world.num_states, world.estimate, least) for _ in range(replicates)]
    return np.array(each) / share


def over_kappa(
    world: AnyStates, rng: np.random.Generator, replicates: int, of_data: bool
) -> np.ndarray:
    """(R,) left over right side of the own result, without d, at n → ∞."""
    return np.array([condition_ratio(rng, world.num_states, of_data) for _ in range(replicates)])


takes_the_best = named("takes_the_best", over_twice_the_error)
takes_the_worst = named(
    "takes_the_worst",
    over_twice_the_error,
    "labels are read the other way round, so the worst response wins",
    least=True,
)
half_the_bound = named("half_the_bound", over_twice_the_error, "half of the bound", share=0.5)
of_the_data = named("of_the_data", over_kappa, of_data=True)
of_the_comparator = named(
    "of_the_comparator",
    over_kappa,
    "κ relative to the policies' own pairs, which is 1",
    of_data=False,
)


set_covers = named("set_covers", over_bound)
set_misses = named(
    "set_misses", over_bound, "the confidence set has a fifth of its width", width_share=0.2
)


def width_of_ltc(data: TwoFloors) -> np.ndarray:
    """(R,) the worst of error/Γ and .9·Γ/error, Γ = √(2B′c(ε)α/γ)."""
    return _two_sided(data, Floor.over_bound)


def width_of_ctl(data: TwoFloors) -> np.ndarray:
    """Wrong under LTC: Γ of CTL."""
    return _two_sided(data, Floor.over_bound_without_cost)


def _two_sided(data: TwoFloors, over_width: Any) -> np.ndarray:
    """At most 1 where errors are below Γ, and above .9·Γ in the tight cell."""
    tight, wider = ([over_width(floor) for floor in floors] for floors in (data.tight, data.wider))
    each = zip(tight, wider, strict=True)
    return np.array([max(a, b, TIGHT / max(a, 1e-300)) for a, b in each])


# The claims --------------------------------------------------------------------------------------


def attacked(world: PricedLabels, algorithm: Algorithm, data: TwoFloors, replicates: int):
    """What an algorithm's Γ makes of the same floors."""
    return algorithm(data)


def proved(
    name: str, words: str, quantity: str, right: Algorithm, wrong: Sequence[Algorithm],
    settles: str,
) -> Check:  # fmt: skip
    """An inequality that is decided by intervals, for every S."""
    return Check(name=name, axis="num_states", claim=Inequality(words, TOLERANCE),
                 quantity=Quantity(quantity, proof_of, evidence="proved"), right=right, wrong=wrong,
                 settles=[settles])  # fmt: skip


OURS = "own.condition_number_without_dimension"
NO_LABELS = {
    "labels": "an inequality about every estimate, wherever it is from: no labels are drawn"
}
NO_ESTIMATE: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"), "about two policies and the law of pairs: no estimate"
)
CHECKS = [
    proved("greedy", "η = 0: gap ≤ 2‖θ̂ − θ_true‖₂", "gap / 2‖θ̂ − θ_true‖₂", twice_the_error,
           [once_the_error], "p4.prop_4_2"),
    Check(name="greedy_run", axis="num_states",
          claim=Inequality("greedy RLHF: gap ≤ 2‖θ̂ − θ_true‖₂, attained", TOLERANCE),
          quantity=Quantity("gap / 2‖θ̂ − θ_true‖₂, and .999 over it where tight",
                            evidence="searched"),
          right=takes_the_best, wrong=[takes_the_worst, half_the_bound], settles=["p4.prop_4_2"],
          blind=NO_LABELS),
    Check(name="pessimistic", axis="num_states",
          claim=Inequality("η = 1: gap ≤ 2Γ‖E[φ(π†) − φ(π_ref)]‖, attained", TOLERANCE),
          quantity=Quantity("gap / 2Γ‖E[φ(π†) − φ(π_ref)]‖, and .999 over it where tight",
                            evidence="searched"),
          right=set_covers, wrong=[set_misses], settles=["p4.prop_4_2"], blind=NO_LABELS),
    proved("corollary_4_4", "Corollary 4.4, where H.1 holds: at most 3dκ",
           "‖E[φ(π†) − φ(π_ref)]‖² / 3dκ", with_dimension, [half_of_kappa], "p4.cor_4_4"),
    proved("without_dimension", "own result, where H.1 holds: at most 3κ",
           "‖E[φ(π†) − φ(π_ref)]‖² / 3κ", kappa_alone, [half_of_kappa], OURS),
    Check(name="condition_run", axis="num_states",
          claim=Inequality("own result, n → ∞: ‖E[φ(π†) − φ(π_ref)]‖² ≤ κ, attained", TOLERANCE),
          quantity=Quantity("‖E[φ(π†) − φ(π_ref)]‖² / κ, and .999 over it where tight",
                            evidence="searched"),
          right=of_the_data, wrong=[of_the_comparator], settles=[OURS], blind=NO_ESTIMATE),
    proved("schur", "own result: E[ψ]ᵀΣ⁺E[ψ] ≤ 1, not d", "E[ψ]ᵀΣ⁺E[ψ]", at_most_one,
           [at_most_half], OURS),
    Check(name="not_adaptive", axis="privacy_cost",
          claim=Inequality("Γ_LTC keeps θ_true, and no Γ a tenth smaller, nor Γ_CTL, does",
                           TOLERANCE),
          quantity=Quantity("max of error / Γ and .9·Γ / error under LTC", attacked,
                            evidence="searched", drawn=floors),
          right=width_of_ltc, wrong=[width_of_ctl], settles=["p4.prop_4_2"]),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """‖φ‖ ≤ 1, ‖θ*‖ ≤ B and eq. (5) hold by construction of every case."""
    yield "Assumption 4.1, eq. (5)", True, "by construction"


THEOREM = Theorem(
    title="P4 Proposition 4.2, Corollary 4.4: reduction of offline RLHF to estimation",
    checks=CHECKS,
    worlds={
        "states": AnyStates,
        "estimated": EstimatedStates,
        "pessimistic": PessimisticStates,
        "priced": PricedLabels,
    },
    assumes=assumes,
)
