"""Two responses a state and any reward difference in [−B, B]: Algorithm 2 in closed form.

With one parameter a cell, least squares (P1, step 8) and the private maximum likelihood estimate
are the same number: the difference at which the share of wins is what was seen, cut at ±B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.covering import log_covering_table

if TYPE_CHECKING:
    from repro.p1.pokl.runs import Runs


@dataclass(frozen=True, eq=False)
class TwoResponseTables:
    """All tables on a world of two responses whose differences lie in [−B, B].

    Attributes:
        world: gives states and policies; cell s is the pair of state s.
        level: of the likelihood's own confidence set, Σ(1 − affinity) ≤ level; without it the
            uncertainty is that of Definition 3.5, over all couples of tables.
    """

    world: LinearWorld
    level: float | None = None

    def log_size(self, net_radius: float) -> float:
        """log N of a net of the tables."""
        return log_covering_table(len(self.world.state_prob), self.world.reward_bound, net_radius)

    def learner(self, runs: Runs) -> TableLearner:
        """A learner without data for every run."""
        return TableLearner(self, runs)


@dataclass(frozen=True)
class LikelihoodTables:
    """Makes the tables whose uncertainty is the width of the likelihood's confidence set."""

    level: float

    def __call__(self, world: LinearWorld) -> TwoResponseTables:
        return TwoResponseTables(world, self.level)


class TableLearner:
    """Data, estimate and uncertainty of L runs."""

    def __init__(self, tables: TwoResponseTables, runs: Runs) -> None:
        world = tables.world
        options = {"dtype": torch.float64, "device": world.features.device}
        self._bound, self._level = world.reward_bound, tables.level
        self._signal = runs.believed_signal[:, None]
        self._ridge = runs.ridge[:, None]
        self.pairs = torch.zeros(len(runs), len(world.state_prob), **options)
        self.label_sum = torch.zeros_like(self.pairs)

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """Add a block of privatised labels, (L, S) counts and sums."""
        self.pairs, self.label_sum = self.pairs + pairs, self.label_sum + label_sum

    def difference(self) -> Tensor:
        """(L, S) the estimate of r(s, 1) − r(s, 2); 0 where nothing was seen."""
        seen = self.pairs.clamp(min=1)
        lost, won = (self.pairs - self.label_sum) / 2, (self.pairs + self.label_sum) / 2
        estimate = self._difference_of(lost / seen, won / seen)
        return torch.where(self.pairs > 0, estimate, 0.0)

    def reward(self) -> Tensor:
        """(L, S, 2) the estimate, 0 for the second response."""
        difference = self.difference()
        return torch.stack([difference, torch.zeros_like(difference)], dim=-1)

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, 2) largest |g(a) − E_π¹[g]| over what the data leave open.

        By Definition 3.5 g is in units of the data's own form: the ratio |g|/√(λ + m·g²) grows
        with |g| ≤ 2B, so that it is 1/√(λ/(4B²) + m) at most.
        """
        if self._level is None:
            width = (self._ridge / (2 * self._bound) ** 2 + self.pairs).rsqrt()
        else:
            low, high = self.interval(self._level)
            difference = self.difference()
            width = torch.maximum(high - difference, difference - low)
        return (1 - policy) * width[..., None]

    def interval(self, level: float) -> tuple[Tensor, Tensor]:
        """(L, S) ends of {x : m·(1 − affinity with the estimate) ≤ level} within [−B, B].

        The affinity of two Bernoulli laws is the cosine of the angle between their roots.
        """
        angle = self._lost(self.difference()).clamp(0, 1).sqrt().arcsin()
        turn = (1 - level / self.pairs.clamp(min=1e-300)).clamp(0, 1).arccos()
        ends = [(angle + sign * turn).clamp(0, math.pi / 2).sin().square() for sign in (1, -1)]
        low, high = (self._difference_of(lost, 1 - lost) for lost in ends)
        return low, high

    def _lost(self, difference: Tensor) -> Tensor:
        """P(z = −1) at a difference."""
        return (1 - self._signal) / 2 + self._signal * torch.sigmoid(-difference)

    def _difference_of(self, lost: Tensor, won: Tensor) -> Tensor:
        """The difference at which labels are lost and won with these shares, cut at ±B."""
        flip = (1 - self._signal) / 2
        odds = (won - flip).clamp(min=1e-300).log() - (lost - flip).clamp(min=1e-300).log()
        return odds.clamp(-self._bound, self._bound)
