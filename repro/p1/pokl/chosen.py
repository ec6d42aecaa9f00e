"""Algorithm 2 over whatever class of linear rewards is asked for: ball, box, finite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from repro.p1.pokl.least_squares import (
    finite_least_squares,
    linear_least_squares,
)
from repro.p1.pokl.linear import LinearLearner
from repro.worlds.estimators.box import nearest_in_box
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.reward_class import RewardClass

if TYPE_CHECKING:
    from repro.p1.pokl.runs import Runs

ROUGHLY = partial(nearest_in_box, smallest_move=1e-7)
"""One step of Gauss–Newton: where a face binds, errors are as large as the box."""


@dataclass(frozen=True)
class ChosenClass:
    """Makes a chosen class of rewards on a world.

    Attributes:
        chosen: ball, box or finite.
    """

    chosen: RewardClass

    def __call__(self, world: LinearWorld) -> ChosenRewards:
        return ChosenRewards(world, self.chosen)


@dataclass(frozen=True, eq=False)
class ChosenRewards:
    """A class of linear rewards over a world's features.

    Least squares is taken over the class itself.  The uncertainty is that of the smallest ball
    around it, in closed form: with D twice its radius, g = ⟨φ, v⟩ of two members has ‖v‖ ≤ D, so
    λ ≥ (λ/D²)·‖v‖² and the ratio of Definition 3.5 is at most φ̃ᵀ(V + λ/D²·I)⁻¹φ̃.  The bonus is
    optimistic as before, and for a class with an inside the difference vanishes as V grows.  Once
    the confidence set F_t holds one member only, the uncertainty is 0.
    """

    world: LinearWorld
    chosen: RewardClass

    def log_size(self, net_radius: float) -> float:
        """log N of a net of the class."""
        return self.chosen.log_covering(self.world, net_radius)

    def learner(self, runs: Runs) -> ChosenLearner:
        """A learner without data for every run."""
        return ChosenLearner(self, runs)


class ChosenLearner(LinearLearner):
    """Data, estimate and uncertainty of L runs; its sums of squares can be minimised over sets."""

    def __init__(self, rewards: ChosenRewards, runs: Runs) -> None:
        world, self._chosen = rewards.world, rewards.chosen
        super().__init__(replace(world, radius=self._chosen.outer_radius(world)), runs)
        self._own, self._level = world, runs.bonus_weight.square() - runs.ridge

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) U of the smallest ball around the class; 0 where one member is left."""
        several = self._chosen.several(self.distance, self._level, self._own)
        return torch.where(several[:, None, None], super().uncertainty(policy), 0.0)

    def distance(self, members: Tensor) -> Tensor:
        """(L, N) Σ (Δ^r − Δ^r̄)² of parameters (N, d): the quadratic form of F_t."""
        size = self.theta.shape[1]
        form = (self.pairs @ self._outer).reshape(-1, size, size)
        gap = members[None] - self.theta[:, None]
        return ((gap @ form) * gap).sum(-1)

    def in_ball(self, radius: float) -> Tensor:
        """(L, d) least squares over ‖θ‖ ≤ radius."""
        return linear_least_squares(*self._problem(), radius)

    def in_box(self, half_width: float) -> Tensor:
        """(L, d) least squares over max|θ_i| ≤ half_width."""
        return linear_least_squares(*self._problem(), half_width, nearest=ROUGHLY)

    def values(self, members: Tensor) -> Tensor:
        """(L, N) minus the sum of squares at parameters (N, d), up to a number for each run."""
        differences = members @ self._own.feature_diff.T
        return -finite_least_squares(self.pairs, self.label_sum, differences, self._signal)

    def _problem(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        return self.theta, self.pairs, self.label_sum, self._own.feature_diff, self._signal

    def _fit(self) -> None:
        self.theta = self._chosen.best(self, self._own)
