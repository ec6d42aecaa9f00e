"""P2, section 6: what coverability costs online, c(ε)·√(C_cov/T) + C_cov/T from both sides (own).

Theorem 5.3 (α = 0) has √C_cov as a factor.  Statement (``own.rare_needles``; proof:
docs/explanations/hybrid.md, Theorems 1′ and 3).  For every A ≥ 2, T ≥ 1 and ε there are A problems
with one state, rewards in [0, R_max], C_cov ≤ A + 1, V_max ≤ R_max and |Π| = A in one of which, for
every algorithm, the expected average gap is at least

    0.11·min{R_max, c(ε)·√(A/T)}  (R_max ≤ 1)    and    0.11·R_max·min{1, A/T},

and SquareXPO with the known π_ref and one weight W of optimism has with probability at least 1−δ,
for every finite class, at most (K/4)·√(8c²ℓΛ/q) + 2K·C_cov/T, with K, ℓ, q and Λ of
``hybrid_xpo`` at n = 0.  So at R_max = 1 it is c(ε)·√(C_cov/T) + C_cov/T up to √(ℓ·log T), and the
burn-in C_cov/T cannot be left out: its factor is R_max, also where labels are all but certain.

The problems: a safe response and A needles, each with π_ref = w; one needle, unknown which, is
better by Δ, and β = Δ/(2·log(1/w)), so that needles are played but never drawn by π_ref.  Π has
the optimum of every problem, and π_ref here.  Gaps are 0, Δ/2 (π_ref) and Δ (a wrong needle) up to
terms that vanish with w (here w → 0).  A policy is kept while its needle's labels grow by half.

Testable: the exponent −½ in T of the supremum over Δ (W = 2βc·√(T/A), which is the W of Theorem 1′
without logarithms), and ½ in A of that supremum over the share 1 − 1/A of needles that are wrong;
both bounds in A with the W of Theorem 1′.  They lie a factor 1000 apart, so ``constant`` stands
beside them: what was measured is at most 2.5·c(ε)·√(A/T), and exploring first and committing has
more.  The burn-in at a large reward is a multiple of R_max·A/T.

What would refute it: another exponent; a gap above the upper or below the lower bound.  Wrong
versions drop or reverse optimism, read labels with the wrong sign, or know the needle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import GridRatio, Pairs, RewardBound, Whole
from repro.core.check import Algorithm, Check, Quantity, Theorem, named
from repro.core.claims import Claim, Inequality, Ratio, Slope
from repro.labels.preferences.label_law import on_arrays, the_truth
from repro.labels.preferences.two_rewards import released_win_prob
from repro.p2.xpo.runs import RewardLadder
from repro.worlds.instances.labelled import PrivateLabels

FAILURE_PROB = 0.05
"""δ."""
SQUARES = (1 - math.exp(-0.5)) / 4
"""q of Theorem 1′."""
LEAST = 0.11
"""Of c(ε)·√(A/T), and of R_max·A/T: what every algorithm leaves (Theorem 3)."""
FIRST = 1e-4
"""Of T/A: labels of a needle before its policy may change."""
PLAYING = 0.8
"""Share of the simulated runs below which those that are over are left out of the arrays."""
BURNT = 4.0
"""Of R_max·A/T: what the algorithm's burn-in has at most in check ``burn_in_bounds``."""


# The world ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class RareNeedles(PrivateLabels):
    """T private labels of A needles that π_ref never draws.

    The stage ``estimate`` is (what an update minimises, true gaps over Δ) → what it minimises.

    Attributes:
        num_actions: A.
        horizon: T.
        grid_ratio: by which a needle's labels grow while its policy is kept.
        optimism: multiple of W.
    """

    num_actions: Annotated[Whole, Field(ge=2, le=10**4)]
    horizon: Pairs
    grid_ratio: GridRatio
    optimism: float = 1.0

    @property
    def rewards(self) -> np.ndarray:
        """(M,) Δ of the problems that are played."""
        raise NotImplementedError

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    def more_labels(self, other: PrivateLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class NeedlesByReward(RareNeedles):
    """Every Δ of a ladder up to 1.

    Attributes:
        ladder: of Δ.
    """

    ladder: RewardLadder

    @property
    def rewards(self) -> np.ndarray:
        return self.ladder.values()

    def on_rung(self, rung: int) -> LargeReward:
        """The same with one Δ of the ladder."""
        given = {name: value for name, value in vars(self).items() if name != "ladder"}
        return LargeReward(**given, reward_bound=float(self.rewards[rung]))

    @property
    def step(self) -> float:
        """Ratio of neighbouring Δ."""
        return (self.ladder.high / self.ladder.low) ** (1 / (self.ladder.rungs - 1))


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeReward(RareNeedles):
    """One Δ.

    Attributes:
        reward_bound: R_max = Δ.
    """

    reward_bound: RewardBound

    @property
    def rewards(self) -> np.ndarray:
        return np.array([self.reward_bound])


# The bounds: C_cov = A + 1, R_max = V_max = Δ ----------------------------------------------------


def inverse_slope(reward: float | np.ndarray) -> np.ndarray:
    """K = 4cosh²(R/2)(1 + (2V − R)₊)."""
    return 4 * np.cosh(np.asarray(reward) / 2) ** 2 * (1 + reward)


def new_pairs(world: RareNeedles) -> float:
    """Λ at n = 0."""
    share = (world.num_actions + 1) / (world.horizon * math.log(2))
    return share * math.log1p(world.horizon / (world.num_actions + 1))


def noise(world: RareNeedles) -> float:
    """c²ℓ, ℓ = log(|Π|/δ)."""
    return world.cost**2 * math.log((world.num_actions + 1) / FAILURE_PROB)


def upper(world: RareNeedles, reward: float) -> float:
    """(K/4)·√(8c²ℓΛ/q) + 2K·C_cov/T (Theorem 1′)."""
    slope = float(inverse_slope(reward))
    root = math.sqrt(8 * noise(world) * new_pairs(world) / SQUARES)
    return slope * (root / 4 + 2 * (world.num_actions + 1) / world.horizon)


def root_of_share(world: RareNeedles) -> float:
    """c(ε)·√(A/T)."""
    return world.cost * math.sqrt(world.num_actions / world.horizon)


def lower(world: NeedlesByReward) -> float:
    """0.11·c·√(A/T) over the ladder's step: a rung lies so close below that Δ (Theorem 3)."""
    return LEAST * root_of_share(world) / world.step


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def average_gaps(
    world: RareNeedles, rng: np.random.Generator, replicates: int,
    optimism: float, sign: float = 1.0, logs: bool = False,
) -> np.ndarray:  # fmt: skip
    """(M, R) average gaps of SquareXPO.

    Args:
        world: what is played.
        rng: the block's stream.
        replicates: R runs at each Δ.
        optimism: multiple of W.
        sign: −1 where labels are read with the wrong sign.
        logs: the W of Theorem 1′, in the place of 2βc·√(T/A).
    """
    shape = len(world.rewards), replicates
    reward = np.repeat(world.rewards, replicates)
    runs, arms = np.arange(len(reward)), world.num_actions
    right = rng.integers(arms, size=len(reward))
    mean, cost = np.tanh(reward / 2), world.cost
    # W·log Z, what optimism gives a needle over π_ref: W/β times Δ/2
    offset = world.optimism * optimism * _weight(world, reward, logs) * reward / 2
    informed = np.repeat([_win_prob(world, size) for size in world.rewards], replicates)
    idle = _win_prob(world, 0.0)
    # column 0 is π_ref's, which ties go to, and column arms − a that of needle a
    score = np.repeat(-offset[:, None], arms + 1, axis=1)
    gaps, counts = np.ones_like(score), np.zeros_like(score)
    score[:, 0], gaps[:, 0], gaps[runs, arms - right] = 0.0, 0.5, 0.0
    total, seen = np.zeros(len(reward)), np.zeros(len(reward), int)
    total_of_all, needle = total.copy(), arms - right
    first, more = max(1, int(FIRST * world.horizon / arms)), world.grid_ratio - 1
    counts[:, 0] = world.horizon / more  # nothing is learnt from π_ref: it stays
    while len(runs):
        column = on_arrays(world.estimate, score, gaps).argmin(1)
        place = np.arange(len(runs)) * (arms + 1) + column
        labels = np.maximum(first, more * counts.ravel()[place]).astype(int)
        labels = np.minimum(labels, world.horizon - seen)
        wins = rng.binomial(labels, np.where(column == needle, informed, idle))
        change = labels * mean**2 - 2 * sign * mean * cost * (2 * wins - labels)
        score.ravel()[place] += np.where(column > 0, change, 0.0)
        counts.ravel()[place] += labels
        total += labels * gaps.ravel()[place]
        seen += labels
        playing = seen < world.horizon
        if playing.mean() < PLAYING:
            total_of_all[runs] = total
            runs, total, seen = runs[playing], total[playing], seen[playing]
            score, gaps, counts = score[playing], gaps[playing], counts[playing]
            needle, informed, mean = needle[playing], informed[playing], mean[playing]
    return (reward * total_of_all / world.horizon).reshape(shape)


def _win_prob(world: RareNeedles, difference: float) -> float:
    return released_win_prob(world.labels, world.channel, difference, world.epsilon)


def _weight(world: RareNeedles, reward: np.ndarray, logs: bool) -> np.ndarray:
    """(L,) W/β."""
    if logs:
        root = math.sqrt(2 * SQUARES * noise(world) / new_pairs(world))
        return 8 / inverse_slope(reward) * root
    return np.full_like(reward, 2 * world.cost * math.sqrt(world.horizon / world.num_actions))


square_xpo = named("square_xpo", average_gaps, optimism=1.0)
without_optimism = named("without_optimism", average_gaps, "no optimism", optimism=0.0)
reversed_optimism = named(
    "reversed_optimism", average_gaps, "optimism with its sign reversed", optimism=-1.0
)
label_flip = named(
    "label_flip", average_gaps, "labels are read with the wrong sign", optimism=1.0, sign=-1.0
)
proved = named("square_xpo", average_gaps, optimism=1.0, logs=True)
proved_flipped = named(
    "label_flip",
    average_gaps,
    "labels are read with the wrong sign",
    optimism=1.0,
    logs=True,
    sign=-1.0,
)


def told_the_needle(world: RareNeedles, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong for a lower bound: the better needle is known."""
    return proved(replace(world, estimate=the_truth), rng, replicates)


def explore_then_commit(
    world: RareNeedles, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """Wrong: (M, R) gaps of T^(2/3) rounds of exploration, then the needle with most labels +1."""
    arms, each = world.num_actions, math.ceil(world.horizon ** (2 / 3) / world.num_actions)
    explored, gaps = each * arms / world.horizon, []
    for reward in world.rewards:
        win_prob = np.full(arms, _win_prob(world, 0.0))
        win_prob[0] = _win_prob(world, float(reward))
        misses = rng.binomial(each, win_prob, (replicates, arms)).argmax(axis=1) > 0
        gaps.append(reward * (explored * (1 - 1 / arms) + (1 - explored) * misses))
    return np.array(gaps)


# Quantities --------------------------------------------------------------------------------------

PILOT_RUNS, PILOT_SEED = 100, 20261126


@lru_cache(maxsize=256)
def worst_rung(world: NeedlesByReward, algorithm: Algorithm) -> int:
    """Where the mean gap is largest, by runs of a stream of its own."""
    rng = np.random.default_rng(PILOT_SEED)
    return int(algorithm(world, rng, PILOT_RUNS).mean(1).argmax())


def gaps_at_worst(world: NeedlesByReward, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) gaps at the Δ of the pilot; NaN for the algorithm under test at an end of the ladder."""
    rung = worst_rung(world, algorithm)
    if algorithm is square_xpo and rung in (0, world.ladder.rungs - 1):
        return np.full(replicates, np.nan)
    at = world.on_rung(rung)
    return algorithm(at, rng, replicates)[0]


def wrong_share(world: RareNeedles) -> float:
    """1 − 1/A."""
    return 1 - 1 / world.num_actions


def worst_gaps(worlds, algorithms, rngs, replicates: int) -> list[list[np.ndarray]]:
    """(R,) gaps at the Δ of largest mean; NaN for the algorithm under test at an end."""
    rows = []
    for world, rng in zip(worlds, rngs, strict=True):
        rows.append([])
        for k, algorithm in enumerate(algorithms):
            gaps = algorithm(world, rng, replicates)
            worst = int(gaps.mean(1).argmax())
            inside = 0 < worst < len(gaps) - 1 or k > 0
            rows[-1].append(gaps[worst] if inside else np.full(replicates, np.nan))
    return rows


def between(world: NeedlesByReward, algorithm: Algorithm, rng, replicates: int) -> float:
    """The larger of 95 % quantile/upper bound over all Δ and lower bound/largest mean gap."""
    gaps = algorithm(world, rng, replicates)
    bounds = np.array([upper(world, reward) for reward in world.rewards])
    above = (np.quantile(gaps, 1 - FAILURE_PROB, axis=1) / bounds).max()
    return float(max(above, lower(world) / max(gaps.mean(1).max(), 1e-12)))


def burnt(world: LargeReward, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) gaps at the one Δ."""
    return algorithm(world, rng, replicates)[0]


def burn_in_bounds(world: LargeReward, algorithm: Algorithm, rng, replicates: int) -> float:
    """The larger of 0.11·R_max·A/T over the mean gap and that over 4·R_max·A/T."""
    mean = float(burnt(world, algorithm, rng, replicates).mean())
    unit = world.reward_bound * world.num_actions / world.horizon
    return max(LEAST * unit / max(mean, 1e-12), mean / (BURNT * unit))


WORST = Quantity("average gap at the worst Δ [reward]", together=worst_gaps)
OVER_ROOT = Quantity("average gap at the worst Δ / c(ε)·√(A/T)", together=worst_gaps,
                     over=root_of_share)  # fmt: skip
AT_WORST = Quantity("gap at the worst Δ over 1 − 1/A [reward]", gaps_at_worst, over=wrong_share)
BETWEEN = Quantity(
    "larger of 95 % quantile / upper and lower / mean gap", between, stream_per_block=True
)
BURN_IN = Quantity(
    "larger of least / gap and gap / (4·R_max·A/T)", burn_in_bounds, stream_per_block=True
)


# The claims --------------------------------------------------------------------------------------

OPTIMISTIC = (without_optimism, reversed_optimism)


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, *wrong: Algorithm,
    right: Algorithm = square_xpo, **more: Any,
) -> Check:  # fmt: skip
    """A check of SquareXPO on rare needles."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


CHECKS = [
    check("horizon", "horizon", Slope("sup over Δ: gap {rate}", -0.5), WORST, label_flip,
          *OPTIMISTIC),
    check("num_actions", "num_actions", Slope("sup over Δ: gap/(1 − 1/A) {rate}", 0.5), AT_WORST,
          label_flip, *OPTIMISTIC),
    check("bounds", "num_actions",
          Inequality("Theorem 3 ≤ largest mean gap, 95 % quantile ≤ Theorem 1′"), BETWEEN,
          proved_flipped, told_the_needle, right=proved),
    check("constant", "num_actions",
          Ratio("sup over Δ: gap ≤ 2.5·c(ε)·√(A/T), W of Theorem 1′", 2.5, direction="at_most"),
          OVER_ROOT, proved_flipped, explore_then_commit, right=proved),
    check("burn_in_bounds", "num_actions",
          Inequality("R_max = 6: 0.11·R_max·A/T ≤ gap ≤ 4·R_max·A/T"), BURN_IN, label_flip,
          *OPTIMISTIC, told_the_needle, keeps=["epsilon"]),
]  # fmt: skip

# π*_β of every problem is in the class, and |β·log π/π_ref| ≤ R_max, by construction.
THEOREM = Theorem(
    title="P2 section 6: what coverability costs, on rare needles",
    settles=["own.rare_needles"],
    checks=CHECKS,
    worlds={"ladder": NeedlesByReward, "large_reward": LargeReward},
)
