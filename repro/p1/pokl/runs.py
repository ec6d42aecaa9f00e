"""Many runs of Algorithm 2 side by side, one batch entry a run: its policies and its regret.

Policies are frozen on a grid of times and the labels of each block drawn as one multinomial and one
binomial, exact given the policies; horizons of 1e10 cost a few hundred blocks.  Freezing makes
policies older by up to the grid's ratio q, which raises the regret of a run by about ln(q)/2 of
its share per unit of log T (its tests measure it, against one pair a round and new policies every
round).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import torch
from torch import Tensor

from repro.base.notation import label_signal
from repro.labels.corruption.label_mean import drawn_mean
from repro.labels.preferences.block_draws import Draws
from repro.p1.pokl.learning import RunLearner
from repro.p1.pokl.run import OnlineRun
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.gibbs import gibbs_policies, gibbs_policy, gibbs_suboptimality


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
class Runs:
    """R runs of each of some worlds that differ in numbers alone: L = len(worlds)·R.

    Attributes:
        worlds: as their learners are told; runs of one world lie side by side.
        replicates: R.
    """

    worlds: Sequence[OnlineRun]
    replicates: int

    def __len__(self) -> int:
        return len(self.worlds) * self.replicates

    def column(self, of: Callable[[OnlineRun], float]) -> Tensor:
        """(L,) a number of each world, R times."""
        values, device = [of(world) for world in self.worlds], self.linear.features.device
        one_each = torch.tensor(values, dtype=torch.float64, device=device)
        return one_each.repeat_interleave(self.replicates)

    @cached_property
    def linear(self) -> LinearWorld:
        """States, responses and features, which all runs share."""
        return self.worlds[0].linear

    # Numbers of the runs -----------------------------------------------------------------------

    @cached_property
    def believed_signal(self) -> Tensor:
        """(L,) 2α−1 that the estimate assumes."""
        return self.column(lambda world: label_signal(world.believed_epsilon or world.epsilon))

    @cached_property
    def ridge(self) -> Tensor:
        """(L,) λ."""
        return self.column(lambda world: world.ridge)

    @cached_property
    def bonus_weight(self) -> Tensor:
        """(L,) Γ_T."""
        return self.column(lambda world: world.bonus_weight)

    @cached_property
    def bonus_cap(self) -> Tensor:
        """(L,) largest bonus."""
        return self.column(lambda world: world.bonus_cap)

    @cached_property
    def kl_weight(self) -> Tensor:
        """(L,) weight of KL in the objective."""
        return self.column(lambda world: world.linear.kl_weight)

    @cached_property
    def played_kl_weight(self) -> Tensor:
        """(L,) the weight that policies are computed with."""
        return self.column(lambda world: world.played_kl_weight or world.linear.kl_weight)

    # Truths: one for all runs, or one each -----------------------------------------------------

    @cached_property
    def _theta(self) -> Tensor | None:
        """(L, d) true parameters where the runs differ in them."""
        own = [world.linear.theta for world in self.worlds]
        if all(torch.equal(theta, own[0]) for theta in own):
            return None
        return torch.stack(own).repeat_interleave(self.replicates, dim=0)

    @cached_property
    def reward(self) -> Tensor:
        """(S, A) true reward, or (L, S, A) where the runs differ in it."""
        if self._theta is None:
            return self.linear.reward
        return torch.einsum("sad,ld->lsa", self.linear.features, self._theta)

    @cached_property
    def reward_diff(self) -> Tensor:
        """(C,) true reward difference of each cell, or (L, C)."""
        if self._theta is None:
            return self.linear.reward_diff
        return self._theta @ self.linear.feature_diff.T

    @cached_property
    def optimal(self) -> Tensor:
        """(L, S, A) π* of every run."""
        weight = self.kl_weight[:, None, None]
        return gibbs_policy(self.linear.reference, self.reward, weight)

    @cached_property
    def _log_reference(self) -> Tensor:
        """(S, A) log π_ref."""
        return self.linear.reference.log()

    # Labels ------------------------------------------------------------------------------------

    @cached_property
    def label_scale(self) -> Tensor:
        """(L,) E[z] = label_scale·h − label_offset·s + label_shift, h the mean of a clean label and
        s the sign of its reward difference; 2α−1 under randomized response alone.
        """
        return self.column(lambda world: world.label_mean.scale)

    def win_prob(self) -> Tensor:
        """(L, C) P(z = +1) in each cell (P1, Lemma C.1; with corruption P2, Definition 2.4)."""
        mean = drawn_mean(torch.tanh(self.reward_diff / 2), self.worlds[0].labels)
        offset = self.column(lambda world: world.label_mean.offset)[:, None]
        shift = self.column(lambda world: world.label_mean.shift)[:, None]
        fair = 1 + self.label_scale[:, None] * mean - offset * self.reward_diff.sign()
        return (fair + shift) / 2

    def cell_prob(self, now: Round) -> Tensor:
        """(L, C) probability of each unordered pair when a¹ ~ π¹ and a² ~ π²."""
        first, second = self.linear.cells
        first_prob, other = (now.exploit.index_select(2, at) for at in (first, second))
        if now.explore is now.exploit:
            prob = 2 * first_prob * other
        else:
            two, another = (now.explore.index_select(2, at) for at in (second, first))
            prob = first_prob * two + other * another
        return (self.linear.state_prob[:, None] * prob).flatten(1)

    # Algorithm 2 -------------------------------------------------------------------------------

    def learner(self) -> RunLearner:
        """A learner without data, of the class that the runs fit."""
        return self.worlds[0].fitted(self.linear).learner(self)

    def policies(self, learner: RunLearner, time: int, rounds: int) -> Round:
        """Steps 8 to 10 after ``time`` labels; both policies are the reference at first."""
        linear, first = self.linear, self.worlds[0]
        weight, played = self.kl_weight[:, None, None], self.played_kl_weight[:, None, None]
        shape = (len(self), *linear.reference.shape)
        if time == 0:
            reward = bonus = torch.zeros(shape, dtype=weight.dtype, device=weight.device)
            exploit = explore = linear.reference.expand(shape)
        else:
            reward = first.estimate(learner.reward(), self.reward)
            exploit = gibbs_policies(self._log_reference, reward / played)
            bonus, explore = torch.zeros_like(reward), exploit
            if self.bonus_weight.any():
                bonus = self.bonus_weight[:, None, None] * learner.uncertainty(exploit)
                bonus = first.optimism * torch.minimum(bonus, self.bonus_cap[:, None, None])
                explore = gibbs_policies(self._log_reference, (reward + bonus) / played)
        excess = (reward + bonus) / played - self.reward / weight
        regret = gibbs_suboptimality(self.optimal, excess, linear.state_prob, self.kl_weight)
        return Round(time, rounds, reward, bonus, exploit, explore, regret, learner.pairs)

    def rounds(self, times: Sequence[int], draws: Draws) -> Iterator[Round]:
        """Simulate with policies frozen between the given times.

        Args:
            times: 0 and then increasing numbers of labels; the last is the horizon.
            draws: source of randomness, on the instance's device.

        Yields:
            The policies at each of the times.
        """
        learner, win_prob = self.learner(), self.win_prob()
        for time, later in pairwise(times):
            now = self.policies(learner, time, later - time)
            yield now
            pairs = draws.counts(now.rounds, self.cell_prob(now))
            wins = draws.binomial(pairs, win_prob)
            learner.observe(pairs, 2 * wins - pairs)
        yield self.policies(learner, times[-1], 0)
