"""P4 Proposition 4.2 and Corollary 4.4: from estimation error to the gap of offline RLHF.

Statement (arXiv 2505.15694).  Algorithm 2 has

    η = 0:  SubOpt(π̂, π*) ≤ 2‖θ̂ − θ_true‖₂                                        (eq. 4)
    η = 1:  SubOpt(π̂, π†) ≤ 2Γ·‖E_ρ[φ(s, π†) − φ(s, π_ref)]‖_{(Σ̂+λI)⁻¹}            (eq. 6)

for every π†, where ‖θ̂ − θ_true‖_{Σ̂+λI} ≤ Γ, and (Corollary 4.4) the norm in eq. (6) is at most
√(3·d·κ(π†, π_ref)) for λ ≥ Ω((d/n)·ln(n/δ)).

Measured as left over right side on random instances, a fifth of them the case of two opposite
responses in which the bounds are tight; Γ is the error itself, the least that eq. (5) allows.  The
pessimistic policy maximises over mixtures, which matters in about a third of the cases.

* `greedy`, `pessimistic`, `corollary_4_4`: the statements.
* `without_dimension`: the factor d of Corollary 4.4 is not needed (ours).  Its proof bounds
  E[ψ]ᵀΣ⁻¹E[ψ], Σ = E[ψψᵀ], by E[ψᵀΣ⁻¹ψ] = d (steps c, d); but Σ ⪰ E[ψ]E[ψ]ᵀ, so by Schur's
  complement it is at most 1.  `schur` measures that number; so √κ may stand for √(dκ) in Theorem
  6.1.
* Step (b) writes (Σ^diff)⁻¹ where Σ^diff of two policies is often singular: a pseudo-inverse is
  meant, and used here (`repro.families.robust.worlds_bandit`).
* `not_adaptive`: with η = 1 the algorithm is handed Γ, and Γ_CTL under LTC leaves θ_true outside
  the confidence set.  Algorithm 1 adapts to the order, Algorithm 2 with η = 1 does not.

What would refute a row: one case above 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Number
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene, estimation_error
from repro.families.robust.bounds_cases import tight_world
from repro.families.robust.bounds_floor import sharper_floor
from repro.families.robust.bounds_rlhf import (
    condition_ratio,
    greedy_ratio,
    jensen_ratio,
    pessimistic_ratio,
)
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

CASES: dict[str, Callable[..., float]] = {
    "twice_the_error": lambda rng, states: greedy_ratio(rng, states),
    "once_the_error": lambda rng, states: greedy_ratio(rng, states, factor=1.0),
    "set_covers": lambda rng, states: pessimistic_ratio(rng, states),
    "set_misses": lambda rng, states: pessimistic_ratio(rng, states, width_share=0.2),
    "with_dimension": lambda rng, states: condition_ratio(rng, states, True),
    "kappa_over_hundred": lambda rng, states: condition_ratio(rng, states, True, factor=0.01),
    "kappa_alone": lambda rng, states: condition_ratio(rng, states, False),
    "kappa_over_ten": lambda rng, states: condition_ratio(rng, states, False, factor=0.1),
    "at_most_one": lambda rng, states: jensen_ratio(rng, states),
    "at_most_half": lambda rng, states: jensen_ratio(rng, states, factor=0.5),
}
"""Left over right side of one random case; every second one is wrong on purpose."""


class RlhfReductionConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/rlhf_reduction.yaml gives them."""

    corruption: Number


class RlhfReduction(SweepExperiment):
    """Inequalities of the reduction, case by case."""

    slug = "rlhf_reduction"
    title = "P4 Proposition 4.2, Corollary 4.4: reduction of offline RLHF to estimation"
    statements = ("p4.prop_4_2", "p4.cor_4_4", "own.condition_number_without_dimension")
    settled_by = {
        "p4.prop_4_2": ("greedy", "pessimistic", "not_adaptive"),
        "p4.cor_4_4": ("corollary_4_4",),
        "own.condition_number_without_dimension": ("without_dimension", "schur"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset[str]()
    config_type = RlhfReductionConfig
    config: RlhfReductionConfig

    rows = (
        Row("greedy", "num_states", "random", "twice_the_error", ("once_the_error",),
            "gap / 2‖θ̂ − θ_true‖₂", "η = 0: gap ≤ 2‖θ̂ − θ_true‖₂"),
        Row("pessimistic", "num_states", "random", "set_covers", ("set_misses",),
            "gap / 2Γ‖E[φ(π†) − φ(π_ref)]‖", "η = 1: gap ≤ 2Γ‖E[φ(π†) − φ(π_ref)]‖"),
        Row("corollary_4_4", "num_states", "random", "with_dimension", ("kappa_over_hundred",),
            "‖E[φ(π†) − φ(π_ref)]‖² / 3dκ", "Corollary 4.4: at most 3dκ"),
        Row("without_dimension", "num_states", "random", "kappa_alone", ("kappa_over_ten",),
            "‖E[φ(π†) − φ(π_ref)]‖² / 3κ", "ours: at most 3κ"),
        Row("schur", "num_states", "random", "at_most_one", ("at_most_half",),
            "E[ψ]ᵀΣ⁺E[ψ]", "ours: E[ψ]ᵀΣ⁺E[ψ] ≤ 1, not d"),
        Row("not_adaptive", "privacy_cost", "tight", "width_of_ltc", ("width_of_ctl",),
            "‖θ̂ − θ_true‖_Σ̂ / Γ under LTC", "Γ_LTC keeps θ_true, Γ_CTL does not"),
    )  # fmt: skip

    def __init__(self, config: RlhfReductionConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One random case a replicate; methods share no draws."""
        if check.name == "not_adaptive":
            return self._not_adaptive(check, value, rng, replicates)
        return {
            m: np.array([CASES[m](rng, int(value)) for _ in range(replicates)])
            for m in check.methods
        }

    def _not_adaptive(self, check, cost, rng, replicates) -> dict[str, np.ndarray]:
        share, ratios = self.config.corruption, {m: np.zeros(replicates) for m in check.methods}
        for r in range(replicates):
            world = tight_world(cost * share, rng)
            scene = Scene(world, Order.LTC, epsilon_of_cost(cost), share, "strong", ridge=1e-14)
            floor = float(estimation_error(scene, None, None)[0])
            for m in check.methods:
                worth = cost if m == "width_of_ltc" else 1.0
                ratios[m][r] = floor / sharper_floor(worth, share, world.radius)
        return ratios

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """‖φ‖ ≤ 1, ‖θ*‖ ≤ B and eq. (5) hold by construction of every case."""
        return (AssumptionResult("Assumption 4.1, eq. (5)", True, "by construction"),)
