"""What a class of rewards promises to Algorithm 2, and what its learners promise.

L runs lie side by side along the leading axis of every tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from torch import Tensor

from repro.worlds.instances.linear import LinearWorld

if TYPE_CHECKING:
    from repro.p1.pokl.runs import Runs


class RunLearner(Protocol):
    """Data, estimate and uncertainty of L runs over one reward class."""

    pairs: Tensor

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """Add a block: (L, C) pairs per cell and the sum of their privatised labels ±1."""
        ...

    def reward(self) -> Tensor:
        """(L, S, A) estimated reward (step 8)."""
        ...

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) U of Definition 3.5 given π¹ (L, S, A)."""
        ...


class Rewards(Protocol):
    """A class of rewards on a world: linear, finite, chosen, or tables."""

    def log_size(self, net_radius: float) -> float:
        """log N of the class, or of a net of it."""
        ...

    def learner(self, runs: Runs) -> RunLearner:
        """A learner without data."""
        ...


RewardsOn = Callable[[LinearWorld], Rewards]
"""A kind of reward class, which a world makes one of."""
