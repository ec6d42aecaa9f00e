"""P2, Theorem 5.3 and its γ: online, a weight of optimism that is kept serves every α (ours).

The γ of Theorem 5.3's proof contains α.  Statement (``own.online_adaptivity``; proofs:
docs/explanations/online_adaptivity.md).  SquareXPO, its sign corrected, minimises
W_t·E_ref[log π] + Σ (h_π − c·z)².  ζ = 1 under CTL and c(ε) under LTC, s = c·√(log(|Π|/δ)/T).

    kept (W_t = W of α = 0):  the average gap is ≲ K·√C_cov·(s + ζα) at every α and in either
                              order, up to logarithms (Theorem 1);
    growing (W_t = ωβ·t):     for some problem it is ≥ .11·(ζα)²/ω with probability ≥ .04/c, and
                              for another ≥ .05·ω without corruption (Theorems 2 and 3).

Algorithm 4's γ·Σ log π(τ̃_i) grows.  With ω ∝ c/√T, as without corruption, its gap is ∝
(ζα)²·√T/c: the price that offline every β free of α pays (``price_of_adaptivity``).  Whose weight
is kept is hopeful from the first round on, sees the needle, and pays nothing of the sort.

World (Theorem 2): responses a and b alike, a needle that π_ref all but never draws, better by Δ.
π*_β plays it half of the time.  The second policy does not, and prefers a to b by as much as the
adversary makes it seem, who reports a on that pair, and against the needle.  Problems: β on a
ladder, the needle bold (Δ = 1) or hidden (Δ = 30β); the worst of all counts.

What would refute it: a kept weight whose gap grows like α², or a growing one whose gap does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Pairs
from repro.core.check import Algorithm, Check, Quantity, Theorem, named
from repro.core.claims import Slope
from repro.corruption.huber_reports import HuberReports, idle_adversary
from repro.corruption.orders import Order
from repro.instances.labelled import HuberLabels
from repro.preferences.label_law import on_arrays
from repro.xpo.runs import RewardLadder

FAILURE_PROB = 0.05
"""δ of W."""
SQUARES = (1 - math.exp(-0.25)) / 4
"""q of Theorem 1."""
COVERABILITY = 2.0
INVERSE_SLOPE = 8 * math.cosh(0.5) ** 2
"""K at R_max = V_max = 1."""
DEPTH = 30.0
"""Δ/β of a hidden needle, at most: log((1 − w)/w)."""
ONE_BY_ONE, GROWTH = 10, 0.25
"""Rounds after each of which a policy may change; a later block has so many times those before."""
PILOTS, PILOT_SEED = ((60, 8), (1500, 1)), 20261126
"""How a worst problem is found: runs on each, how many are kept, and again on those."""

# The world ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """One β and one needle.

    Attributes:
        kl_weight: β.
        needle: Δ, by which the needle is better than a and b.
        imitated: x, by which the second policy prefers a to b.
    """

    kl_weight: float
    needle: float
    imitated: float

    @property
    def means(self) -> np.ndarray:
        """(2, 3) tanh of half of what π*_β and the second expect on (a, b), (needle, a or b)."""
        good, tilt = self.needle, self.imitated / 2
        return np.tanh(np.array([[0.0, good, good], [self.imitated, -tilt, tilt]]) / 2)

    @property
    def pessimism(self) -> float:
        """g = E_ref[log π₂/π*], by which the second policy is the less hopeful one; w → 0."""
        tilt = abs(self.imitated) / (2 * self.kl_weight)
        return 2 * math.log(2) - tilt - math.log1p(math.exp(-2 * tilt))

    @property
    def gaps(self) -> np.ndarray:
        """(3,) J_β(π*_β) − J_β of π*_β, the second policy and π_ref: β·KL; w → 0."""
        odds = abs(self.imitated) / self.kl_weight
        rare = math.exp(-odds) / (1 + math.exp(-odds))
        entropy = math.log1p(math.exp(-odds)) + rare * odds
        second = 2 * math.log(2) - entropy
        return self.kl_weight * np.array([0.0, second, math.log(2)])


def imitate_and_hide(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The adversary: a wins against b, and every response against the needle."""
    return np.where(truth == 0, 1.0, -1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class SeenNeedle(HuberLabels):
    """T corrupted private labels of three responses, one of them a needle.

    The stage ``estimate`` is (what an update minimises, true gaps in units of β) → what it
    minimises.

    Attributes:
        horizon: T.
        ladder: of β.
        believed_order: of corruption and privacy, that the second policy is built for.
        adversary: who corrupts labels.
    """

    horizon: Pairs
    ladder: RewardLadder
    corruption: Corruption = 0.0
    believed_order: Order = Order.CTL
    adversary: Any = imitate_and_hide
    words: ClassVar[Any] = {"adversary": {"worst": imitate_and_hide, "idle": idle_adversary}}

    def __post_init__(self) -> None:
        if self.ladder.high * math.log(10 * self.horizon) > 1:
            raise ValueError("ladder.high below 1/log(10·T), so that π_ref never draws the needle")

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def bias(self) -> float:
        """ζα, as the world's builder believes."""
        return self.corruption * (1.0 if self.believed_order is Order.CTL else self.cost)

    @property
    def problems(self) -> Sequence[Problem]:
        """Every β of the ladder, with a bold and with a hidden needle."""
        imitated = 2 * math.atanh(self.bias)
        betas = self.ladder.values().tolist()
        bold = [Problem(beta, 1.0, imitated) for beta in betas]
        return bold + [Problem(beta, min(1.0, DEPTH * beta), imitated) for beta in betas]

    @property
    def weight(self) -> float:
        """W/β of Theorem 1, at R_max = V_max = 1, |Π| = 2: free of α and of the order."""
        log_class = math.log(2 / FAILURE_PROB)
        new = COVERABILITY * math.log1p(self.horizon / COVERABILITY) / math.log(2)
        root = math.sqrt(128 * SQUARES * log_class * self.horizon / new)
        return self.cost * root / INVERSE_SLOPE

    def more_labels(self, other: HuberLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def average_gaps(
    world: SeenNeedle, problems: Sequence[Problem], rng: np.random.Generator, replicates: int,
    grows: bool, sign: float = 1.0,
) -> np.ndarray:  # fmt: skip
    """(M, R) average gaps of SquareXPO over the two policies.

    Args:
        world: whose labels are read.
        problems: M of the world.
        rng: the block's stream.
        replicates: R runs.
        grows: whether W_t = W·t/T in the place of W.
        sign: −1 where labels are read upside down.
    """
    reports: HuberReports = world.reports
    shape = len(problems), replicates
    first, second = np.stack([one.means for one in problems], axis=1)[:, :, None]  # (M, 1, 3) each
    win = np.clip((1 + reports.mean(first)) / 2, 0, 1)
    squares, pull = first**2 - second**2, 2 * sign * world.cost * (first - second)
    kl_weight = np.array([one.kl_weight for one in problems])[:, None]
    hope = world.weight * kl_weight * np.array([one.pessimism for one in problems])[:, None]
    gaps = np.stack([one.gaps for one in problems])[:, None]  # (M, 1, 3)
    true = gaps[..., :2] / kl_weight[..., None]
    chosen, ahead = np.full(shape, 2), np.zeros(shape)  # round 1 is of π_ref
    total, seen = np.zeros(shape), 0
    while seen < world.horizon:
        rounds = 1 if seen < ONE_BY_ONE else min(int(GROWTH * seen), world.horizon - seen)
        total += rounds * np.take_along_axis(gaps, chosen[..., None], -1)[..., 0]
        needles = rng.binomial(rounds, np.where(chosen == 0, 0.5, 0.0))
        each = rng.binomial(needles, 0.5)
        pairs = np.stack([rng.binomial(rounds - needles, 0.5), each, needles - each], axis=-1)
        wins = rng.binomial(pairs, win)
        ahead += (squares * pairs - pull * (2 * wins - pairs)).sum(-1)  # L(π*) − L(π₂)
        seen += rounds
        share = seen / world.horizon if grows else 1.0
        scores = np.stack([ahead - share * hope, np.zeros(shape)], axis=-1)
        chosen = on_arrays(world.estimate, scores, true).argmin(-1)
    return total / world.horizon


kept = named("kept", average_gaps, grows=False)
growing = named("growing", average_gaps, grows=True)
kept_upside_down = named("kept_upside_down", average_gaps, grows=False, sign=-1.0)
growing_upside_down = named("growing_upside_down", average_gaps, grows=True, sign=-1.0)

# Quantities --------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def worst_problem(world: SeenNeedle, algorithm: Algorithm) -> int:
    """Which problem has the largest mean gap, by runs of a stream of its own."""
    rng, problems = np.random.default_rng(PILOT_SEED), np.arange(len(world.problems))
    for runs, best in PILOTS:
        means = algorithm(world, [world.problems[k] for k in problems], rng, runs).mean(1)
        problems = problems[np.argsort(means)[-best:]]
    return int(problems[-1])


def worst_gaps(world: SeenNeedle, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) gaps on the problem of the pilot; NaN where its β is an end of the ladder, if it is
    the algorithm under test.
    """
    worst, rungs = worst_problem(world, algorithm), world.ladder.rungs
    if algorithm in (kept, growing) and worst % rungs in (0, rungs - 1):
        return np.full(replicates, np.nan)
    return algorithm(world, [world.problems[worst]], rng, replicates)[0]


WORST = Quantity("average gap on the worst problem [reward]", worst_gaps)

# The claims --------------------------------------------------------------------------------------


def check(name: str, axis: str, claim: Slope, right: Algorithm, *wrong: Algorithm) -> Check:
    """A check of SquareXPO."""
    return Check(name=name, axis=axis, claim=claim, quantity=WORST, right=right, wrong=wrong)


CHECKS = [
    check("growing_horizon", "horizon", Slope(0.5, "CTL, growing weight: gap {rate}"), growing,
          kept, growing_upside_down),
    check("growing_ctl", "corruption",
          Slope(2, "CTL, growing weight: gap {rate}", tolerance=0.15), growing, kept,
          growing_upside_down),
    check("growing_ltc", "corruption",
          Slope(2, "LTC, growing weight: gap {rate}", tolerance=0.15), growing, kept,
          growing_upside_down),
    check("kept_ctl", "corruption", Slope(1, "CTL, weight kept: gap {rate}"), kept, growing,
          kept_upside_down),
    check("kept_ltc", "corruption", Slope(1, "LTC, weight kept: gap {rate}"), kept, growing,
          kept_upside_down),
]  # fmt: skip

# π*_β of every problem is in the class, and |β·log π/π_ref| ≤ R_max = 1, by construction.
THEOREM = Theorem(
    title="Online, a weight of optimism that is kept serves every α",
    settles=["own.online_adaptivity"],
    checks=CHECKS,
    worlds={"seen_needle": SeenNeedle},
)
