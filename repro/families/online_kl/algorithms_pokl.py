"""Algorithm 2 of P1 (POKL-RLHF): its policies, its regret, and a simulator of it.

``blocked_rounds`` freezes the policies on a grid of times and draws each block's labels
as one multinomial and one binomial, exact given the policies; horizons of 1e10 cost a few
hundred blocks.  Freezing makes policies older by up to the grid's ratio q, which raises the
regret of a run by about ln(q)/2 of its share per unit of log T (its tests measure it, against
one pair a round and new policies every round).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor

from repro.corruption.label_mean import drawn_mean
from repro.families.online_kl.run_batch import RunBatch
from repro.instances.linear import LinearWorld
from repro.policies.gibbs import gibbs_policy, gibbs_suboptimality
from repro.preferences.block_draws import Draws
from repro.preferences.label_law import Estimate, LabelLaw, as_fitted, bradley_terry


class Learner(Protocol):
    """Data, estimate and uncertainty of L runs over one reward class."""

    pairs: Tensor

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """Add a block: (L, C) pairs per cell and the sum of their privatised labels ±1."""
        ...

    def reward(self) -> Tensor:
        """(L, S, A) least-squares reward (step 8)."""
        ...

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) U of Definition 3.5 given π¹ (L, S, A)."""
        ...


class RewardClass(Protocol):
    """A class of rewards: linear (``LinearClass``) or finite (``FiniteClass``)."""

    def log_size(self, net_radius: float) -> float:
        """log N of the class, or of a net of it."""
        ...

    def learner(self, batch: RunBatch) -> Learner:
        """A learner without data."""
        ...


@dataclass(frozen=True, eq=False)
class Round:
    """The policies after ``time`` labels, played for the next ``rounds`` rounds.

    Attributes:
        time: labels seen.
        rounds: rounds played with these policies; 0 at the horizon.
        reward: (L, S, A) r̄.
        bonus: (L, S, A) b of eq. (13).
        exploit: (L, S, A) π¹.
        explore: (L, S, A) π².
        regret: (L,) J(π*) − J(π²).
        pairs: (L, C) labels seen in each cell.
    """

    time: int
    rounds: int
    reward: Tensor
    bonus: Tensor
    exploit: Tensor
    explore: Tensor
    regret: Tensor
    pairs: Tensor


@dataclass(frozen=True, eq=False)
class Game:
    """A world, a class and the settings of L runs.

    Attributes:
        world: the truth.
        rewards: the class that is fitted.
        batch: the settings.
        labels: what labels are drawn from.
        bonus: multiple of the bonus: 1 as printed, 0 none, −1 reversed.
        estimate: (fitted, true) rewards → what least squares returns.
        theta: (L, d) true parameters, where the runs differ in them; the world's unless given.
    """

    world: LinearWorld
    rewards: RewardClass
    batch: RunBatch
    labels: LabelLaw = bradley_terry
    bonus: float = 1.0
    estimate: Estimate = as_fitted
    theta: Tensor | None = None

    @cached_property
    def reward(self) -> Tensor:
        """(S, A) true reward, or (L, S, A) where the runs differ in it."""
        if self.theta is None:
            return self.world.reward
        return torch.einsum("sad,ld->lsa", self.world.features, self.theta)

    @cached_property
    def reward_diff(self) -> Tensor:
        """(C,) true reward difference of each cell, or (L, C)."""
        if self.theta is None:
            return self.world.reward_diff
        return self.theta @ self.world.feature_diff.T

    def cell_prob(self, current: Round) -> Tensor:
        """(L, C) probability of each unordered pair when a¹ ~ π¹ and a² ~ π²."""
        first, second = self.world.cells
        one, two = current.exploit, current.explore
        prob = one[:, :, first] * two[:, :, second] + one[:, :, second] * two[:, :, first]
        return (self.world.state_prob[:, None] * prob).flatten(1)

    def win_prob(self) -> Tensor:
        """(L, C) P(z = +1) in each cell (P1, Lemma C.1; with corruption P2, Definition 2.4)."""
        mean = drawn_mean(torch.tanh(self.reward_diff / 2), self.labels)
        scale, offset = self.batch.label_scale[:, None], self.batch.label_offset[:, None]
        fair = 1 + scale * mean - offset * self.reward_diff.sign()
        return (fair + self.batch.label_shift[:, None]) / 2

    @cached_property
    def optimal(self) -> Tensor:
        """(L, S, A) π* of every run."""
        weight = self.batch.kl_weight[:, None, None]
        return gibbs_policy(self.world.reference, self.reward, weight)

    def policies(self, learner: Learner, time: int, rounds: int) -> Round:
        """Steps 8 to 10 after ``time`` labels; both policies are the reference at first."""
        world, batch = self.world, self.batch
        weight, played = batch.kl_weight[:, None, None], batch.played_kl_weight[:, None, None]
        shape = (len(batch), *world.reference.shape)
        if time == 0:
            reward = bonus = torch.zeros(shape, dtype=weight.dtype, device=weight.device)
            exploit = explore = world.reference.expand(shape)
        else:
            reward = self.estimate(learner.reward(), self.reward)
            exploit = gibbs_policy(world.reference, reward, played)
            bonus = batch.bonus_weight[:, None, None] * learner.uncertainty(exploit)
            bonus = self.bonus * torch.minimum(bonus, batch.bonus_cap[:, None, None])
            explore = gibbs_policy(world.reference, reward + bonus, played)
        excess = (reward + bonus) / played - self.reward / weight
        regret = gibbs_suboptimality(self.optimal, excess, world.state_prob, batch.kl_weight)
        return Round(time, rounds, reward, bonus, exploit, explore, regret, learner.pairs)


def blocked_rounds(game: Game, times: Sequence[int], draws: Draws) -> Iterator[Round]:
    """Simulate with policies frozen between the given times.

    Args:
        game: what is played.
        times: 0 and then increasing numbers of labels; the last is the horizon.
        draws: source of randomness, on the world's device.

    Yields:
        The policies at each of the times.
    """
    learner, win_prob = game.rewards.learner(game.batch), game.win_prob()
    for time, later in pairwise(times):
        current = game.policies(learner, time, later - time)
        yield current
        pairs = draws.counts(current.rounds, game.cell_prob(current))
        wins = draws.binomial(pairs, win_prob)
        learner.observe(pairs, 2 * wins - pairs)
    yield game.policies(learner, times[-1], 0)
