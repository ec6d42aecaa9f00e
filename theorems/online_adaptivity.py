"""P2, Theorem 5.3 and its γ: online, a weight of optimism that is kept serves every α.

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
ladder, the needle bold (Δ = 1) or hidden (Δ as small as β lets it be).

Testable: the exponents ½ in T and 2 in α of the growing weight's supremum over β of the mean gap,
and 0 in T of the kept weight's, up to logarithms; the kept weight's 95 % quantile is below Theorem
1's bound on every problem, and its mean gap above .42·ζα, which every algorithm leaves on one of
two responses that the adversary makes alike (docs/explanations/reward_range.md, Theorem 2).
Theorem 3 has no check.

What would refute it: a kept weight above Theorem 1's bound, or a growing one whose gap does not
grow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Pairs
from repro.core.check import Algorithm, Check, Quantity, Theorem, named
from repro.core.claims import Inequality, Slope
from repro.labels.corruption.huber_reports import idle_adversary
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import on_arrays, the_truth
from repro.p2.xpo.runs import RewardLadder
from repro.worlds.instances.labelled import HuberLabels

FAILURE_PROB = 0.05
"""δ of W, and of Theorem 1."""
SQUARES = (1 - math.exp(-0.25)) / 4
"""q of Theorem 1."""
COVERABILITY = 2.0
VALUE_BOUND = 1.0
"""V_max; R_max is 1, too."""
INVERSE_SLOPE = 8 * math.cosh(0.5) ** 2
"""K at R_max = V_max = 1."""
LOG_ODDS = 2.0
"""Of the better of two responses under π*_β, where both look alike."""
EVERY_ALGORITHM = 0.21
"""Of their reward difference: what every algorithm leaves there."""
ALIKE_RUNS = 20
"""Runs there for one elsewhere: their mean counts, not a quantile."""
ONE_BY_ONE, GROWTH = 10, 0.5
"""Rounds after each of which a policy may change; a later block has so many times those before."""
PILOT_RUNS, PILOT_SEED = 100, 20261126

# The world ---------------------------------------------------------------------------------------


CELLS = 3
"""Pairs that tell: (a, b), (needle, a), (needle, b)."""
OUTCOMES = np.array([1.0, -1.0])
"""Labels of a pair."""


class Problem(Protocol):
    """Two policies, π*_β and the second, and π_ref, which is played first."""

    @property
    def kl_weight(self) -> float:
        """β."""
        ...

    @property
    def shown(self) -> np.ndarray:
        """(3, 3) chance that a pair of π*_β, the second policy or π_ref is that of a cell."""
        ...

    @property
    def means(self) -> np.ndarray:
        """(2, 3) tanh of half of the difference that π*_β and the second expect in a cell."""
        ...

    @property
    def pessimism(self) -> float:
        """g = E_ref[log π₂/π*], by which the second policy is the less hopeful one."""
        ...

    @property
    def gaps(self) -> np.ndarray:
        """(3,) J_β(π*_β) − J_β of π*_β, the second policy and π_ref."""
        ...


@dataclass(frozen=True)
class Needle:
    """Theorem 2's problem at one β, in the limit of a needle that π_ref never draws.

    Attributes:
        kl_weight: β.
        needle: Δ, by which the needle is better than a and b.
        imitated: x, by which the second policy prefers a to b.
    """

    kl_weight: float
    needle: float
    imitated: float

    @property
    def shown(self) -> np.ndarray:
        """(3, 3): π*_β draws the needle half of the time, the others never."""
        return np.array([[0.25, 0.25, 0.25], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]])

    @property
    def means(self) -> np.ndarray:
        """(2, 3): 0, Δ and Δ; x, −x/2 and x/2."""
        good, tilt = self.needle, self.imitated / 2
        return np.tanh(np.array([[0.0, good, good], [self.imitated, -tilt, tilt]]) / 2)

    @property
    def pessimism(self) -> float:
        """2·log 2 − E_ref of what the second policy's preference for a costs."""
        tilt = abs(self.imitated) / (2 * self.kl_weight)
        return 2 * math.log(2) - tilt - math.log1p(math.exp(-2 * tilt))

    @property
    def gaps(self) -> np.ndarray:
        """(3,): β·KL to π*_β."""
        odds = abs(self.imitated) / self.kl_weight
        rare = math.exp(-odds) / (1 + math.exp(-odds))
        entropy = math.log1p(math.exp(-odds)) + rare * odds
        second = 2 * math.log(2) - entropy
        return self.kl_weight * np.array([0.0, second, math.log(2)])


@dataclass(frozen=True)
class Alike:
    """Two responses, better by R or worse by R, whose labels the adversary makes fair coins.

    Both problems have one law of labels, and an algorithm that treats the responses alike has the
    same gap in both.

    Attributes:
        reward: R.
    """

    reward: float

    @property
    def kl_weight(self) -> float:
        """R/2."""
        return self.reward / LOG_ODDS

    @property
    def shown(self) -> np.ndarray:
        """(3, 3): every policy's response differs from that of π_ref half of the time."""
        return np.array([[0.5, 0.0, 0.0]] * 3)

    @property
    def means(self) -> np.ndarray:
        """(2, 3): R, and −R."""
        return np.tanh(np.array([[self.reward, 0.0, 0.0], [-self.reward, 0.0, 0.0]]) / 2)

    @property
    def pessimism(self) -> float:
        """0: one policy is the other's mirror image."""
        return 0.0

    @property
    def gaps(self) -> np.ndarray:
        """(3,): β·KL to π*_β."""
        second = LOG_ODDS * math.tanh(LOG_ODDS / 2)
        return self.kl_weight * np.array([0.0, second, math.log(math.cosh(LOG_ODDS / 2))])


def imitate_and_hide(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The adversary: a wins against b where both are alike, else the worse response wins."""
    return np.where(truth == 0, 1.0, -1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class SeenNeedle(HuberLabels):
    """T corrupted private labels of three responses, one of them a needle.

    The stage ``estimate`` is (what an update minimises, true gaps in units of β) → what it
    minimises.

    Attributes:
        horizon: T.
        ladder: of β.
        kinds: of needles: bold ones, or hidden ones, too.
        believed_order: of corruption and privacy, that the second policy is built for.
        adversary: who corrupts labels.
        optimism: multiple of W.
    """

    horizon: Pairs
    ladder: RewardLadder
    kinds: Literal["bold", "all"] = "all"
    corruption: Corruption = 0.0
    believed_order: Order = Order.CTL
    adversary: Any = imitate_and_hide
    optimism: float = 1.0
    words: ClassVar[Any] = {"adversary": {"worst": imitate_and_hide, "idle": idle_adversary}}

    def __post_init__(self) -> None:
        if self.ladder.high * self.depth > 1:
            raise ValueError("ladder with high at most 1/log(400·c·T), lest π_ref draws a needle")

    @property
    def depth(self) -> float:
        """Δ/β from which on π_ref and the second policy draw no needle: log(400·c·T)."""
        return math.log(400 * self.cost * self.horizon)

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
        """Those that are played."""
        return self.needles

    def on(self, problem: Problem) -> OnOneProblem:
        """The same labels on one problem."""
        return OnOneProblem(**{**vars(self), "one": problem})

    @property
    def needles(self) -> list[Needle]:
        """At every β of the ladder a bold one, Δ = 1; then, of all kinds, hidden ones."""
        betas = self.ladder.values().tolist()
        bold = [Needle(beta, 1.0, self.imitated) for beta in betas]
        hidden = [Needle(beta, self.depth * beta, self.imitated) for beta in betas]
        return bold + hidden if self.kinds == "all" else bold

    @property
    def imitated(self) -> float:
        """x, tanh(x/2) = ζα."""
        return 2 * math.atanh(self.bias)

    @property
    def alike(self) -> Alike:
        """Two responses at which (1 − α)·tanh(R/2) = ζα."""
        return Alike(2 * math.atanh(self.bias / (1 - self.corruption)))

    @property
    def log_class(self) -> float:
        """ℓ, |Π| = 2."""
        return math.log(2 / FAILURE_PROB)

    @property
    def new_pairs(self) -> float:
        """C′ of Theorem 1."""
        return COVERABILITY * math.log1p(self.horizon / COVERABILITY) / math.log(2)

    @property
    def weight(self) -> float:
        """W/β of Theorem 1, at R_max = V_max = 1: free of α and of the order."""
        root = math.sqrt(128 * SQUARES * self.log_class * self.horizon / self.new_pairs)
        return self.cost * root / INVERSE_SLOPE

    @property
    def upper(self) -> float:
        """Theorem 1's bound, with the summand of π^(1) = π_ref."""
        far = 2 if self.believed_order is Order.CTL else 1 + self.cost
        shift, noise = far * self.corruption, self.cost * math.sqrt(self.log_class / self.horizon)
        more = max(1.0, shift / noise)
        logs = 1 + math.log(more)
        root = math.sqrt(self.new_pairs / (8 * SQUARES))
        noise_and_shift = root * (2 * noise + 3 * shift + 2 * shift * math.sqrt(logs))
        tail = shift * (2 + logs) / (2 * math.sqrt(SQUARES))
        burnt = (2 * COVERABILITY + 1 + 2 * VALUE_BOUND / INVERSE_SLOPE) * more / self.horizon
        return INVERSE_SLOPE * (noise_and_shift + tail + burnt)

    def more_labels(self, other: HuberLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class OnOneProblem(SeenNeedle):
    """The labels of one problem.

    Attributes:
        one: it.
    """

    one: Problem

    @property
    def problems(self) -> Sequence[Problem]:
        """That one."""
        return [self.one]


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def average_gaps(
    world: SeenNeedle, rng: np.random.Generator, replicates: int,
    grows: bool, sign: float = 1.0, optimism: float = 1.0,
) -> np.ndarray:  # fmt: skip
    """(M, R) average gaps of SquareXPO over the two policies.

    Args:
        world: what is played, M problems.
        rng: the block's stream.
        replicates: R runs.
        grows: whether W_t = W·t/T in the place of W.
        sign: −1 where labels are read upside down.
        optimism: multiple of W.
    """
    problems = world.problems
    chance, change = _rounds(world, sign)
    kl_weight = np.array([problem.kl_weight for problem in problems])
    weight = optimism * world.optimism * world.weight
    hope = weight * kl_weight * np.array([problem.pessimism for problem in problems])
    gaps = np.stack([problem.gaps for problem in problems])
    true = (gaps[:, :2] / kl_weight[:, None])[:, None]  # (M, 1, 2)
    at = np.arange(len(problems))[:, None]
    chosen = np.full((len(problems), replicates), 2)  # round 1 is of π_ref
    ahead, total, seen = np.zeros(chosen.shape), np.zeros(chosen.shape), 0
    while seen < world.horizon:
        rounds = 1 if seen < ONE_BY_ONE else min(int(GROWTH * seen), world.horizon - seen)
        total += rounds * gaps[at, chosen]
        pairs = rng.multinomial(rounds, chance[at, chosen])[..., :-1]
        ahead += (pairs * change[:, None]).sum(-1)  # L(π*) − L(π₂)
        seen += rounds
        share = seen / world.horizon if grows else 1.0
        scores = np.stack([ahead - share * hope[:, None], np.zeros(chosen.shape)], axis=-1)
        chosen = on_arrays(world.estimate, scores, true).argmin(-1)
    return total / world.horizon


def _rounds(world: SeenNeedle, sign: float) -> tuple[np.ndarray, np.ndarray]:
    """What a round may show, and what it adds to L(π*) − L(π₂).

    Args:
        world: what is played, M problems.
        sign: −1 where labels are read upside down.

    Returns:
        (M, 3, 7) chances by policy: a win and a loss in each cell, then all other pairs; and
        (M, 6) what wins and losses add.
    """
    problems = world.problems
    first, second = np.stack([problem.means for problem in problems], axis=1)[
        ..., None
    ]  # (M, 3, 1) each
    label = np.clip((1 + OUTCOMES * world.reports.mean(first)) / 2, 0, 1)  # (M, 3, 2)
    shown = np.stack([problem.shown for problem in problems])
    outcomes = (shown[..., None] * label[:, None]).reshape(*shown.shape[:2], 2 * CELLS)
    rest = 1 - shown.sum(-1, keepdims=True)
    read = sign * world.cost * OUTCOMES
    change = (first - second) * (first + second - 2 * read)
    return np.concatenate([outcomes, rest], axis=-1), change.reshape(-1, 2 * CELLS)


kept = named("kept", average_gaps, grows=False)
growing = named("growing", average_gaps, grows=True)
kept_instead = named("kept", kept, "the weight is kept")
growing_instead = named("growing", growing, "the weight grows")
kept_upside_down = named(
    "kept_upside_down", average_gaps, "labels are read with the wrong sign", grows=False, sign=-1.0
)
growing_upside_down = named(
    "growing_upside_down",
    average_gaps,
    "labels are read with the wrong sign",
    grows=True,
    sign=-1.0,
)
without_optimism = named("without_optimism", average_gaps, "no optimism", grows=False, optimism=0.0)


def told_which(world: SeenNeedle, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong for a lower bound: it knows which policy is the better one."""
    return kept(replace(world, estimate=the_truth), rng, replicates)


# Quantities --------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def worst_problem(world: SeenNeedle, algorithm: Algorithm) -> int:
    """Which needle has the largest mean gap, by runs of a stream of its own."""
    rng = np.random.default_rng(PILOT_SEED)
    return int(algorithm(world, rng, PILOT_RUNS).mean(1).argmax())


def gaps_at_worst(
    world: SeenNeedle, algorithm: Algorithm, rng: np.random.Generator, replicates: int,
    right: Algorithm,
) -> np.ndarray:  # fmt: skip
    """(R,) gaps on the needle of the pilot.

    NaN for ``right``, the algorithm under test, where that needle's β is an end of the ladder.
    """
    worst, rungs = worst_problem(world, algorithm), world.ladder.rungs
    if algorithm is right and worst % rungs in (0, rungs - 1):
        return np.full(replicates, np.nan)
    return algorithm(world.on(world.needles[worst]), rng, replicates)[0]


def at_worst(right: Algorithm) -> Quantity:
    """The supremum over needles; of the algorithm under test it has to be inside the ladder."""
    words = "average gap on the worst needle [reward]"
    return Quantity(words, named("gaps_at_worst", gaps_at_worst, right=right))


def between(
    world: SeenNeedle, algorithm: Algorithm, rng: np.random.Generator, replicates: int
) -> float:
    """The larger of 95 % quantile/Theorem 1's bound over all needles and .21·R/mean gap."""
    gaps = algorithm(world, rng, replicates)
    above = np.quantile(gaps, 1 - FAILURE_PROB, axis=1).max() / world.upper
    alike = algorithm(world.on(world.alike), rng, ALIKE_RUNS * replicates).mean()
    least = EVERY_ALGORITHM * world.alike.reward
    return float(max(above, least / max(alike, 1e-6 * least)))


BETWEEN = Quantity(
    "larger of 95 % quantile / upper and lower / mean gap", between, stream_per_block=True
)

# The claims --------------------------------------------------------------------------------------


GROWS = "growing weight: gap {rate}"


def supremum(name: str, axis: str, claim: Slope, right: Algorithm, *wrong: Algorithm) -> Check:
    """A check of the gap on the worst needle."""
    return Check(name=name, axis=axis, claim=claim, quantity=at_worst(right), right=right,
                 wrong=wrong)  # fmt: skip


def bounds(name: str, order: str) -> Check:
    """A check of the kept weight against what is proved."""
    words = f"{order}, weight kept: .21·R ≤ mean gap, 95 % quantile ≤ Theorem 1"
    return Check(name=name, axis="corruption", claim=Inequality(words), quantity=BETWEEN,
                 right=kept, wrong=(without_optimism, kept_upside_down, told_which))  # fmt: skip


CHECKS = [
    supremum("growing_horizon", "horizon", Slope(f"CTL, {GROWS}", 0.5), growing, kept_instead,
             growing_upside_down),
    supremum("growing_ctl", "corruption", Slope(f"CTL, {GROWS}", 2, tolerance=0.15), growing,
             kept_instead, growing_upside_down),
    supremum("growing_ltc", "corruption", Slope(f"LTC, {GROWS}", 2, tolerance=0.15), growing,
             kept_instead, growing_upside_down),
    supremum("kept_horizon", "horizon",
             Slope("CTL, weight kept: gap {rate}, up to logarithms", 0, tolerance=0.15), kept,
             growing_instead, told_which),
    bounds("kept_ctl", "CTL"),
    bounds("kept_ltc", "LTC"),
]  # fmt: skip

# π*_β of every problem is in the class, and |β·log π/π_ref| ≤ R_max = 1, by construction.
THEOREM = Theorem(
    title="Online, a weight of optimism that is kept serves every α",
    settles=["own.online_adaptivity"],
    checks=CHECKS,
    worlds={"seen_needle": SeenNeedle},
)
