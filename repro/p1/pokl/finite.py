"""A finite reward class of Algorithm 2: losses by counts, pairwise quadratic forms.

Random classes around a truth follow P1's Remark 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from repro.p1.pokl.least_squares import finite_least_squares
from repro.worlds.instances.linear import LinearWorld

if TYPE_CHECKING:
    from repro.p1.pokl.runs import Runs

Losses = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""(pairs, label sums, differences, believed 2α−1) → (L, N), the least for the estimate."""


@dataclass(frozen=True, eq=False)
class FiniteRewards:
    """N rewards on a world's states and responses, the truth among them (Remark 5.1 of P1).

    Attributes:
        world: gives states, policies and the order of cells.
        rewards: (N, S, A).
        losses: what the estimate minimises: the sum of squares as printed, or the private
            likelihood.
    """

    world: LinearWorld
    rewards: Tensor
    losses: Losses = finite_least_squares

    @cached_property
    def differences(self) -> Tensor:
        """(N, C) reward differences per cell of the world."""
        actions = self.rewards.shape[-1]
        first, second = torch.triu_indices(actions, actions, 1, device=self.rewards.device)
        return (self.rewards[:, :, first] - self.rewards[:, :, second]).flatten(1)

    @cached_property
    def couples(self) -> tuple[Tensor, Tensor]:
        """Indices (P,) of the N(N−1)/2 couples of rewards."""
        count = len(self.rewards)
        first, second = torch.triu_indices(count, count, 1, device=self.rewards.device)
        return first, second

    @cached_property
    def couple_gap(self) -> Tensor:
        """(P, S, A) difference of the two rewards of each couple."""
        first, second = self.couples
        return self.rewards[first] - self.rewards[second]

    @cached_property
    def couple_square(self) -> Tensor:
        """(P, C) squared difference of the couple's reward differences."""
        first, second = self.couples
        return (self.differences[first] - self.differences[second]).square()

    def log_size(self, net_radius: float) -> float:
        """log N; a finite class needs no net."""
        return math.log(len(self.rewards))

    def learner(self, runs: Runs) -> FiniteLearner:
        """A learner without data for every run."""
        return FiniteLearner(self, runs)


class FiniteLearner:
    """Data, estimate and uncertainty of L runs; U is taken over the confidence set F_t."""

    def __init__(self, members: FiniteRewards, runs: Runs) -> None:
        options = {"dtype": torch.float64, "device": members.rewards.device}
        shape = (len(runs), members.differences.shape[1])
        self._class, self._runs = members, runs
        self.pairs, self.label_sum = torch.zeros(shape, **options), torch.zeros(shape, **options)
        self._forms = torch.zeros(len(runs), len(members.couples[0]), **options)
        self._best: Tensor | None = None

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """Add a block of privatised labels, (L, C) counts and sums."""
        self.pairs = self.pairs + pairs
        self.label_sum = self.label_sum + label_sum
        self._forms = self._forms + pairs @ self._class.couple_square.T
        self._best = None

    @property
    def best(self) -> Tensor:
        """(L,) index of the least-squares reward."""
        if self._best is None:
            losses = self._class.losses(
                self.pairs, self.label_sum, self._class.differences, self._runs.believed_signal
            )
            self._best = losses.argmin(dim=1)
        return self._best

    def reward(self) -> Tensor:
        """(L, S, A) least-squares reward r̄."""
        return self._class.rewards[self.best]

    def distance(self) -> Tensor:
        """(L, N) Σ (Δ^r − Δ^r̄)² of every reward r: the quadratic form of F_t."""
        gap = self._class.differences[None] - self._class.differences[self.best][:, None]
        return torch.einsum("lc,lnc->ln", self.pairs, gap.square())

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) U of Definition 3.5 over F_t; 0 where F_t holds fewer than two rewards."""
        first, second = self._class.couples
        ridge = self._runs.ridge[:, None]
        inside = self.distance() + ridge <= self._runs.bonus_weight[:, None].square()
        alive = inside[:, first] & inside[:, second]
        result = torch.zeros_like(policy)
        runs = torch.nonzero(alive.any(dim=1))[:, 0]
        for run in runs.split(max(1, 2_000_000 // max(1, self._class.couple_gap.numel()))):
            result[run] = self._supremum(run, alive[run], policy[run], ridge[run])
        return result

    def _supremum(self, run: Tensor, alive: Tensor, policy: Tensor, ridge: Tensor) -> Tensor:
        gap = self._class.couple_gap
        mean = torch.einsum("lsa,psa->lps", policy, gap)
        scale = torch.where(alive, (ridge + self._forms[run]).rsqrt(), 0.0)
        return ((gap - mean[..., None]).abs() * scale[..., None, None]).amax(dim=1)


def random_finite_class(world: LinearWorld, class_size: int, seed: int) -> FiniteRewards:
    """The world's reward and class_size − 1 others ⟨φ, θ⟩, θ uniform on half the class's sphere.

    Args:
        world: whose reward comes first.
        class_size: N ≥ 1.
        seed: of the class, not of the run.
    """
    rng = np.random.Generator(np.random.Philox(key=seed))
    directions = rng.standard_normal((class_size - 1, world.theta.shape[0]))
    directions *= 0.5 * world.radius / np.linalg.norm(directions, axis=1, keepdims=True)
    others = torch.as_tensor(directions, dtype=world.theta.dtype, device=world.theta.device)
    theta = torch.cat([world.theta[None], others])
    rewards = theta @ world.features.flatten(0, 1).T
    return FiniteRewards(world, rewards.reshape(class_size, *world.reference.shape))


@dataclass(frozen=True)
class RandomFinite:
    """Makes ``random_finite_class`` of a world."""

    class_size: int
    seed: int
    losses: Losses = finite_least_squares

    def __call__(self, world: LinearWorld) -> FiniteRewards:
        return replace(random_finite_class(world, self.class_size, self.seed), losses=self.losses)


def two_rewards(world: LinearWorld) -> FiniteRewards:
    """The rewards (B, 0) and (0, B) of one state and two responses (``worlds.two_rewards_world``).

    Until the labels tell them apart, least squares may pick the wrong one; then r* − r̄ − c
    reaches nearly 2B on the response that the policy has given up (P1, Lemma C.4).
    """
    bound = world.reward_bound
    options = {"dtype": torch.float64, "device": world.features.device}
    return FiniteRewards(world, torch.tensor([[[bound, 0.0]], [[0.0, bound]]], **options))
