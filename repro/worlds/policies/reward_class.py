"""The class F of linear rewards that a maximum-likelihood estimate is taken over.

P1 states its results for any class with a covering number N_F(τ).  What a class decides: where the
estimate may lie, log N_F(τ) and the largest reward difference B, of which the bonus is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from repro.base.torch_later import Tensor, torch
from repro.worlds.policies.covering import log_covering_ball, log_covering_box

ROUNDING = 1e-12
AT_ONCE = 500
"""Members of a finite class that are compared in one go: thousands of states fill the memory."""


class Fits(Protocol):
    """A likelihood that can be maximised over sets of parameters."""

    def in_ball(self, radius: float) -> Tensor:
        """(R, d) maximiser over ‖θ‖ ≤ radius."""
        ...

    def in_box(self, half_width: float) -> Tensor:
        """(R, d) maximiser over max|θ_i| ≤ half_width."""
        ...

    def values(self, members: Tensor) -> Tensor:
        """(R, N) log-likelihood of parameters (N, d), up to a number for each dataset."""
        ...


class LinearRewards(Protocol):
    """What a class reads of a world with linear rewards."""

    @property
    def theta(self) -> Tensor:
        """(d,) of the truth."""
        ...

    @property
    def radius(self) -> float:
        """Of the world's ball, the unit of every class."""
        ...

    @property
    def reward_bound(self) -> float:
        """B of the ball."""
        ...

    @property
    def features(self) -> Tensor:
        """(S, A, d) of the responses."""
        ...


Forms = Callable[[Tensor], Tensor]
"""Parameters (N, d) → (R, N) a number of each of R datasets."""


class RewardClass(Protocol):
    """A class of linear rewards around a world's truth."""

    def best(self, fits: Fits, world: LinearRewards) -> Tensor:
        """(R, d) most likely parameters of the class."""
        ...

    def log_covering(self, world: LinearRewards, net_radius: float) -> float:
        """log N_F(τ) for features of norm at most 1."""
        ...

    def reward_bound(self, world: LinearRewards) -> float:
        """B, the largest reward difference of a pair within the class."""
        ...

    def contains(self, theta: Tensor, world: LinearRewards) -> bool:
        """Whether (d,) parameters are of the class."""
        ...

    def surrounds(self, theta: Tensor, world: LinearRewards) -> bool:
        """Whether a neighbourhood is, without which no estimate is normal in the limit."""
        ...

    def outer_radius(self, world: LinearRewards) -> float:
        """Radius of a ball around the origin that holds the class."""
        ...

    def several(self, forms: Forms, level: Tensor, world: LinearRewards) -> Tensor:
        """(R,) whether at least two members have a form of at most ``level`` (R,).

        The estimate has 0, so a class without isolated members always does.
        """
        ...


@dataclass(frozen=True)
class Ball:
    """{‖θ‖ ≤ radius}, the class of the linear worlds."""

    def best(self, fits: Fits, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``."""
        return fits.in_ball(world.radius)

    def log_covering(self, world: LinearRewards, net_radius: float) -> float:
        """As in ``RewardClass``."""
        return log_covering_ball(world.theta.shape[-1], world.radius, net_radius)

    def reward_bound(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        return world.reward_bound

    def contains(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``."""
        return float(theta.norm()) <= world.radius * (1 + ROUNDING)

    def surrounds(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``."""
        return float(theta.norm()) < world.radius

    def outer_radius(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        return world.radius

    def several(self, forms: Forms, level: Tensor, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``: always."""
        return torch.ones_like(level, dtype=torch.bool)


@dataclass(frozen=True)
class Box:
    """{max|θ_i| ≤ half_width·radius}; at 1 the smallest box around the ball.

    Attributes:
        half_width: over the world's radius, > 0.
    """

    half_width: float = 1.0

    def best(self, fits: Fits, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``."""
        return fits.in_box(self._size(world))

    def log_covering(self, world: LinearRewards, net_radius: float) -> float:
        """As in ``RewardClass``."""
        return log_covering_box(world.theta.shape[-1], self._size(world), net_radius)

    def reward_bound(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        features = world.features
        # a box's largest ⟨x, θ⟩ is its half-width times the sum of |x_i|
        pairs = (features[:, :, None] - features[:, None]).abs().sum(-1)
        return self._size(world) * float(pairs.max())

    def contains(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``."""
        return float(theta.abs().max()) <= self._size(world) * (1 + ROUNDING)

    def surrounds(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``."""
        return float(theta.abs().max()) < self._size(world)

    def outer_radius(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        return self._size(world) * math.sqrt(world.theta.shape[-1])

    def several(self, forms: Forms, level: Tensor, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``: always."""
        return torch.ones_like(level, dtype=torch.bool)

    def _size(self, world: LinearRewards) -> float:
        return self.half_width * world.radius


@dataclass(frozen=True)
class FiniteClass:
    """The truth and parameters that are uniform in the world's ball.

    Attributes:
        size: |F| ≥ 2, with the truth.
        seed: of the other members, not of the run.
    """

    size: int
    seed: int = 0

    def best(self, fits: Fits, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``."""
        members = self.members(world)
        values = torch.cat([fits.values(some) for some in members.split(AT_ONCE)], dim=-1)
        return members[values.argmax(dim=-1)]

    def log_covering(self, world: LinearRewards, net_radius: float) -> float:
        """As in ``RewardClass``: log |F| at every τ."""
        return math.log(self.size)

    def reward_bound(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        rewards = (world.features @ some.T for some in self.members(world).split(AT_ONCE))
        return max(float((reward.amax(dim=1) - reward.amin(dim=1)).max()) for reward in rewards)

    def contains(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``."""
        return bool((self.members(world) == theta).all(dim=-1).any())

    def surrounds(self, theta: Tensor, world: LinearRewards) -> bool:
        """As in ``RewardClass``: never."""
        return False

    def outer_radius(self, world: LinearRewards) -> float:
        """As in ``RewardClass``."""
        return float(self.members(world).norm(dim=-1).max())

    def several(self, forms: Forms, level: Tensor, world: LinearRewards) -> Tensor:
        """As in ``RewardClass``."""
        near = (forms(some) <= level[:, None] for some in self.members(world).split(AT_ONCE))
        return sum(member.sum(dim=-1) for member in near) > 1  # type: ignore[return-value]

    def members(self, world: LinearRewards) -> Tensor:
        """(size, d) the members, the truth last."""
        truth = world.theta
        rng = np.random.Generator(np.random.Philox(key=self.seed))
        others, features = self.size - 1, truth.shape[-1]
        direction = rng.standard_normal((others, features))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        length = world.radius * rng.random((others, 1)) ** (1 / features)
        drawn = torch.as_tensor(direction * length, dtype=truth.dtype, device=truth.device)
        return torch.cat([drawn, truth[None]])


BALL = Ball()
"""What is used unless another class is chosen."""
