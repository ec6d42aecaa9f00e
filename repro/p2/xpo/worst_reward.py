"""The average gap of P2's online algorithms, as a supremum over reward gaps.

An algorithm is a function of a world: the ``Update`` that it makes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.random import default_rng

from repro.base.device import device_in_use
from repro.base.notation import label_signal
from repro.base.torch_later import torch
from repro.core.batches import blocks_together
from repro.core.check import Algorithm, Quantity
from repro.labels.corruption.label_mean import released_mean
from repro.labels.preferences.block_draws import Draws, DrawsOfParts, draws_on, geometric_times
from repro.p2.xpo.needles import XpoBatch
from repro.p2.xpo.runs import NeedleRuns, Update
from repro.p2.xpo.simulator import Objective, Pool, Start, average_gap

FIRST_CHANGE = 0.01
"""Policies first change after this multiple of √T rounds: those cost at most Δ/(100·√T) of the
average, a hundredth of what the worst rung does."""
PILOTS, PILOT_SEED = ((32, 4), (256, 1)), 20261123
"""How a worst rung is found: runs on every rung, how many rungs are kept, and again on those."""


@dataclass(frozen=True)
class OnRung:
    """What one update did on its worst rung.

    Attributes:
        gaps: (R,) average gaps.
        reward: Δ there.
        interior: whether the rung lies inside the ladder.
    """

    gaps: np.ndarray
    reward: float
    interior: bool

    @property
    def mean(self) -> float:
        """Mean gap."""
        return float(self.gaps.mean())


def ladder_gaps(
    world: NeedleRuns, updates: Sequence[Update], rng: np.random.Generator, replicates: int
) -> list[OnRung]:
    """What every update does in one block of runs (``blocks_on_ladder``)."""
    (rungs,) = blocks_on_ladder(world, updates, [rng], replicates)
    return rungs


def blocks_on_ladder(
    world: NeedleRuns, updates: Sequence[Update], rngs: Sequence[np.random.Generator],
    replicates: int,
) -> list[list[OnRung]]:  # fmt: skip
    """Average gaps, each update on its worst rung of the reward gaps.

    Runs of a stream of their own choose the rungs and the best multiples of γ there, once and for
    all; the block's runs measure them, without selection bias.

    Args:
        world: what is played.
        updates: how; those that differ in numbers only play side by side.
        rngs: the streams of blocks, all played in one batch.
        replicates: R runs of a block that measure each.

    Returns:
        By block, what every update did.
    """
    device, rewards = device_in_use(), world.rewards
    chosen = [worst_rung(world, update, device) for update in updates]
    together: dict[tuple[Objective, Pool, int], list[int]] = {}
    for k, update in enumerate(updates):
        together.setdefault((update.objective, update.pool, update.times), []).append(k)
    draws = DrawsOfParts([draws_on(device, rng) for rng in rngs], [math.inf] * len(rngs))
    by_rung: list[dict[int, np.ndarray]] = [{} for _ in rngs]
    for members in together.values():
        batches = []
        for k in members:
            reward, multiple = float(rewards[chosen[k].rung]), chosen[k].multiple
            batches.append(batch_of(world, updates[k], reward, multiple, replicates, device))
        first, batch = updates[members[0]], XpoBatch.joined(batches * len(rngs))
        gaps = _gaps(world, batch, first, draws, device)
        for own, by_member in zip(by_rung, gaps.reshape(len(rngs), -1, replicates), strict=True):
            own |= dict(zip(members, by_member, strict=True))
    ends = (0, len(rewards) - 1)
    return [
        [
            OnRung(own[k], float(rewards[place.rung]), place.rung not in ends)
            for k, place in enumerate(chosen)
        ]
        for own in by_rung
    ]


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
def worst_rung(world: NeedleRuns, update: Update, device: str) -> WorstRung:
    """The worst rung of a world, by runs of a stream of its own."""
    if len(world.rewards) == 1 and len(update.optimism) == 1:
        return WorstRung(0, update.optimism[0])
    rungs, rng = np.arange(len(world.rewards)), default_rng(PILOT_SEED)
    for runs, kept in PILOTS:
        means = _pilot(world, update, rungs, rng, runs, device)
        order = np.argsort(means.min(axis=0))[-kept:]
        rungs, means = rungs[order], means[:, order]
    best = int(means[:, -1].argmin())
    return WorstRung(int(rungs[-1]), update.optimism[best], float(means[best, -1]))


def _pilot(
    world: NeedleRuns, update: Update, rungs: np.ndarray, rng, runs: int, device: str
) -> np.ndarray:
    """(multiples of γ, rungs) mean gaps."""
    batches = [
        batch_of(world, update, float(reward), multiple, runs, device)
        for multiple in update.optimism
        for reward in world.rewards[rungs]
    ]
    gaps = _gaps(world, XpoBatch.joined(batches), update, draws_on(device, rng), device)
    return gaps.reshape(len(update.optimism), len(rungs), runs).mean(axis=-1)


def _gaps(
    world: NeedleRuns, batch: XpoBatch, update: Update, draws: Draws, device: str
) -> np.ndarray:
    """(L,) average gap of every run of a batch."""
    rounds = update.times * world.rounds
    first = max(1, int(FIRST_CHANGE * math.sqrt(rounds)))
    gaps = average_gap(
        world.policies(device), batch, update.objective,
        geometric_times(rounds, world.grid_ratio, first), draws,
        world.labels, world.estimate, Start(update.times * world.offline, update.pool),
    )  # fmt: skip
    return gaps.cpu().numpy()


def batch_of(
    world: NeedleRuns, update: Update, reward: float, multiple: float, runs: int,
    device: str = "cpu",
) -> XpoBatch:  # fmt: skip
    """Settings of so many runs at one reward gap, with a multiple of γ."""

    def full(value: float) -> torch.Tensor:
        return torch.full((runs,), value, dtype=torch.float64, device=device)

    kl_weight = reward / world.policies().optimal_tilt
    order = world.order.swapped if update.other_order else world.order
    mean = released_mean(world.epsilon, world.channel, world.adversary, order)
    sign = -1.0 if update.flipped else 1.0
    # blind to privacy: believes in ε = ∞, up to rounding
    signal = 1 - 1e-12 if update.blind else label_signal(world.epsilon)
    return XpoBatch(
        reward_gap=full(reward),
        kl_weight=full(kl_weight),
        optimism_weight=full(
            world.optimism * multiple * world.weight(reward, update.times) * kl_weight
        ),
        label_scale=full(sign * mean.scale),
        label_offset=full(sign * mean.offset),
        label_shift=full(sign * mean.shift),
        believed_signal=full(signal),
    )


# Quantities --------------------------------------------------------------------------------------


def side_by_side(
    worlds: Sequence[NeedleRuns], algorithms: Sequence[Algorithm],
    rngs: Sequence[np.random.Generator], replicates: int,
) -> Iterator[tuple[NeedleRuns, list[OnRung]]]:  # fmt: skip
    """Every world, and what all algorithms do on their worst rungs there.

    They are one batch, and so are the blocks of a world that is asked for several times.
    """

    def play(world: NeedleRuns, own: list[np.random.Generator]) -> list[list[OnRung]]:
        updates = [algorithm(world) for algorithm in algorithms]
        return blocks_on_ladder(world, updates, own, replicates)

    return zip(worlds, blocks_together(worlds, rngs, play), strict=True)


def worst_gaps(*given) -> list[list[np.ndarray]]:
    """(R,) gaps by world and algorithm."""
    return [[rung.gaps for rung in rungs] for _, rungs in side_by_side(*given)]


def interior_gaps(*given) -> list[list[np.ndarray]]:
    """The same; NaN for the algorithm under test where its worst rung is an end of the ladder.

    Beyond the end the supremum may be larger.  Checks that claim an exact exponent need it inside;
    what a ladder finds is enough to refute a bound, and to catch a wrong version.
    """
    return [inside_the_ladder(rungs) for _, rungs in side_by_side(*given)]


def inside_the_ladder(rungs: Sequence[OnRung]) -> list[np.ndarray]:
    """(R,) gaps of every algorithm, NaN for the first where its worst rung is an end."""
    under_test, *others = rungs
    missing = np.full_like(under_test.gaps, np.nan)
    return [under_test.gaps if under_test.interior else missing, *(other.gaps for other in others)]


WORST_GAP = Quantity("average gap on the worst rung [reward]", together=worst_gaps)
INTERIOR_GAP = replace(WORST_GAP, together=interior_gaps)
