"""P4 Proposition 4.2 and Corollary 4.4: from estimation error to the gap of offline RLHF.

Statement (arXiv 2505.15694).  Algorithm 2 has

    η = 0:  SubOpt(π̂, π*) ≤ 2‖θ̂ − θ_true‖₂                                        (eq. 4)
    η = 1:  SubOpt(π̂, π†) ≤ 2Γ·‖E_ρ[φ(s, π†) − φ(s, π_ref)]‖_{(Σ̂+λI)⁻¹}            (eq. 6)

for every π†, where ‖θ̂ − θ_true‖_{Σ̂+λI} ≤ Γ, and (Corollary 4.4) the norm in eq. (6) is at most
√(3·d·κ(π†, π_ref)) for λ ≥ Ω((d/n)·ln(n/δ)).

`pessimistic` is left over right side on random instances, a fifth of them the case of two opposite
responses in which the bounds are tight; Γ is the error itself, the least that eq. (5) allows.  The
policy maximises over mixtures, which matters in about a third of the cases.

* `greedy`, `pessimistic`, `corollary_4_4`: the statements.  The corollary's λ is there for Lemma
  H.1, Σ_data ⪯ 3(Σ̂+λI); on that event it is proved, and `concentration_lemmas` has its chance.
* `without_dimension`: the factor d of Corollary 4.4 is not needed (ours).  Its proof bounds
  E[ψ]ᵀΣ⁻¹E[ψ], Σ = E[ψψᵀ], by E[ψᵀΣ⁻¹ψ] = d (steps c, d); but Σ ⪰ E[ψ]E[ψ]ᵀ, so by Schur's
  complement it is at most 1.  `schur` measures that number; so √κ may stand for √(dκ) in Theorem
  6.1.
* Step (b) writes (Σ^diff)⁻¹ where Σ^diff of two policies is often singular: a pseudo-inverse is
  meant, and used here (`repro.families.robust.worlds_bandit`).
* `not_adaptive`: with η = 1 the algorithm is handed Γ, and Γ_CTL under LTC leaves θ_true outside
  the confidence set.  Algorithm 1 adapts to the order, Algorithm 2 with η = 1 does not.  The cells
  are rare ones on which Γ_LTC = √(2B′cα/γ) is all but attained, so the row is two-sided: the error
  is at most Γ_LTC and at least .9·Γ_LTC.

What would refute a row: one case above 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from repro.corruption.orders import Order
from repro.families.robust import proofs_reduction as proof
from repro.families.robust.bounds_cases import Floor, PricedCase, TightCells, drawn_floor
from repro.families.robust.bounds_rlhf import pessimistic_ratio
from repro.families.robust.cases import STRONG_LTC, RobustExperiment, RobustProbes
from repro.families.robust.methods_weighted import TIGHT
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Inequality
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, Values, per_method

TOLERANCE = 1e-6
ATTACKED = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.ORDER,
            Need.DEBIASING)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class PessimismCase(PointCase):
    """A number of states, and how much of Γ is taken off.

    Attributes:
        bonus: multiple of Γ: 1 as printed, 0 greedy, −1 optimistic.
    """

    bonus: float = 1.0


def pessimistic_cases(case: PessimismCase, m: Method, rng: np.random.Generator, replicates: int):
    """(R,) left over right side of eq. (6), one random instance of S states each."""
    states = int(case.value)
    return np.array([m.run(rng, states, bonus=case.bonus) for _ in range(replicates)])


def attacked_cases(case: PricedCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) the worst of error/Γ and .9·Γ/error in random rare cells, Γ being each method's."""
    drawn = [(drawn_floor(case, rng), wider_floor(case, rng)) for _ in range(replicates)]
    return {m.name: np.array([two_sided(m.run, *one) for one in drawn]) for m in case.methods}


def wider_floor(case: PricedCase, rng: np.random.Generator) -> Floor:
    """The floor where the cell has twice the mass and its label cannot be turned altogether."""
    return drawn_floor(replace(case, world=TightCells(spread=2.0)), rng)


def two_sided(over_width: Callable[[Floor], float], tight: Floor, wider: Floor) -> float:
    """At most 1 where errors are below Γ, and above .9·Γ in the tight cell."""
    largest = over_width(tight)
    return max(largest, over_width(wider), TIGHT / max(largest, 1e-300))


set_covers = Method("set_covers", pessimistic_ratio)
set_misses = Method("set_misses", partial(pessimistic_ratio, width_share=0.2))
width_of_ltc = Method("width_of_ltc", Floor.over_bound)
width_of_ctl = Method("width_of_ctl", Floor.over_bound_without_cost)


def states_alone(experiment: RlhfReduction, point: Point) -> PointCase:
    """A number of states; everything else is random."""
    return PointCase(methods=point.methods, value=point.value)


def states_and_bonus(experiment: RlhfReduction, point: Point) -> PessimismCase:
    """The same for a learner who is pessimistic."""
    return PessimismCase(methods=point.methods, value=point.value)


def attacked_cell(experiment: RlhfReduction, point: Point) -> PricedCase:
    """The rare cell under the strong adversary and LTC."""
    return PricedCase(
        methods=point.methods, epsilon=point.epsilon, cost=point.value, world=TightCells(),
        stated=Order.LTC, **experiment.attacked(point, STRONG_LTC),
    )  # fmt: skip


class RlhfReduction(RobustExperiment[Case]):
    """Inequalities of the reduction, case by case."""

    title = "P4 Proposition 4.2, Corollary 4.4: reduction of offline RLHF to estimation"
    config_type = RobustProbes

    rows = (
        Row("greedy", "num_states", Inequality("η = 0: gap ≤ 2‖θ̂ − θ_true‖₂", TOLERANCE),
            proved("gap / 2‖θ̂ − θ_true‖₂"), proof.twice_the_error, (proof.once_the_error,),
            given=states_alone, settles=("p4.prop_4_2",)),
        Row("pessimistic", "num_states",
            Inequality("η = 1: gap ≤ 2Γ‖E[φ(π†) − φ(π_ref)]‖", TOLERANCE),
            Measure("gap / 2Γ‖E[φ(π†) − φ(π_ref)]‖", per_method(pessimistic_cases),
                    Evidence.SEARCHED),
            set_covers, (set_misses,), given=states_and_bonus, needs=(Need.PESSIMISM,),
            settles=("p4.prop_4_2",)),
        Row("corollary_4_4", "num_states",
            Inequality("Corollary 4.4, where H.1 holds: at most 3dκ", TOLERANCE),
            proved("‖E[φ(π†) − φ(π_ref)]‖² / 3dκ"), proof.with_dimension, (proof.half_of_kappa,),
            given=states_alone, settles=("p4.cor_4_4",)),
        Row("without_dimension", "num_states",
            Inequality("ours, where H.1 holds: at most 3κ", TOLERANCE),
            proved("‖E[φ(π†) − φ(π_ref)]‖² / 3κ"), proof.kappa_alone, (proof.half_of_kappa,),
            given=states_alone, settles=("own.condition_number_without_dimension",)),
        Row("schur", "num_states", Inequality("ours: E[ψ]ᵀΣ⁺E[ψ] ≤ 1, not d", TOLERANCE),
            proved("E[ψ]ᵀΣ⁺E[ψ]"), proof.at_most_one, (proof.at_most_half,),
            given=states_alone, settles=("own.condition_number_without_dimension",)),
        Row("not_adaptive", "privacy_cost",
            Inequality("Γ_LTC keeps θ_true, and no Γ a tenth smaller, nor Γ_CTL, does", TOLERANCE),
            Measure("max of error / Γ and .9·Γ / error under LTC", attacked_cases,
                    Evidence.SEARCHED),
            width_of_ltc, (width_of_ctl,), given=attacked_cell, needs=ATTACKED,
            settles=("p4.prop_4_2",)),
    )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """‖φ‖ ≤ 1, ‖θ*‖ ≤ B and eq. (5) hold by construction of every case."""
        return (AssumptionResult("Assumption 4.1, eq. (5)", True, "by construction"),)
