"""The linear reward class of Algorithm 2: closed-form uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from repro.p1.pokl.least_squares import linear_least_squares
from repro.worlds.instances.linear import LinearWorld, with_leading_features
from repro.worlds.policies.covering import log_covering_ball
from repro.worlds.policies.gibbs import sum_last

if TYPE_CHECKING:
    from repro.p1.pokl.runs import Runs


@dataclass(frozen=True, eq=False)
class LinearClass:
    """{⟨φ, θ⟩ : ‖θ‖ ≤ radius} over a world's features.

    Differences of two members range over the ball of radius D = 2·radius.  The ratio of
    Definition 3.5 grows with the size of a difference, so its supremum is on that sphere,
    where λ = (λ/D²)·‖θ‖²: U² = φ̃ᵀ(V + λ/D²·I)⁻¹φ̃ exactly, φ̃ centred under π¹.
    """

    world: LinearWorld

    def log_size(self, net_radius: float) -> float:
        """log N of a net of the ball of parameters."""
        return log_covering_ball(self.world.features.shape[-1], self.world.radius, net_radius)

    def learner(self, runs: Runs) -> LinearLearner:
        """A learner without data for every run."""
        return LinearLearner(self.world, runs)


@dataclass(frozen=True)
class LeadingFeatures:
    """Makes the linear class over a world's first features, the others at 0."""

    count: int

    def __call__(self, world: LinearWorld) -> LinearClass:
        return LinearClass(with_leading_features(world, self.count))


class LinearLearner:
    """Data, estimate and uncertainty of L runs."""

    def __init__(self, world: LinearWorld, runs: Runs) -> None:
        cells, features = world.feature_diff.shape
        options = {"dtype": torch.float64, "device": world.features.device}
        self._world, self._signal = world, runs.believed_signal
        self._flat = world.features.flatten(0, 1)
        self._outer = (world.feature_diff[:, :, None] * world.feature_diff[:, None]).flatten(1)
        every = torch.eye(world.features.shape[1], **options)
        self._is_first, self._is_second = (every[at] for at in world.cells)
        self.pairs = torch.zeros(len(runs), cells, **options)
        self.label_sum = torch.zeros(len(runs), cells, **options)
        self.theta = torch.zeros(len(runs), features, **options)
        scaled = runs.ridge / (2 * world.radius) ** 2
        eye = torch.eye(features, **options)
        self._precision = scaled[:, None, None] * eye
        self._inverse: Tensor | None = eye / scaled[:, None, None]

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """Add a block of privatised labels, (L, C) counts and sums."""
        self.pairs = self.pairs + pairs
        self.label_sum = self.label_sum + label_sum
        size = self.theta.shape[1]
        self._precision = self._precision + (pairs @ self._outer).reshape(-1, size, size)
        self._inverse = None
        self._fit()

    def reward(self) -> Tensor:
        """(L, S, A) least-squares reward r̄."""
        return (self.theta @ self._flat.T).reshape(-1, *self._world.reference.shape)

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) U of Definition 3.5 for a policy π¹ (L, S, A)."""
        # of the squared distances of a centre's points: Σ_b π_b·D_ab − ½·Σ_bc π_b·π_c·D_bc
        first, second = self._world.cells
        distance = (self._inverted().flatten(1) @ self._outer.T).reshape(*policy.shape[:2], -1)
        to_first = (distance * policy.index_select(2, second)) @ self._is_first
        to_second = (distance * policy.index_select(2, first)) @ self._is_second
        mean = to_first.add_(to_second)
        squared = mean - sum_last(policy * mean).unsqueeze(-1) / 2
        return squared.clamp_(min=0).sqrt_()

    def _inverted(self) -> Tensor:
        inverse = self._inverse
        if inverse is None:
            inverse = self._inverse = torch.linalg.inv_ex(self._precision)[0]
        return inverse

    def _fit(self) -> None:
        world = self._world
        self.theta = linear_least_squares(
            self.theta, self.pairs, self.label_sum, world.feature_diff, self._signal, world.radius
        )
