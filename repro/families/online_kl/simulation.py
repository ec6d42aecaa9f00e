"""Blocked runs of Algorithm 2, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.online_kl.algorithms_pokl import Game, Round, blocked_rounds
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
    device, times = str(game.world.features.device), geometric_times(horizon, ratio)
    shape = (-1, game.batch.replicates)
    with torch.inference_mode():
        rounds = blocked_rounds(game, times, draws_on(device, rng))
        kept = [watch(game, current).cpu().numpy().reshape(shape) for current in rounds]
    return RegretCurve(np.array(times, dtype=float), np.stack(kept))
