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
and the law of the one estimate is summed, not sampled (checks in n, c, κ, ln(1/δ):
2c(ε)·√(κ/n)·K).  Along B′ a labelled pair shows the margin and, beside it, B′ of a direction that
all other pairs show (taken as known): uneven labels, and s ∝ 1/σ′(B′) = 1/γ.  In d states that
share a mass, s ∝ √d at the same κ, and K follows from the law of large numbers
(`cost_in_many_states`): the gap goes like √d where the printed bound has d (once from √d, once from
√(d + ln(1/δ))).

Floor, of infinitely many labels, exactly.  Γ is the least that covers when the strong adversary
attacks, found by running the attack.  Over a ladder of masses and margins the floor is
K(B′)·√(ζα), K the largest on the ladder (6.56 at B′ = 2; over all masses and margins K* = 6.79,
check ``supremum``): √α as
printed, and √c under LTC where c is printed, as for Theorem 5.4.  It settles
the printed claim, which is an upper bound, and is sharper.  That least Γ is
√(ζα·g(B′)) (``own_width``), and over the printed ζ√α/γ it falls like 1/√c (``printed_width``).
Greedy under attack needs no Γ: its floor is B′·√(2ζα/tanh(B′/2)) (``greedy_…``).

Controls: `half_width`, and `width_without_cost`, which forgets c(ε); for d the Γ of one feature;
`orders_swapped`; for α `twice_the_corruption`, whose Γ is that of 2α; for greedy
`attacked_on_both_sides`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named, privacy_mistake
from repro.core.claims import Claim, Ratio, Slope
from repro.p4.corruption_floors.attacked_margin import (
    MarginLadder,
    attacked_floor,
    floor_constant,
    floor_supremum,
)
from repro.p4.corruption_floors.bounds import printed_floor
from repro.p4.corruption_floors.rare_labels import RarePairLabels
from repro.p4.corruption_floors.rare_pairs import uncovered_estimation, uncovered_greedy
from repro.p4.debiased_mle.labels import (
    algorithm_1,
    attacked_on_both_sides,
    orders_swapped,
    over_claimed,
)
from repro.p4.linear_rlhf.two_arms import (
    InformativePairs,
    cost_in_many_states,
    even_labels,
    exact_calibrated_gap,
    reach_of,
    sampled_calibrated_gap,
    worst_margin,
)
from repro.p4.minimax.modulus import modulus

MARGIN = 1.5
"""u where there are many states: beyond the margins that pessimism gives up altogether."""


# Worlds: n labels of pairs that inform, or infinitely many of rare pairs -------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class OneState(InformativePairs):
    """The margin that costs pessimism most in one state; κ is 1/m."""

    @property
    def margin(self) -> float:
        """u standard errors."""
        return self._worst[0] * self.unit

    @property
    def gap(self) -> float:
        """K standard errors."""
        return self._worst[1] * self.unit

    @property
    def _worst(self) -> tuple[float, float]:
        return worst_margin(reach_of(self.stated, self.failure_prob))


@dataclass(frozen=True, eq=False, kw_only=True)
class ManyStates(InformativePairs):
    """d states that share a mass: κ is the same for all d."""

    @property
    def margin(self) -> float:
        """u standard errors."""
        return MARGIN * self.unit

    @property
    def gap(self) -> float:
        """K_d standard errors."""
        reach = reach_of(self.stated, self.failure_prob) / self.num_features**0.5
        return cost_in_many_states(MARGIN, reach) * self.unit


# What is claimed of a world ----------------------------------------------------------------------


def claimed_gap(world: OneState | ManyStates) -> float:
    """K·2c(ε)√(κ/n), or K_d·2c(ε)√(dκ/n)."""
    return world.gap


def claimed_floor(world: MarginLadder) -> float:
    """K(B′)·√(ζα)."""
    return floor_constant(world.reward_bound) * world.claimed_moved**0.5


def claimed_supremum(world: MarginLadder) -> float:
    """K*(B′)·√(ζα), over all masses and margins."""
    return floor_supremum(world.reward_bound) * world.claimed_moved**0.5


def printed_width(world: RarePairLabels) -> float:
    """ζ√α/γ."""
    return printed_floor(world.flip_worth, world.corruption, world.instance.reward_bound)


def least_covering(world: RarePairLabels) -> float:
    """√(ζα·g(B′))."""
    return modulus(world.moved, world.instance.reward_bound)


def greedy_floor(world: RarePairLabels) -> float:
    """B′·√(2ζα/tanh(B′/2))."""
    bound = world.instance.reward_bound
    return bound * (2 * world.flip_worth * world.corruption / math.tanh(bound / 2)) ** 0.5


# Algorithms: right, and wrong on purpose ---------------------------------------------------------

algorithm_2, greedy = named("algorithm_2", algorithm_1), named("greedy", algorithm_1)


def half_width(world: InformativePairs) -> InformativePairs:
    """Wrong: half of Γ."""
    return replace(world, share=world.share / 2)


@privacy_mistake
def width_without_cost(world: InformativePairs) -> InformativePairs:
    """Wrong: Γ without c(ε)."""
    return replace(world, share=world.share / privacy_cost(world.epsilon))


def width_of_one_feature(world: InformativePairs) -> InformativePairs:
    """Wrong for a sweep of d: Γ without √d, as of a single feature."""
    return replace(world, share=world.share / world.num_features**0.5)


def width_of_even_odds(world: InformativePairs) -> InformativePairs:
    """Wrong for a sweep of δ: Γ that covers half of the time."""
    return replace(world, failure_prob=0.5)


def few_rungs(world: MarginLadder) -> MarginLadder:
    """Wrong for a supremum: the largest on sixty masses and sixteen margins."""
    return replace(world, fine=False)


def twice_the_corruption(world: MarginLadder) -> MarginLadder:
    """Wrong: Γ of twice α."""
    return replace(world, believed=2 * world.believed)


# Quantities: of the world's own margin, whatever an algorithm changes ----------------------------


def gap(world: OneState, change: Algorithm, rng: np.random.Generator, replicates: int) -> float:
    """The gap on the margin, its law summed."""
    return exact_calibrated_gap(change(world), world.margin)


def drawn_gap(
    world: ManyStates, change: Algorithm, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps on the margins of all states."""
    return sampled_calibrated_gap(change(world), world.margin, rng, replicates)


GAP = Quantity("gap / K·2c(ε)√(κ/n)", gap, evidence="exact", over=claimed_gap)
MANY = Quantity("gap / K·2c(ε)√(dκ/n)", drawn_gap, over=claimed_gap)
WIDTH = "least Γ that covers / Γ of a formula"
PRINTED_WIDTH = over_claimed(WIDTH, uncovered_estimation, printed_width)
OWN_WIDTH = over_claimed(WIDTH, uncovered_estimation, least_covering)
GREEDY = over_claimed("sup of gap / √κ, n → ∞, over B′√(2ζα/tanh(B′/2))", uncovered_greedy,
                      greedy_floor)  # fmt: skip
FLOOR = over_claimed("sup of gap / √κ, n → ∞, over K(B′)√(ζα)", attacked_floor, claimed_floor)
SUPREMUM = over_claimed("sup of gap / √κ over all masses and margins / K*(B′)√(ζα)",
                        attacked_floor, claimed_supremum)  # fmt: skip


# The claims --------------------------------------------------------------------------------------


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, wrong: Sequence[Algorithm],
    right: Algorithm = algorithm_2, **more: Any,
) -> Check:  # fmt: skip
    """A check of Algorithm 2 with η = 1, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


WIDTHS, FLIPS = [half_width, width_without_cost], [attacked_on_both_sides, orders_swapped]
ON_LADDER = [twice_the_corruption, orders_swapped]
OURS = ["own.two_separations"]
NOISE = [
    check("n_pairs", "n_pairs", Ratio("gap = K·2c(ε)·√(κ/n), along n"), GAP, WIDTHS),
    check("privacy_cost", "privacy_cost", Ratio("gap = K·2c(ε)·√(κ/n), along c"), GAP, WIDTHS),
    check("coverage", "coverage", Ratio("gap = K·2c(ε)·√(κ/n), along κ"), GAP, WIDTHS),
    check("log_inverse_delta", "log_inverse_delta",
          Ratio("gap = K(δ)·2c(ε)·√(κ/n), along ln(1/δ): K ~ √(2ln(1/δ))"), GAP,
          [half_width, width_of_even_odds]),
    check("reward_bound", "reward_bound",
          Ratio("gap = K·c(ε)√(r(1−r))/σ′(B′)·√(κ/n): 1/γ"), GAP, [half_width, even_labels],
          at="known"),
    check("num_features", "num_features",
          Ratio("d states: gap = K_d·2c(ε)·√(dκ/n), √d where d is printed"), MANY,
          [half_width, width_of_one_feature]),
]  # fmt: skip
FLOORS = [
    check("ltc_corruption", "corruption", Ratio("LTC: floor = K(B′)·√(c(ε)·α), along α"), FLOOR,
          ON_LADDER),
    check("ctl_corruption", "corruption", Ratio("CTL: floor = K(B′)·√α, along α"), FLOOR,
          ON_LADDER),
    check("ltc_cost", "privacy_cost",
          Ratio("LTC: floor = K(B′)·√(c(ε)·α), √c where c is printed"), FLOOR, [orders_swapped]),
    check("supremum", "reward_bound",
          Ratio("LTC: floor = K*(B′)·√(c(ε)·α) over all masses and margins", tolerance=0.02),
          SUPREMUM, [few_rungs, *ON_LADDER]),
    check("ctl_cost", "privacy_cost", Ratio("CTL: floor = K(B′)·√α, free of ε"), FLOOR,
          [orders_swapped]),
]  # fmt: skip
# Labels that are not debiased keep the sign of a margin, which is all that greedy reads.
RARE = [
    check("printed_width", "privacy_cost",
          Slope("least Γ over the printed c(ε)√α/γ {rate}: too wide by √c", -0.5), PRINTED_WIDTH,
          [orders_swapped], algorithm_1),
    check("own_width", "privacy_cost", Ratio("least Γ = √(c(ε)α·g(B′)), along c"), OWN_WIDTH,
          FLIPS, algorithm_1, settles=OURS),
    check("greedy_cost", "privacy_cost",
          Ratio("greedy, LTC: floor = B′√(2c(ε)α/tanh(B′/2)), along c"), GREEDY, FLIPS, greedy,
          settles=OURS),
    check("greedy_corruption", "corruption",
          Ratio("greedy, LTC: floor = B′√(2c(ε)α/tanh(B′/2)), along α"), GREEDY, FLIPS, greedy,
          settles=OURS),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """κ is finite and every pair can be drawn: m ≤ ρ_s/2."""
    worlds = swept.sweep.worlds
    for world in (worlds[0], worlds[-1]):
        if isinstance(world, InformativePairs):
            yield "mass of informative pairs", world.mass <= 0.5, f"m = {world.mass:g}"
        if isinstance(world, MarginLadder):
            largest = float(world.cells[0].max())
            yield "rare pairs", largest <= 0.5, f"m ≤ {largest:.3g}"
    if swept.sweep.axis == "coverage":
        yield "κ at least 2", swept.sweep.grid[0] >= 2, f"κ ≥ {swept.sweep.grid[0]:g}"


THEOREM = Theorem(
    title="P4 Theorem 6.1: private and robust offline RLHF, relative condition number",
    settles=["p4.thm_6_1"],
    checks=[*NOISE, *FLOORS, *RARE],
    worlds={"one": OneState, "many": ManyStates, "ladder": MarginLadder, "rare": RarePairLabels},
    assumes=assumes,
)
