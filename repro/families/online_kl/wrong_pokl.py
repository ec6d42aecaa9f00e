"""Algorithm 2 and deliberately wrong versions of it, by name: each turns a setting into its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.algorithms_pokl import Game, RewardClass, Round, blocked_rounds
from repro.families.online_kl.run_batch import RunSetting, make_batch
from repro.instances.linear import LinearWorld
from repro.preferences.block_draws import draws_on, geometric_times

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


def pokl(setting: RunSetting) -> RunSetting:
    """Algorithm 2 as the setting describes it."""
    return setting


def naive_labels(setting: RunSetting) -> RunSetting:
    """Wrong: least squares without the factor 2α−1, as if labels were clean."""
    return replace(setting, believed_epsilon=math.inf)


def epsilon_overstated(setting: RunSetting) -> RunSetting:
    """Wrong: least squares assumes a budget 20 % too high."""
    return replace(setting, believed_epsilon=EPSILON_OVERSTATED * setting.epsilon)


def hidden_randomizer(setting: RunSetting) -> RunSetting:
    """Wrong: labels taken as clean have passed through randomized response at ε = 1."""
    return replace(setting, epsilon=1.0, believed_epsilon=math.inf)


def without_exploration(setting: RunSetting) -> RunSetting:
    """Wrong: no bonus, both responses from the exploitation policy."""
    return replace(setting, bonus_weight=0.0)


def inverted_kl_weight(setting: RunSetting) -> RunSetting:
    """Wrong: P1's β read as the weight of KL, not as its inverse."""
    return replace(setting, played_kl_weight=1 / setting.kl_weight)


def other_order(setting: RunSetting) -> RunSetting:
    """Wrong: the adversary acts on the other side of the randomizer."""
    return replace(setting, after_privacy=not setting.after_privacy)


METHODS: dict[str, Callable[[RunSetting], RunSetting]] = {
    **{
        f.__name__: f
        for f in (
            pokl,
            naive_labels,
            epsilon_overstated,
            hidden_randomizer,
            without_exploration,
            inverted_kl_weight,
            other_order,
        )
    },
    "finite_class": pokl,
    "linear_class": pokl,
    "proven_bonus": pokl,
    "bonus_of_horizon": pokl,
    "bonus_without_horizon": pokl,
    "frozen_features": without_exploration,
}
"""The setting of each method; those below differ in their reward class or in Γ_T as well."""


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


def simulate(
    world: LinearWorld,
    settings: Sequence[RunSetting],
    horizon: int,
    ratio: float,
    rng: np.random.Generator,
    replicates: int,
    rewards: RewardClass | None = None,
    watch: Callable[[Game, Round], Tensor] | None = None,
) -> RegretCurve:
    """Blocked runs of several settings at once.

    Args:
        world: the truth.
        settings: M settings.
        horizon: T.
        ratio: of the grid of times at which policies change; 1 changes them every round.
        rng: the block's stream.
        replicates: R runs a setting.
        rewards: the reward class; linear over the world's features unless given.
        watch: what is recorded of each round, (L,); the regret unless given.
    """
    device = str(world.features.device)
    game = Game(world, rewards or LinearClass(world), make_batch(settings, replicates, device))
    times = geometric_times(horizon, ratio)
    with torch.inference_mode():
        kept = [
            (watch(game, r) if watch else r.regret).cpu().numpy().reshape(len(settings), replicates)
            for r in blocked_rounds(game, times, draws_on(device, rng))
        ]
    return RegretCurve(np.array(times, dtype=float), np.stack(kept))
