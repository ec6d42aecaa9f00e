"""P2, section 6: n offline and T online private labels together (own result).

The paper leaves hybrid settings open.  Here SquareXPO (Algorithm 4, its sign corrected) starts from
n labels of pairs of π_ref, its loss is the sum over all n + t labels, and its optimism is
W·E_ref[log π] with the known π_ref and one W for all rounds.

Statement (``own.hybrid``, docs/explanations/hybrid.md).  C_cov is Definition 4.7's, C_off the
largest π/π_ref of the class, K = 4cosh²(R_max/2)(1 + (2V_max − R_max)₊), ℓ = log(|Π|/δ),
q = (1 − e^(−1/2))/4.  For a finite class with Assumptions 4.5 and 4.6, every β > 0, n and T, and
W = (8β/K)·√(qE/Λ), with probability at least 1−δ the average of J_β(π*_β) − J_β(π^(t)) is at most

    (K/4)·√(EΛ/q),    E = 4c(ε)²ℓ + 16q·C_cov,
    Λ = C_cov·log(1 + T/(C_cov(1 + n/C_off)))/(T·log 2) ≤ 2.9·max{1, log(1 + T/C_cov)}/N,

N = n/C_off + T/C_cov.  For every algorithm, n, T and w ≤ ½ there are two problems of two responses,
one of them with π_ref = w, R_max ≤ 1, C_off ≤ 1/w, C_cov ≤ 2, in one of which its expected average
gap is at least min{1/8, .11·c(ε)/√(2wn + T)}, and 2wn + T ≤ 2N.

So offline labels count for n/C_off and online ones for T/C_cov: on two responses from both sides,
for every finite class from above where c(ε)²ℓ exceeds .4·C_cov (with another W always: Theorem 1′
of the page; its check, at n = 0, is ``bounds`` of ``rare_needles``).  Online labels beat as many
offline ones by √(1/w).  Testable: the exponents in n, T and c(ε); that of 1/w in the gap of T
offline labels over that of T online ones, where the rare response is the better; both bounds.

The gap is that of the harder of both problems of the lower bound, the supremum over a ladder of
rewards.  What would refute it: a gap above the upper or below the lower bound; another exponent.
Wrong versions read the labels of one phase only, or give both mean losses the same weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field

from repro.base.device import device_in_use
from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS, Whole
from repro.core.batches import blocks_together
from repro.core.check import Algorithm, Check, Quantity, Theorem, at_both_ends, privacy_mistake
from repro.core.claims import Inequality, Slope
from repro.p2.xpo.needles import NeedleClass, PairCounts, XpoBatch
from repro.p2.xpo.runs import Needles, Update, realizable, value_bound
from repro.p2.xpo.simulator import Score, square_loss
from repro.p2.xpo.worst_reward import (
    OnRung,
    blocks_on_ladder,
    inside_the_ladder,
    worst_rung,
)

POLICIES = 17
"""|Π|; among them π_ref and the optima of both problems."""
FAILURE_PROB = 0.05
"""δ."""
SQUARES = (1 - math.exp(-0.5)) / 4
"""q: with probability 1−δ, q·Σ E[D²] ≤ (L(π) − L(π*))/4 + c²ℓ for all rounds and policies."""


# The bounds: R = R_max, V = V_max, c = c(ε), ℓ = log(|Π|/δ) --------------------------------------


@dataclass(frozen=True)
class Given:
    """What is known before the first round, and the upper bound.

    Attributes:
        epsilon: budget of the labels.
        n_pairs: n.
        horizon: T.
        coverability: C_cov.
        concentrability: C_off, the largest π/π_ref of the class.
        log_class: ℓ.
        reward_bound: R = V.
    """

    epsilon: float
    n_pairs: int
    horizon: int
    coverability: float
    concentrability: float
    log_class: float
    reward_bound: float

    @property
    def inverse_slope(self) -> float:
        """K = 4cosh²(R/2)(1 + (2V − R)₊), an upper bound of |x − y|/|σ(x) − σ(y)|."""
        return 4 * math.cosh(self.reward_bound / 2) ** 2 * (1 + self.reward_bound)

    @property
    def error(self) -> float:
        """E = 4c²ℓ + 16q·C_cov."""
        noise = 4 * privacy_cost(self.epsilon) ** 2 * self.log_class
        return noise + 16 * SQUARES * self.coverability

    @property
    def new_pairs(self) -> float:
        """Λ = C_cov·log(1 + T/(C_cov(1 + n/C_off)))/(T·log 2): how much of a round is new."""
        before = self.coverability * (1 + self.n_pairs / self.concentrability)
        share = self.coverability / (self.horizon * math.log(2))
        return share * math.log1p(self.horizon / before)

    @property
    def optimism(self) -> float:
        """W/β = (8/K)√(qE/Λ)."""
        return 8 / self.inverse_slope * math.sqrt(SQUARES * self.error / self.new_pairs)

    @property
    def upper(self) -> float:
        """(K/4)√(EΛ/q)."""
        return self.inverse_slope / 4 * math.sqrt(self.error * self.new_pairs / SQUARES)


def least_gap(epsilon: float, n_pairs: float, horizon: float, rare: float) -> float:
    """What every algorithm leaves on the worse of two problems: min{1/8, .11c/√(2wn + T)}.

    Args:
        epsilon: budget of the labels.
        n_pairs: n.
        horizon: T.
        rare: w ≤ ½, π_ref of the response that is better in one problem and worse in the other.

    >>> least_gap(math.inf, 0, 1, 0.5)
    0.11
    """
    labels = 2 * rare * n_pairs + horizon
    return min(0.125, 0.11 * privacy_cost(epsilon) / math.sqrt(labels))


# The world --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OfflineAndOnline(Needles):
    """n offline labels and T online ones; two responses, the first with π_ref = w.

    It is better by Δ in one problem and worse by Δ in the other.  kl_weight =
    Δ/(2·log(1/(w(1−w)))), as in the lower bound; the optimism has the weight of the upper one.

    Attributes:
        n_pairs: n.
        rare_is_worse: which of the two problems it is.
    """

    n_pairs: Annotated[Whole, Field(ge=0, le=MAX_PAIRS)]
    rare_is_worse: bool = False

    @property
    def offline(self) -> int:
        return self.n_pairs

    @property
    def rare(self) -> float:
        """w."""
        return 1 / 2 if self.best_share is None else self.best_share

    @property
    def step(self) -> float:
        """Ratio of neighbouring reward gaps: one lies so close below that of the lower bound."""
        return (self.ladder.high / self.ladder.low) ** (1 / (self.ladder.rungs - 1))

    @property
    def rewards(self) -> np.ndarray:
        """(M,) reward gaps, negative where the rare response is the worse one."""
        gaps = self.ladder.values()
        return -gaps if self.rare_is_worse else gaps

    def policies(self, device: str = "cpu") -> NeedleClass:
        """Tilts of the rare response from −k to k, k = 2·log(1/(w(1−w)))."""
        most = -2 * math.log(self.rare * (1 - self.rare))
        tilts = torch.linspace(-most, most, POLICIES, dtype=torch.float64, device=device)
        return NeedleClass(2, tilts, -most if self.rare_is_worse else most, self.rare)

    def given(self, reward: float, times: int = 1) -> Given:
        """What the upper bound reads at a reward gap, n and T so many times as large."""
        policies = self.policies()
        table = policies.table()
        return Given(
            epsilon=self.epsilon, n_pairs=times * self.n_pairs, horizon=times * self.horizon,
            coverability=float(table.amax(dim=0).sum()),
            concentrability=float((table / policies.reference).max()),
            log_class=math.log(POLICIES / FAILURE_PROB), reward_bound=abs(reward),
        )  # fmt: skip

    def weight(self, reward: float, times: int) -> float:
        """W/β."""
        return self.given(reward, times).optimism

    @property
    def problems(self) -> Sequence[OfflineAndOnline]:
        """The rare response better, and worse."""
        return self, replace(self, rare_is_worse=not self.rare_is_worse)


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """W·E_ref[log π] + the square loss: optimism by the known π_ref, the same in every round."""
    expected = policies.reference[:, None] * policies.tilts - policies.log_normaliser
    hopeful, loss = batch.optimism_weight[:, None, None] * expected, square_loss(policies, batch)
    return lambda counts: loss(counts).add_(hopeful)


def hybrid_xpo(world: OfflineAndOnline) -> Update:
    """SquareXPO, its sign corrected, on all n + t labels."""
    return Update(objective)


def offline_only(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Online labels are not read."""
    return offline


def online_only(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Offline labels are not read."""
    return online


def evenly(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Both mean losses weigh the same, whatever n and T are."""
    both, share = (n_pairs + rounds) / 2, 1 / max(rounds, 1)
    # without offline labels, or rounds, their counts are zero, whatever they are multiplied by
    return offline.times(both / max(n_pairs, 1)).plus(online.times(both * share))


def offline_ignored(world: OfflineAndOnline) -> Update:
    """Wrong: offline labels are not read."""
    return Update(objective, pool=online_only)


def online_ignored(world: OfflineAndOnline) -> Update:
    """Wrong: online labels are not read."""
    return Update(objective, pool=offline_only)


def evenly_weighted(world: OfflineAndOnline) -> Update:
    """Wrong: both mean losses weigh the same."""
    return Update(objective, pool=evenly)


def label_flip(world: OfflineAndOnline) -> Update:
    """Wrong: labels enter with the wrong sign."""
    return Update(objective, flipped=True)


@privacy_mistake
def without_cost(world: OfflineAndOnline) -> Update:
    """Wrong: c = 1 in the loss."""
    return Update(objective, blind=True)


def without_optimism(world: OfflineAndOnline) -> Update:
    """Wrong: W = 0."""
    return Update(objective, optimism=(0.0,))


def reversed_optimism(world: OfflineAndOnline) -> Update:
    """Wrong: −W in the place of W."""
    return Update(objective, optimism=(-1.0,))


def told_objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """The gap itself."""
    gaps = policies.divergence().expand(len(batch), -1, -1)
    return lambda counts: gaps


def told_the_problem(world: OfflineAndOnline) -> Update:
    """Wrong for a lower bound: which response is better is known."""
    return Update(told_objective)


# Quantities --------------------------------------------------------------------------------------


def on_harder_problem(
    world: OfflineAndOnline, algorithm: Algorithm, rngs: Sequence[np.random.Generator],
    replicates: int,
) -> list[OnRung]:  # fmt: skip
    """By block, the problem whose worst rung is the worse one, by the pilots of both."""
    update, device = algorithm(world), device_in_use()
    harder = max(
        world.problems, key=lambda block_of_one: worst_rung(block_of_one, update, device).mean
    )
    return [
        block_of_one for (block_of_one,) in blocks_on_ladder(harder, [update], rngs, replicates)
    ]


def every_algorithm(
    worlds, algorithms, rngs, replicates: int
) -> Iterator[tuple[OfflineAndOnline, list[OnRung]]]:
    """Every world, and what all algorithms do on its harder problem."""

    def play(world: OfflineAndOnline, own: list[np.random.Generator]) -> Iterator[list[OnRung]]:
        plays = [on_harder_problem(world, algorithm, own, replicates) for algorithm in algorithms]
        return map(list, zip(*plays, strict=True))

    return zip(worlds, blocks_together(worlds, rngs, play), strict=True)


def harder_gaps(*given) -> list[list[np.ndarray]]:
    """(R,) gaps; NaN for the algorithm under test where its worst rung is an end of the ladder."""
    return [inside_the_ladder(rungs) for _, rungs in every_algorithm(*given)]


def between(*given) -> list[list[float]]:
    """The larger of the (1 − δ)-quantile over the upper and the lower bound over the mean gap."""
    return [
        [over_bounds(world, rung) for rung in rungs] for world, rungs in every_algorithm(*given)
    ]


def over_bounds(world: OfflineAndOnline, rung: OnRung) -> float:
    """The same of one algorithm."""
    above = float(np.quantile(rung.gaps, 1 - FAILURE_PROB)) / world.given(rung.reward).upper
    least = least_gap(world.epsilon, world.n_pairs, world.horizon, world.rare) / world.step
    return max(above, least / max(rung.mean, 1e-12))


def offline_over_online(worlds, algorithms, rngs, replicates: int) -> list[list[float]]:
    """Mean gap of T offline labels and one round over that of T online labels, good one rare.

    Wrong versions have the honest offline gap: they differ online.
    """

    def play(world: OfflineAndOnline, own: list[np.random.Generator]) -> Iterator[list[float]]:
        offline = replace(world, n_pairs=world.horizon, horizon=1)
        before = blocks_on_ladder(offline, [hybrid_xpo(offline)], own, replicates)
        online = blocks_on_ladder(world, [curve(world) for curve in algorithms], own, replicates)
        for (first,), later in zip(before, online, strict=True):
            yield [first.mean / curve.mean for curve in later]

    return blocks_together(worlds, rngs, play)


# The claims --------------------------------------------------------------------------------------

HARDER_GAP = Quantity("average gap on the harder problem [reward]", together=harder_gaps)
BETWEEN = Quantity(
    "larger of 95 % quantile / upper bound and lower bound / mean gap",
    together=between, stream_per_block=True,
)  # fmt: skip
ADVANTAGE = Quantity(
    "gap of offline / gap of online labels", together=offline_over_online, stream_per_block=True
)
OPTIMISTIC = (without_optimism, reversed_optimism)


def check(
    name: str, axis: str, claim: Slope | Inequality, quantity: Quantity, *wrong: Algorithm,
    **more: Any,
) -> Check:  # fmt: skip
    """A check of the one algorithm."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=hybrid_xpo,
                 wrong=wrong, **more)  # fmt: skip


BOTH = "Theorem 2 ≤ mean gap, 95 % quantile of the gap ≤ Theorem 1"

CHECKS = [
    check("n_pairs", "n_pairs", Slope("T = 100: gap {rate}", -0.5), HARDER_GAP,
          offline_ignored, evenly_weighted, label_flip, without_cost),
    check("horizon", "horizon", Slope("π_ref of one response 1e-15: gap {rate}", -0.5), HARDER_GAP,
          online_ignored, evenly_weighted, *OPTIMISTIC),
    check("privacy_cost", "privacy_cost", Slope("as much from both: gap {rate}", 1), HARDER_GAP,
          without_cost),
    check("advantage", "inverse_reference",
          Slope("T offline labels over T online: {rate}", 0.5), ADVANTAGE, *OPTIMISTIC),
    check("bounds_n_pairs", "n_pairs", Inequality(f"T = 1e6: {BOTH}"), BETWEEN,
          offline_ignored, evenly_weighted, label_flip, told_the_problem, keeps=("epsilon",)),
    check("bounds_horizon", "horizon", Inequality(f"n = 1e6: {BOTH}"), BETWEEN, label_flip,
          told_the_problem),
]  # fmt: skip


def realizable_and_bounded(world: OfflineAndOnline):
    """Assumptions 4.5 and 4.6 of both problems: π*_β is in the class, and V_max = R_max."""
    for problem, rare in zip(world.problems, ("better", "worse"), strict=True):
        value = value_bound(problem, 1.0)
        words = f"implicit rewards ≤ {value:.6f}·Δ"
        holds = realizable(problem) and value <= 1 + 1e-9
        yield f"rare response {rare}: realizable, bounded", holds, words


THEOREM = Theorem(
    title="P2 section 6: SquareXPO from offline and online private labels",
    settles=["own.hybrid"],
    checks=CHECKS,
    worlds={"needles": OfflineAndOnline},
    assumes=at_both_ends(realizable_and_bounded),
)
