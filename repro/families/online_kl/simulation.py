"""Blocked runs of Algorithm 2, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.online_kl.algorithms_pokl import Game, Round, blocked_rounds
from repro.families.online_kl.parts import DrawsOfParts
from repro.preferences.block_draws import draws_on, geometric_times

Watch = Callable[[Game, Round], Tensor]
"""What is recorded of each round, (L,)."""


@dataclass(frozen=True, eq=False)
class RegretCurve:
    """Regret of simulated runs.

    Attributes:
        times: (K+1,) labels seen, 0 first, the horizon last.
        regret: (K+1, M, R) J(π*) − J(π²) of the policy after so many labels; setting, replicate.
    """

    times: np.ndarray
    regret: np.ndarray

    @property
    def cumulative(self) -> np.ndarray:
        """(K+1, M, R) sum of the regrets of all rounds before each time."""
        played = self.regret[:-1] * np.diff(self.times)[:, None, None]
        return np.concatenate([np.zeros_like(played[:1]), np.cumsum(played, axis=0)])

    def rate(self, decades: float = 2.0) -> np.ndarray:
        """(M, R) regret per unit of log t: the mean of t·regret(t) over the last decades."""
        late = self.times >= self.times[-1] / 10**decades
        return np.mean(self.times[late, None, None] * self.regret[late], axis=0)


def regret(game: Game, current: Round) -> Tensor:
    """(L,) J(π*) − J(π²)."""
    return current.regret


def simulate(
    game: Game, horizon: int, ratio: float, rng: np.random.Generator, watch: Watch = regret
) -> RegretCurve:
    """Blocked runs of several settings at once.

    Args:
        game: what is played.
        horizon: T.
        ratio: of the grid of times at which policies change; 1 changes them every round.
        rng: the block's stream.
        watch: what is recorded of each round in the place of the regret.
    """
    return simulate_parts(game, [horizon], ratio, [rng], watch)[0]


def simulate_parts(
    game: Game,
    horizons: Sequence[int],
    ratio: float,
    rngs: Sequence[np.random.Generator],
    watch: Watch = regret,
) -> list[RegretCurve]:
    """The same for G parts of equally many settings, which lie one after the other.

    The times up to a horizon are the same for every longer one, but for the last.

    Args:
        game: what is played.
        horizons: G horizons.
        ratio: of the grid of times at which policies change.
        rngs: G streams.
        watch: what is recorded of each round; ``time`` is that of the part with the longest
            horizon.
    """
    device, longest = str(game.world.features.device), geometric_times(max(horizons), ratio)
    draws = DrawsOfParts([draws_on(device, rng) for rng in rngs], horizons)
    with torch.inference_mode():
        rounds = blocked_rounds(game, longest, draws)
        kept = [watch(game, current).cpu().numpy() for current in rounds]
    split = np.stack(kept).reshape(len(kept), len(horizons), -1, game.batch.replicates)
    times = [np.array(geometric_times(horizon, ratio), dtype=float) for horizon in horizons]
    return [RegretCurve(own, split[: len(own), part]) for part, own in enumerate(times)]
