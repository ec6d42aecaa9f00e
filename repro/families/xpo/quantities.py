"""The average gap of P2's online algorithms, as a supremum over a ladder of reward gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from numpy.random import default_rng

from repro.base.notation import label_signal
from repro.corruption.label_mean import released_mean
from repro.families.xpo.cases import Rung, XpoCase
from repro.families.xpo.wrong import Update
from repro.preferences.block_draws import draws_on, geometric_times
from repro.study.row import Evidence, Measure, Method, Values
from repro.xpo.needles import XpoBatch
from repro.xpo.simulator import Objective, Pool, Start, average_gap

FIRST_CHANGE = 0.01
"""Policies first change after this multiple of √T rounds: those cost at most Δ/(100·√T) of the
average, a hundredth of what the worst rung does."""

PILOTS, PILOT_SEED = ((32, 4), (256, 1)), 20261123
"""How a worst rung is found: runs on every rung, how many rungs are kept, and again on those."""


def ladder_gaps(
    case: XpoCase, updates: Sequence[Update], rng: np.random.Generator, replicates: int
) -> list[tuple[np.ndarray, int]]:
    """Average gaps, each update on its worst rung of a ladder of reward gaps.

    Runs of a stream of their own choose the rungs and the best multiples of γ there, once and for
    all; the block's runs measure them, without selection bias.

    Args:
        case: what is played.
        updates: how; those that differ in numbers only play side by side.
        rng: the block's stream.
        replicates: R runs that measure each.

    Returns:
        Of every update (R,) gaps and the index of the rung.
    """
    plain, rewards = replace(case, methods=()), case.ladder.values()
    chosen = [worst_rung(plain, update) for update in updates]
    together: dict[tuple[Objective, Pool, int], list[int]] = {}
    for k, update in enumerate(updates):
        together.setdefault((update.objective, update.pool, update.rounds), []).append(k)
    found = {}
    for members in together.values():
        first = updates[members[0]]
        longer = plain.longer(first.rounds)
        batches = []
        for k in members:
            there = replace(longer, ladder=Rung(float(rewards[chosen[k].rung])))
            batches.append(batch_of(there, updates[k], chosen[k].multiple, replicates))
        gaps = _gaps(longer, XpoBatch.joined(batches), first, rng)
        found |= dict(zip(members, gaps.reshape(-1, replicates), strict=True))
    return [(found[k], chosen[k].rung) for k in range(len(updates))]


@dataclass(frozen=True)
class WorstRung:
    """Where the best multiple of γ has the largest mean gap.

    Attributes:
        rung: its index.
        multiple: that multiple.
        mean: that gap, NaN where there was no choice and nothing was drawn.
    """

    rung: int
    multiple: float
    mean: float = math.nan


@lru_cache(maxsize=512)
def worst_rung(case: XpoCase, update: Update) -> WorstRung:
    """The worst rung of a case without methods, by runs of a stream of its own."""
    if case.ladder.rungs == 1 and len(update.optimism) == 1:
        return WorstRung(0, update.optimism[0])
    rungs, rng = np.arange(case.ladder.rungs), default_rng(PILOT_SEED)
    for runs, kept in PILOTS:
        means = _pilot(case, update, rungs, rng, runs)
        order = np.argsort(means.min(axis=0))[-kept:]
        rungs, means = rungs[order], means[:, order]
    best = int(means[:, -1].argmin())
    return WorstRung(int(rungs[-1]), update.optimism[best], float(means[best, -1]))


def _pilot(case: XpoCase, update: Update, rungs: np.ndarray, rng, runs: int) -> np.ndarray:
    """(multiples of γ, rungs) mean gaps."""
    longer = case.longer(update.rounds)
    levels = [Rung(float(reward)) for reward in case.ladder.values()[rungs]]
    batches = [
        batch_of(replace(longer, ladder=level), update, multiple, runs)
        for multiple in update.optimism
        for level in levels
    ]
    gaps = _gaps(longer, XpoBatch.joined(batches), update, rng)
    return gaps.reshape(len(update.optimism), len(rungs), runs).mean(axis=-1)


def _gaps(case: XpoCase, batch: XpoBatch, update: Update, rng) -> np.ndarray:
    """(L,) average gap of every run of a batch."""
    first = max(1, int(FIRST_CHANGE * math.sqrt(case.horizon)))
    gaps = average_gap(
        case.policies(), batch, update.objective,
        geometric_times(case.horizon, case.grid_ratio, first), draws_on(case.device, rng),
        case.labels, case.estimate, Start(case.n_pairs, update.pool),
    )  # fmt: skip
    return gaps.cpu().numpy()


def batch_of(case: XpoCase, update: Update, multiple: float, runs: int) -> XpoBatch:
    """Every rung of the ladder ``runs`` times."""
    ladder = torch.as_tensor(case.ladder.values(), dtype=torch.float64, device=case.device)
    gap, signal = ladder.repeat_interleave(runs), label_signal(case.epsilon)
    kl_weight = gap / case.policies().optimal_tilt
    order = case.order.swapped if update.other_order else case.order
    mean = released_mean(case.epsilon, case.channel, case.adversary, order)
    sign, full = -1.0 if update.flipped else 1.0, torch.full_like
    batch = XpoBatch(
        reward_gap=gap,
        kl_weight=kl_weight,
        optimism_weight=case.bonus * multiple * case.optimism() * kl_weight,
        label_scale=full(gap, sign * mean.scale),
        label_offset=full(gap, sign * mean.offset),
        label_shift=full(gap, sign * mean.shift),
        believed_signal=full(gap, signal),
    )
    # blind to privacy: believes in ε = ∞, up to rounding
    return replace(batch, believed_signal=full(gap, 1 - 1e-12)) if update.blind else batch


def worst_gaps(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method on its worst rung.

    NaN for the method under test where its supremum must lie inside the ladder and does not.
    """
    under_test, ends = case.methods[0], (0, case.ladder.rungs - 1)
    found = {}
    for m, (gap, rung) in worst_of_all(case, rng, replicates):
        unfit = case.interior and m is under_test and rung in ends
        found[m.name] = np.full_like(gap, np.nan) if unfit else gap
    return found


def worst_of_all(
    case: XpoCase, rng: np.random.Generator, replicates: int
) -> Iterator[tuple[Method[Update], tuple[np.ndarray, int]]]:
    """Every method of a case with its (R,) gaps on its worst rung and the rung's index."""
    updates = [m.run for m in case.methods]
    return zip(case.methods, ladder_gaps(case, updates, rng, replicates), strict=True)


SWEEP = tuple(4.0**k for k in range(-1, 5))
"""Multiples of γ = β·c(ε)/(2√T) that ``over_best`` tries."""


def over_best(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """Worst mean gap of every method over that of the best multiple of γ in a sweep."""
    swept = [replace(case.methods[0].run, optimism=(one,)) for one in SWEEP]
    found = ladder_gaps(case, [*swept, *(m.run for m in case.methods)], rng, replicates)
    means = [float(gap.mean()) for gap, _ in found]
    best, rest = min(means[: len(SWEEP)]), means[len(SWEEP) :]
    return {m.name: mean / best for m, mean in zip(case.methods, rest, strict=True)}


WORST_GAP = Measure("average gap on the worst rung [reward]", worst_gaps, Evidence.MEASURED)
