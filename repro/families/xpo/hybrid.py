"""SquareXPO that starts from n offline labels: its gap on the harder of two problems.

One state, two responses, the first with π_ref = w; it is better by Δ in one problem and worse by Δ
in the other.  kl_weight = Δ/(2·log(1/(w(1−w)))), as in the lower bound of
docs/explanations/hybrid.md; the optimism has the weight of its upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from repro.families.xpo.algorithms import Score, square_loss
from repro.families.xpo.bounds_hybrid import Given, least_gap
from repro.families.xpo.cases import Rewards, XpoCase
from repro.families.xpo.quantities import ladder_gaps, worst_rung
from repro.families.xpo.worlds import NeedleClass, PairCounts, XpoBatch
from repro.families.xpo.wrong import Update
from repro.study.row import Evidence, Measure, Method, Values

POLICIES = 17
"""|Π|; among them π_ref and the optima of both problems."""

FAILURE_PROB = 0.05
"""δ."""


@dataclass(frozen=True)
class Mirrored:
    """The problems in which the rare response is the worse one: negative reward gaps."""

    ladder: Rewards

    @property
    def rungs(self) -> int:
        """As many."""
        return self.ladder.rungs

    @property
    def high(self) -> float:
        """The largest in size, negative."""
        return -self.ladder.high

    def values(self) -> np.ndarray:
        """(M,) the reward gaps."""
        return -self.ladder.values()


@dataclass(frozen=True, kw_only=True)
class HybridCase(XpoCase):
    """n offline labels, T online ones and w."""

    def policies(self) -> NeedleClass:
        """Tilts of the rare response from −k to k, k = 2·log(1/(w(1−w)))."""
        share = self.best_share
        most = -2 * math.log(share * (1 - share))
        tilts = torch.linspace(-most, most, POLICIES, dtype=torch.float64, device=self.device)
        return NeedleClass(2, tilts, math.copysign(most, self.ladder.high), share)

    @cached_property
    def given(self) -> Given:
        """What the upper bound reads."""
        policies = self.policies()
        table = policies.table()
        return Given(
            epsilon=self.epsilon, n_pairs=self.n_pairs, horizon=self.horizon,
            coverability=float(table.amax(dim=0).sum()),
            concentrability=float((table / policies.reference).max()),
            log_class=math.log(POLICIES / FAILURE_PROB), reward_bound=abs(self.ladder.high),
        )  # fmt: skip

    def optimism(self) -> float:
        """W/β."""
        return self.given.optimism

    def problems(self) -> tuple[HybridCase, HybridCase]:
        """The rare response better, and worse; without methods."""
        better = replace(self, methods=())
        return better, replace(better, ladder=Mirrored(self.ladder))


def realizable_and_bounded(case: HybridCase) -> Iterator[tuple[str, bool, str]]:
    """Whether both optima are policies, and how large |β·log π/π_ref|/Δ is."""
    for problem, rare in zip(case.problems(), ("better", "worse"), strict=True):
        policies = problem.policies()
        found = bool((policies.tilts == policies.optimal_tilt).any())
        ratio = (policies.table() / policies.reference).log().abs().max()
        value = float(ratio) / abs(policies.optimal_tilt)
        words = f"implicit rewards ≤ {value:.6f}·Δ"
        yield f"rare response {rare}: realizable, bounded", found and value <= 1 + 1e-9, words


def hybrid_objective(policies: NeedleClass, batch: XpoBatch) -> Score:
    """W·E_ref[log π] + the square loss: optimism by the known π_ref, the same in every round."""
    expected = policies.reference[:, None] * policies.tilts - policies.log_normaliser
    hopeful, loss = batch.optimism_weight[:, None, None] * expected, square_loss(policies, batch)
    return lambda counts: loss(counts).add_(hopeful)


def offline_only(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Wrong: online labels are not read."""
    return offline


def online_only(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Wrong: offline labels are not read."""
    return online


def evenly(offline: PairCounts, n_pairs: int, online: PairCounts, rounds: int) -> PairCounts:
    """Wrong: both mean losses weigh the same, whatever n and T are."""
    both, share = (n_pairs + rounds) / 2, 1 / max(rounds, 1)
    return offline.times(both / n_pairs).plus(online.times(both * share))


hybrid_xpo = Method("hybrid_xpo", Update(hybrid_objective))
offline_ignored = Method("offline_ignored", Update(hybrid_objective, pool=online_only))
online_ignored = Method("online_ignored", Update(hybrid_objective, pool=offline_only))
evenly_weighted = Method("evenly_weighted", Update(hybrid_objective, pool=evenly))
label_flip = Method("label_flip", Update(hybrid_objective, flipped=True))
without_cost = Method("without_cost", Update(hybrid_objective, blind=True), privacy_mistake=True)
without_optimism = Method("without_optimism", Update(hybrid_objective, optimism=(0.0,)))
reversed_optimism = Method("reversed_optimism", Update(hybrid_objective, optimism=(-1.0,)))
more_labels = Method("forty_times_the_labels", Update(hybrid_objective, rounds=40))


@dataclass(frozen=True)
class Found:
    """What one update did on its harder problem.

    Attributes:
        gaps: (R,) on its worst rung.
        reward: Δ there.
        interior: whether the rung lies inside the ladder.
    """

    gaps: np.ndarray
    reward: float
    interior: bool


def on_harder_problem(
    case: HybridCase, update: Update, rng: np.random.Generator, replicates: int
) -> Found:
    """Gaps on the problem whose worst rung is the worse one, by the pilots of both."""
    harder = max(case.problems(), key=lambda problem: worst_rung(problem, update).mean)
    ((gaps, rung),) = ladder_gaps(harder, [update], rng, replicates)
    interior = rung not in (0, case.ladder.rungs - 1)
    return Found(gaps, float(case.ladder.values()[rung]), interior)


def harder_gaps(case: HybridCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method; NaN for the first where its worst rung is an end of the ladder."""
    gaps = {}
    for m in case.methods:
        found = on_harder_problem(case, m.run, rng, replicates)
        unfit = case.interior and m is case.methods[0] and not found.interior
        gaps[m.name] = np.full_like(found.gaps, np.nan) if unfit else found.gaps
    return gaps


def over_upper(case: HybridCase, rng: np.random.Generator, replicates: int) -> Values:
    """(1 − δ)-quantile of every method's gaps over the upper bound at that rung's R_max."""
    shares = {}
    for m in case.methods:
        found = on_harder_problem(case, m.run, rng, replicates)
        bound = replace(case.given, reward_bound=found.reward).upper
        shares[m.name] = float(np.quantile(found.gaps, 1 - FAILURE_PROB)) / bound
    return shares


def lower_over(case: HybridCase, rng: np.random.Generator, replicates: int) -> Values:
    """The lower bound over every method's mean gap."""
    least = least_gap(case.epsilon, case.n_pairs, case.horizon, case.best_share)
    return {name: least / max(float(gaps.mean()), 1e-300)
            for name, gaps in harder_gaps(case, rng, replicates).items()}  # fmt: skip


def offline_over_online(case: HybridCase, rng: np.random.Generator, replicates: int) -> Values:
    """Mean gap of T offline labels and one round over that of T online labels, good one rare.

    Wrong versions have the honest offline gap: they differ online.
    """
    offline = replace(case, methods=(), n_pairs=case.horizon, horizon=1)
    ((before, _),) = ladder_gaps(offline, [hybrid_xpo.run], rng, replicates)
    online = ladder_gaps(case, [m.run for m in case.methods], rng, replicates)
    return {m.name: np.array([before.mean() / gaps.mean()])
            for m, (gaps, _) in zip(case.methods, online, strict=True)}  # fmt: skip


HARDER_GAP = Measure("average gap on the harder problem [reward]", harder_gaps, Evidence.MEASURED)
OVER_UPPER = Measure("95 % quantile of the gap / upper bound", over_upper, Evidence.MEASURED)
LOWER_OVER = Measure("lower bound / average gap", lower_over, Evidence.MEASURED)
ADVANTAGE = Measure("gap of offline / gap of online labels", offline_over_online, Evidence.MEASURED)
