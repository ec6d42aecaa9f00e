"""P4 Theorem 6.2: private and robust greedy RLHF under uniform coverage.

Statement (arXiv 2505.15694, Theorem 6.2).  If λ_min(E[xxᵀ]) ≥ ξ, Algorithm 2 (η = 0) has

    SubOpt(π̂, π*) ≤ C·( ζα/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   ζ = 1 (CTL) or c(ε) (LTC).

Instances: one state, two responses, an informative pair of probability ξ.  On one margin the gap
decays exponentially, so the margin is the multiple .7518 of the standard error s = 2c(ε)/√(nξ) that
costs most, .17·s: a number, and the law of the one estimate is summed, not sampled.  The floor is
the largest margin that the strong adversary turns, of infinitely many labels, exactly: to first
order 4ζα/ξ, that is the printed ζα/(γξ) at γ = σ′(0).

Along B′ the labelled pair shows the margin and B′ of a direction that all other pairs show (taken
as known), so that labels are uneven: 1/γ.  Along δ the margin is the one lost with probability δ.

Testable: the noise as a number along n, c, 1/γ, ln(1/δ) and ξ; in ξ it goes like ξ^−½ for a fixed
number of features, inside the printed ξ^−1 (`noise_coverage`), −1 needs ξ = 1/d (see
estimation_l2).  Floors as numbers along α, ξ and c (attained, with constant 1).

The theorem allows every δ below 1, where ln(1/δ) goes to 0.  Of many states with 8·ln(2d) labels
each, all are right with a probability that is exponentially small in S; twice that is 1−δ here.
Then one wrong state alone is above the bound, whatever C (`delta_near_one_printed`, expected
contradicted).  With the 1 of Claim E.3, 1 + ln(1/δ), it is not (`delta_near_one`).

Controls: `stuck_at_first_point`, which ignores the sweep; `every_pair_informs`, ξ = 1;
`huber_adversary`, whose floor is free of ξ; `orders_swapped`; `biased_reading`, an offset of 1 % in
the flip probability, which does not vanish with α.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom, poisson

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Count, RewardBound
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named, of_world
from repro.core.claims import Ratio, Slope
from repro.p4.corruption_floors.policies import greedy_floor
from repro.p4.debiased_mle.labels import (
    ClimbingMargin,
    algorithm_1,
    biased_reading,
    huber_adversary,
    orders_swapped,
    over_claimed,
)
from repro.p4.debiased_mle.response import flipped_margin
from repro.p4.linear_rlhf.two_arms import (
    InformativePairs,
    even_labels,
    exact_gap,
    exact_loss_prob,
    worst_margin,
)

MIN_LABELS = 8 * np.log(2 / 0.05)
"""n·ξ at least: 8·ln(d/δ)."""


# Worlds: one margin of n labels, or a ladder of margins of infinitely many -----------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class CostlyMargin(InformativePairs):
    """The margin that costs greedy RLHF most, in one state."""

    @property
    def margin(self) -> float:
        """.7518 standard errors."""
        return worst_margin(0.0)[0] * self.unit

    @property
    def gap(self) -> float:
        """.17 standard errors."""
        return worst_margin(0.0)[1] * self.unit


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginLost(InformativePairs):
    """The margin that is lost with probability δ."""

    @property
    def margin(self) -> float:
        """z_δ standard errors."""
        return -float(ndtri(self.failure_prob)) * self.unit


@dataclass(frozen=True, kw_only=True)
class OrthogonalStates:
    """S states, met alike, two responses of each; no privacy and no corruption.

    The feature difference x of a state has norm 1 and is orthogonal to those of other states, so
    that ξ = 1/S and d = S + 1.  All margins are B/√S.

    Attributes:
        num_states: S.
        reward_bound: B = ‖θ*‖.
    """

    num_states: Count
    reward_bound: RewardBound

    @property
    def margin(self) -> float:
        """⟨x, θ*⟩ of each state."""
        return self.reward_bound / math.sqrt(self.num_states)

    @property
    def n_pairs(self) -> int:
        """n = 8·ln(2d)/ξ, enough for δ ≥ ½."""
        return math.ceil(8 * math.log(2 * self.num_states + 2) * self.num_states)

    @cached_property
    def all_right(self) -> float:
        """P(greedy RLHF errs in no state), ties taken as right."""
        count = np.arange(self.n_pairs + 1)
        right = binom.sf((count - 1) // 2, count, 1 / (1 + math.exp(-self.margin)))
        # n labels are Poisson numbers of labels at each state, given that their sum is n
        each = poisson.pmf(count, self.n_pairs / self.num_states) * right
        whole = reduce(lambda some, _: np.convolve(some, each)[: len(count)],
                       range(self.num_states - 1), each)  # fmt: skip
        return float(whole[-1] / poisson.pmf(self.n_pairs, self.n_pairs))

    def over_bound(self, one: float) -> float:
        """A gap exceeded with probability above δ = 1 − 2·P(all right), over its bound.

        It is that of one wrong state.  The bound is √((one + ln(1/δ))/n)/(γξ), with constant 1.
        """
        gap = self.margin / self.num_states
        log_inverse_delta = -math.log1p(-2 * self.all_right)
        slope = 1 / (2 + 2 * math.cosh(self.reward_bound))
        root = math.sqrt((one + log_inverse_delta) / self.n_pairs)
        return gap * slope / (self.num_states * root)


# What is claimed of a world ----------------------------------------------------------------------


def costly_gap(world: CostlyMargin) -> float:
    """.17·2c(ε)/√(nξ), or that over 4σ′ where labels are uneven."""
    return world.gap


def stated_delta(world: MarginLost) -> float:
    """δ."""
    return world.failure_prob


def turned_margin(world: ClimbingMargin) -> float:
    """4ζα/ξ."""
    return flipped_margin(world.moved, float(world.stated.cell_prob[0]))


# Algorithms: greedy RLHF on Algorithm 1's estimate, and wrong ones -------------------------------

algorithm_2 = named("algorithm_2", algorithm_1)


def at_labels(world: CostlyMargin, n_pairs: int) -> CostlyMargin:
    """Wrong: the gap of so many labels, whatever n."""
    return replace(world, n_pairs=n_pairs)


def at_cost(world: CostlyMargin, privacy_cost: float) -> CostlyMargin:
    """Wrong: the gap of one budget, whatever ε."""
    return replace(world, epsilon=epsilon_of_cost(privacy_cost))


def every_pair_informs(world: CostlyMargin) -> CostlyMargin:
    """Wrong for a sweep of ξ: no pair has two equal responses."""
    return replace(world, mass=1.0)


def lost_at_even_odds(world: MarginLost) -> MarginLost:
    """Wrong for a sweep of δ: the margin that is lost half of the time."""
    return replace(world, failure_prob=0.5)


def one_wrong_state(world: OrthogonalStates) -> float:
    """One wrong state over the bound with Claim E.3's 1."""
    return world.over_bound(1.0)


def one_wrong_state_as_printed(world: OrthogonalStates) -> float:
    """Wrong near δ = 1: ln(1/δ), as printed, without the 1."""
    return world.over_bound(0.0)


# Quantities: of the world's own margin, whatever an algorithm changes ----------------------------


def gap(world: CostlyMargin, change: Algorithm, rng: np.random.Generator, replicates: int) -> float:
    """The gap on the margin."""
    return exact_gap(change(world), world.margin)


def turned(
    world: MarginLost, change: Algorithm, rng: np.random.Generator, replicates: int
) -> float:
    """P(greedy RLHF takes the worse response)."""
    changed = change(world)
    return exact_loss_prob(changed, changed.margin)


GAP = Quantity("gap / .17·2c(ε)/√(nξ)", gap, evidence="exact", over=costly_gap)
LOST = Quantity("P(the margin z_δ·2c(ε)/√(nξ) is lost) / δ", turned, evidence="exact",
                over=stated_delta)  # fmt: skip
OVER_BOUND = Quantity("gap exceeded with probability above δ / bound", of_world,
                      evidence="computed")  # fmt: skip
FLOOR = over_claimed("largest margin that is turned / claimed", greedy_floor, turned_margin)


# The claims --------------------------------------------------------------------------------------


def check(
    name: str, axis: str, words: str, quantity: Quantity, wrong: Sequence[Algorithm], **more: Any
) -> Check:
    """A number of Algorithm 2 with η = 0."""
    return Check(name=name, axis=axis, claim=Ratio(words), quantity=quantity, right=algorithm_2,
                 wrong=wrong, **more)  # fmt: skip


NOISE = [
    check("n_pairs", "n_pairs", "gap = .17·2c(ε)/√(nξ), along n", GAP,
          [named("stuck_at_first_point", at_labels, n_pairs=10**6)]),
    check("privacy_cost", "privacy_cost", "gap = .17·2c(ε)/√(nξ), along c", GAP,
          [named("stuck_at_first_point", at_cost, privacy_cost=2.2)]),
    check("noise_coverage", "min_eigenvalue",
          "gap = .17·2c(ε)/√(nξ), along ξ: √(1/ξ) where 1/ξ is printed", GAP,
          [every_pair_informs], at="mass"),
    check("reward_bound", "reward_bound", "gap = .17·c(ε)√(r(1−r))/(σ′(B′)√(nξ)): 1/γ", GAP,
          [even_labels], at="known"),
    check("log_inverse_delta", "log_inverse_delta",
          "margin lost with probability δ = z_δ·2c(ε)/√(nξ), z_δ ~ √(2ln(1/δ))", LOST,
          [lost_at_even_odds, biased_reading]),
]  # fmt: skip
# Greedy choices see no more than the sign: a flip in front of the randomizer turns a win rate of ½
# whatever randomizes it, so the floors of CTL do not notice that privacy is gone.
FLOORS = [
    check("ltc_corruption", "corruption", "LTC: floor = 4c(ε)·α/ξ, along α", FLOOR,
          [biased_reading, orders_swapped]),
    check("ctl_corruption", "corruption", "CTL: floor = 4α/ξ, along α", FLOOR,
          [biased_reading, orders_swapped]),
    check("ltc_coverage", "min_eigenvalue", "LTC: floor = 4c(ε)·α/ξ, along ξ", FLOOR,
          [huber_adversary]),
    check("ctl_coverage", "min_eigenvalue", "CTL: floor = 4α/ξ, along ξ", FLOOR,
          [huber_adversary]),
    check("ltc_cost", "privacy_cost", "LTC: floor = 4c(ε)·α/ξ, along c", FLOOR, [orders_swapped]),
    check("ctl_cost", "privacy_cost", "CTL: floor = 4α/ξ, free of ε", FLOOR, [orders_swapped]),
]  # fmt: skip


NEAR_ONE = [
    Check(name="delta_near_one_printed", axis="num_states",
          claim=Slope("δ near 1, as printed: gap / bound {rate}", 0, "at_most"),
          quantity=OVER_BOUND, right=one_wrong_state_as_printed, wrong=(), expected="contradicted",
          why="the 1 of Claim E.3's √((1+ln(1/δ))/n) is lost"),
    Check(name="delta_near_one", axis="num_states",
          claim=Slope("δ near 1, 1 + ln(1/δ) for ln(1/δ): gap / bound {rate}", 0, "at_most"),
          quantity=OVER_BOUND, right=one_wrong_state, wrong=[one_wrong_state_as_printed]),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Assumption 5.6 and n ≥ 8·ln(d/δ)/ξ at both ends of every sweep."""
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        if isinstance(world, OrthogonalStates):
            rest = 2 * world.all_right
            yield f"at {swept.sweep.grid[end]:g}: δ ≥ ½", rest <= 0.5, f"1 − δ = {rest:.3g}"
        if isinstance(world, InformativePairs):
            enough = bool(world.n_pairs >= MIN_LABELS / world.mass)
            yield f"at {swept.sweep.grid[end]:g}: enough labels", enough, f"ξ = {world.mass:.3g}"


THEOREM = Theorem(
    title="P4 Theorem 6.2: private and robust offline RLHF, uniform coverage",
    settles=["p4.thm_6_2"],
    checks=[*NOISE, *FLOORS, *NEAR_ONE],
    corrected={"delta_near_one_printed": "delta_near_one"},
    worlds={"costly": CostlyMargin, "lost": MarginLost, "ladder": ClimbingMargin,
            "many": OrthogonalStates},
    assumes=assumes,
)  # fmt: skip
