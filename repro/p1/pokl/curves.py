"""What is recorded of simulated runs: regret curves, and quantities that are read off them.

Small tensors cost the same whether they hold ten runs or fifty, so grid points are simulated
together; every part draws what it would draw alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.core.check import Algorithm, Quantity
from repro.labels.preferences.block_draws import DrawsOfParts, draws_on, geometric_times
from repro.p1.pokl.linear import LinearClass
from repro.p1.pokl.rate import RegretRate, regret_rate
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Round, Runs
from repro.worlds.policies.gibbs import gibbs_suboptimality

Watch = Callable[[Runs, Round], Tensor]
"""What is recorded of each round, (L,)."""
LATE_DECADES = 3.0
"""Over which t·regret is averaged: a run says more over three than over its last two."""
ROUNDING = 1e-9
"""A reward this close to the truth is the truth."""


@dataclass(frozen=True, eq=False)
class RegretCurve:
    """Regret of R simulated runs of one world.

    Attributes:
        times: (K+1,) labels seen, 0 first, the horizon last.
        regret: (K+1, R) J(π*) − J(π²) of the policy after so many labels, or what was watched.
    """

    times: np.ndarray
    regret: np.ndarray

    @property
    def cumulative(self) -> np.ndarray:
        """(K+1, R) sum of the regrets of all rounds before each time."""
        played = self.regret[:-1] * np.diff(self.times)[:, None]
        return np.concatenate([np.zeros_like(played[:1]), np.cumsum(played, axis=0)])

    def rate(self, decades: float = 2.0) -> np.ndarray:
        """(R,) regret per unit of log t: the mean of t·regret(t) over the last decades."""
        late = self.times >= self.times[-1] / 10**decades
        return np.mean(self.times[late, None] * self.regret[late], axis=0)


# What is watched ---------------------------------------------------------------------------------


def regret(runs: Runs, now: Round) -> Tensor:
    """(L,) J(π*) − J(π²)."""
    return now.regret


def curious_regret(runs: Runs, now: Round) -> Tensor:
    """(L,) regret, negative where π² shuns the responses that the bonus is largest for.

    To second order regret is even in the bonus; the sign tells optimism from its reverse.
    """
    leaning = ((now.explore - now.exploit) * now.bonus.abs()).sum(-1) @ runs.linear.state_prob
    return leaning.sign() * now.regret


def learnt_regret(runs: Runs, now: Round) -> Tensor:
    """(L,) J(π*) − J(π¹): what the estimate alone costs, on data that the bonus has drawn."""
    played, weight = runs.played_kl_weight[:, None, None], runs.kl_weight[:, None, None]
    excess = now.reward / played - runs.reward / weight
    return gibbs_suboptimality(runs.optimal, excess, runs.linear.state_prob, runs.kl_weight)


def marked_regret(runs: Runs, now: Round) -> Tensor:
    """(L,) regret, its sign negative where the estimate is not the truth (``tested``)."""
    return torch.where(wrong(runs, now), -now.regret, now.regret)


def wrong(runs: Runs, now: Round) -> Tensor:
    """(L,) whether there are labels, and r̄ is not r*."""
    off = (now.reward - runs.reward).abs().flatten(1).amax(-1)
    return (off > ROUNDING) & (now.time > 0)


# Simulation --------------------------------------------------------------------------------------


def simulate(
    worlds: Sequence[OnlineRun], replicates: int, rng: np.random.Generator, watch: Watch = regret
) -> list[RegretCurve]:
    """A curve for each of some worlds that differ in numbers alone and have one horizon.

    Args:
        worlds: as their learners are told.
        replicates: R.
        rng: the stream that all runs share.
        watch: what is recorded of each round in the place of the regret.
    """
    runs, horizon = Runs(worlds, replicates), worlds[0].horizon
    return simulate_parts(runs, [horizon], [rng], watch)[0]


def simulate_parts(
    runs: Runs, horizons: Sequence[int], rngs: Sequence[np.random.Generator], watch: Watch = regret
) -> list[list[RegretCurve]]:  # fmt: skip
    """The same for G parts of equally many worlds, which lie one after the other.

    The times up to a horizon are the same for every longer one, but for the last.

    Args:
        runs: what is played.
        horizons: G horizons.
        rngs: G streams.
        watch: what is recorded of each round; ``time`` is that of the part with the longest
            horizon.

    Returns:
        By part and world.
    """
    first, device = runs.worlds[0], str(runs.linear.features.device)

    def times_to(horizon: int) -> list[int]:
        return geometric_times(horizon, first.grid_ratio, first.first_change)

    draws = DrawsOfParts([draws_on(device, rng) for rng in rngs], horizons)
    with torch.inference_mode():
        rounds = runs.rounds(times_to(max(horizons)), draws)
        kept = [watch(runs, now).cpu().numpy() for now in rounds]
    # (K+1, G, worlds of a part, R)
    split = np.stack(kept).reshape(len(kept), len(horizons), -1, runs.replicates)
    times = [np.array(times_to(horizon), dtype=float) for horizon in horizons]
    return [
        [RegretCurve(own, split[: len(own), part, world]) for world in range(split.shape[2])]
        for part, own in enumerate(times)
    ]


def curves(
    worlds: Sequence[OnlineRun], algorithms: Sequence[Algorithm],
    rngs: Sequence[np.random.Generator], replicates: int, watch: Watch = regret,
) -> list[list[RegretCurve]]:  # fmt: skip
    """By world and algorithm.  Worlds that differ in numbers alone are one batch, each with its own
    stream.

    Algorithms that fit another class than the world's go first, then all others in one batch: the
    order in which a block's stream is used is part of its results.

    Args:
        worlds: as they are measured.
        algorithms: world → world, as its learner is told.
        rngs: the block's stream at each world.
        replicates: R.
        watch: what the curves record.
    """
    runs_of = [[algorithm(world) for algorithm in algorithms] for world in worlds]
    all_curves: list[list[Any]] = [[None] * len(algorithms) for _ in worlds]
    for places in alike(runs_of):
        first, own = runs_of[places[0]], worlds[places[0]].fitted
        classes = dict.fromkeys(world.fitted for world in first)
        for fitted in sorted(classes, key=lambda fitted_class: fitted_class == own):
            which = [m for m, world in enumerate(first) if world.fitted == fitted]
            runs = Runs([runs_of[g][m] for g in places for m in which], replicates)
            horizons, streams = [worlds[g].horizon for g in places], [rngs[g] for g in places]
            parts = simulate_parts(runs, horizons, streams, watch)
            for g, part in zip(places, parts, strict=True):
                for m, curve in zip(which, part, strict=True):
                    all_curves[g][m] = curve
    return all_curves


def alike(runs_of: Sequence[Sequence[OnlineRun]]) -> list[list[int]]:
    """Places of the worlds that one batch can hold, in order; each with all of its algorithms."""
    places_by_kind: dict[Hashable, list[int]] = {}
    for place, own in enumerate(runs_of):
        places_by_kind.setdefault(_shared(own), []).append(place)
    return list(places_by_kind.values())


def _shared(own: Sequence[OnlineRun]) -> tuple[Hashable, ...]:
    """What the worlds of one batch have in common: all but numbers of their runs.

    The linear class does not depend on the truth, so there the truths may differ.
    """
    first, linear = own[0], own[0].linear
    classes = tuple(world.fitted for world in own)
    place = (linear.features, linear.state_prob, linear.reference)
    truth = () if set(classes) == {LinearClass} else (linear.theta,)
    bytes_of = tuple(tensor.cpu().numpy().tobytes() for tensor in (*place, *truth))
    return (bytes_of, linear.features.shape, classes, first.labels, first.estimate,
            linear.radius, linear.reward_bound, first.optimism, first.grid_ratio,
            first.first_change)  # fmt: skip


# Quantities --------------------------------------------------------------------------------------

Reading = Callable[[OnlineRun, RegretCurve], Any]
"""A world and a curve of it → (R,) values, or one number."""


def of_curve(
    words: str, reading: Reading, watch: Watch = regret,
    over: Callable[[Any], float] | None = None, less: Callable[[Any], float] | None = None,
    stream_per_block: bool = False,
) -> Quantity:  # fmt: skip
    """A quantity that is read off the curve of each algorithm's runs.

    Args:
        words: what it is, with the unit in brackets.
        reading: what is read.
        watch: what the curve records.
        over: world → the number that values are divided by.
        less: world → a number that is taken off.
        stream_per_block: whether what is read is a number of all runs together.
    """

    def together(worlds, algorithms, rngs, replicates: int) -> list[list[Any]]:
        played = curves(worlds, algorithms, rngs, replicates, watch)
        return [
            [reading(world, curve) for curve in own]
            for world, own in zip(worlds, played, strict=True)
        ]

    return Quantity(words, together=together, over=over, less=less,
                    stream_per_block=stream_per_block)  # fmt: skip


def last(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) regret of the policy after T labels."""
    return curve.regret[-1]


def largest(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) largest value of a run from the first label on."""
    return curve.regret[1:].max(axis=0)


def rate(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) regret per unit of log T."""
    return curve.rate(LATE_DECADES)


def tested(curve: RegretCurve) -> RegretCurve:
    """The regret of a curve of ``marked_regret``; NaN where no estimate of any run was ever wrong.

    An upper bound on what a learner pays that has nothing to learn says nothing.
    """
    ever = np.signbit(curve.regret).any()
    return RegretCurve(curve.times, np.abs(curve.regret) if ever else curve.regret * np.nan)


def limit(world: OnlineRun) -> RegretRate:
    """What t·regret tends to: [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)."""
    linear = world.linear
    return regret_rate(linear, world.epsilon, linear.kl_weight, world.bonus_weight)


def total_limit(world: OnlineRun) -> float:
    """Both parts of it."""
    return limit(world).total


def bonus_rate(world: OnlineRun) -> float:
    """The bonus's part of it."""
    return limit(world).exploration


def estimation_rate(world: OnlineRun) -> float:
    """The estimate's part of it."""
    return limit(world).estimation


def bonus_at_the_end(world: OnlineRun) -> float:
    """What the bonus alone costs a round after T labels."""
    return bonus_rate(world) / world.horizon


def akaike_weight(times: np.ndarray, cumulative: np.ndarray, decades: float = 3.0) -> float:
    """Akaike weight of regret = a + b·log T against regret = a + b·√T.

    Both models have one free slope for the increments between half decades, whose variances come
    from the replicates; then AIC differs by χ²(√T) − χ²(log T), and the weight is
    1/(1 + exp(−ΔAIC/2)): 1 when log T is preferred beyond doubt, 0 when √T is.

    Args:
        times: (K,) increasing, the last is the horizon.
        cumulative: (K, R) regret up to each time, R ≥ 2 replicates.
        decades: how far back from the horizon the curve counts.
    """
    steps = int(2 * decades)
    wanted = times[-1] / 10 ** (0.5 * np.arange(steps, -1, -1))
    at = np.unique(np.searchsorted(times, wanted * (1 - 1e-9)))
    gains = np.diff(cumulative[at], axis=0)
    weight = 1 / np.maximum(gains.var(axis=1, ddof=1) / gains.shape[1], 1e-200)

    def misfit(shape: np.ndarray) -> float:
        regressor, mean = np.diff(shape[at]), gains.mean(axis=1)
        slope = (weight * regressor * mean).sum() / (weight * regressor**2).sum()
        return float((weight * (mean - slope * regressor) ** 2).sum())

    difference = misfit(np.sqrt(times)) - misfit(np.log(np.maximum(times, 1)))
    return float(1 / (1 + np.exp(-np.clip(difference / 2, -500, 500))))


def growth(world: OnlineRun, curve: RegretCurve) -> float:
    """Akaike weight of the runs together."""
    return akaike_weight(curve.times, curve.cumulative)


OVER_LIMIT = of_curve("regret rate / closed form", rate, over=total_limit)
RATE_BEYOND_BONUS = of_curve("regret per unit of log T beyond the bonus's own [reward]", rate,
                             less=bonus_rate)  # fmt: skip
RATE_BEYOND_ESTIMATE = of_curve("regret per unit of log T beyond the estimate's own [reward]", rate,
                                less=estimation_rate)  # fmt: skip
BEYOND_BONUS = of_curve("regret per round beyond the bonus's own [reward]", last,
                        less=bonus_at_the_end)  # fmt: skip
