"""The strong adversary on counts: it sees all labels and sets at most ⌊αn⌋ of them.

P4, Definition 3.3.  Damage is a convex function of the labels to first order, so the worst
flips follow a direction: score the flips of every cell along it, spend the budget greedily,
refit exactly, turn the direction to the damage done, repeat; the worst of all starts is kept.
The cost does not depend on n.  Equal to brute force at small n (see the tests).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from repro.labels.corruption.debiasing import Reading
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.exchange import MAX_CELLS, alone_in_a_cell, exchange

MAX_STARTS = 16
"""Directions tried: the cells whose flips weigh most, both ways."""

REFINEMENTS = 2


@dataclass(frozen=True)
class Response:
    """What P rows of labels lead the target to.

    Attributes:
        error: (P, e) error vector; its norm is the damage.
        leverage: (P, e, k) derivative of the error in the score Σ_c m_c·w_c·x_c.
    """

    error: Tensor
    leverage: Tensor

    @property
    def damage(self) -> Tensor:
        """(P,) norm of the error; a row that could not be fitted counts as harmless."""
        return self.error.norm(dim=-1).nan_to_num(nan=-1.0)


class AttackTarget(Protocol):
    """What the adversary knows of the estimator it attacks."""

    @property
    def features(self) -> Tensor:
        """(C, k) x of each cell."""
        ...

    @property
    def mass(self) -> Tensor:
        """(P, C) share of pairs in each cell."""
        ...

    def respond(self, labels: Tensor) -> Response:
        """Refit to labels (P, C) as read."""
        ...

    def damage(self, labels: Tensor) -> Tensor:
        """(P,) norm of the error after a refit; −1 where there is none."""
        ...

    def repeated(self, times: int) -> AttackTarget:
        """The same target for labels of which every row is repeated ``times`` times."""
        ...


@dataclass(frozen=True)
class StrongAdversary:
    """Sets labels so that the target errs most.

    Attributes:
        budget: ⌊αn⌋ labels, or a share of them where counts are shares.
        target: the estimator under attack.
    """

    budget: float
    target: AttackTarget

    def __call__(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """The worst labels found; nothing is random here."""
        if self.budget == 0:
            return counts
        if counts.wins.shape[1] == 1:
            return LabelCounts(counts.pairs, counts.wins + self._either_way(counts, reading))
        before = self.target.respond(reading(counts))
        starts = _starts(before.leverage, self.target)
        search = _Search(counts, reading, self.budget, self.target, starts.shape[1])
        leverage = before.leverage.repeat_interleave(starts.shape[1], dim=0)
        state = search.spend(starts.flatten(0, 1), leverage)
        for _ in range(REFINEMENTS):
            state = search.turn(*state)
        return LabelCounts(counts.pairs, counts.wins + self._polished(search.worst(*state), search))

    def _either_way(self, counts: LabelCounts, reading: Reading) -> Tensor:
        """One cell: the damage has no maximum inside, so all flips go the one way or the other."""
        alone = alone_in_a_cell(counts.wins, counts.pairs - counts.wins, self.budget)
        both = _Search(counts, reading, self.budget, self.target, alone.shape[1])
        rows = torch.arange(len(alone), device=alone.device)
        hurt = both.damage(alone.flatten(0, 1), 1).unflatten(0, (-1, alone.shape[1]))
        return alone[rows, hurt.argmax(dim=1)]

    def _polished(self, flips: Tensor, search: _Search) -> Tensor:
        """The worst of these flips and of flips in one cell alone, each moved between cells."""
        counts = search.original
        losses = counts.pairs - counts.wins
        if counts.wins.shape[1] > MAX_CELLS:
            return flips
        alone = alone_in_a_cell(counts.wins, losses, self.budget)
        starts = torch.cat([flips[:, None, :], alone], dim=1)
        times = starts.shape[1]
        many = _Search(counts, search.reading, self.budget, self.target, times)
        best = exchange(
            starts.flatten(0, 1),
            many.counts.wins,
            many.counts.pairs - many.counts.wins,
            self.budget,
            many.damage,
            float(self.budget).is_integer(),
        )
        return many.worst(best, many.respond(best))


class _Search:
    """Greedy spending from several starts at once: D starts for each of R datasets."""

    def __init__(self, counts, reading, budget, target, starts) -> None:
        self.original, self.reading, self.budget, self.starts = counts, reading, budget, starts
        pairs, wins = (x.repeat_interleave(starts, dim=0) for x in (counts.pairs, counts.wins))
        self.counts, self.target = LabelCounts(pairs, wins), target.repeated(starts)

    def spend(self, direction: Tensor, leverage: Tensor) -> tuple[Tensor, Response]:
        """Flips (R·D, C), + towards +1, that go furthest along directions, and what they do.

        A flip in cell c moves the score by scale/n·x_c, so the gain of a flip is the same number
        whatever the cell's size.
        """
        along = torch.einsum("pe,pek->pk", direction, leverage)
        gain = along @ self.target.features.T
        room = torch.where(gain > 0, self.counts.pairs - self.counts.wins, self.counts.wins)
        order = gain.abs().argsort(dim=-1, descending=True)
        sorted_room = room.gather(-1, order)
        spent_before = sorted_room.cumsum(-1) - sorted_room
        sorted_spend = (self.budget - spent_before).clamp(min=0).minimum(sorted_room)
        spend = torch.zeros_like(room).scatter(-1, order, sorted_spend)
        flips = spend * gain.sign()
        return flips, self.respond(flips)

    def turn(self, flips: Tensor, response: Response) -> tuple[Tensor, Response]:
        """Spend again along the damage done, with gains at the labels reached; keep the worse."""
        new_flips, new = self.spend(_unit(response.error), response.leverage)
        worse = (new.damage > response.damage)[:, None]
        error = torch.where(worse, new.error, response.error)
        leverage = torch.where(worse[:, None], new.leverage, response.leverage)
        return torch.where(worse, new_flips, flips), Response(error, leverage)

    def damage(self, flips: Tensor, times: int) -> Tensor:
        """(R·D·m,) damage of flips, m for each start."""
        pairs, wins = (
            x.repeat_interleave(times, dim=0) for x in (self.counts.pairs, self.counts.wins)
        )
        labels = self.reading(LabelCounts(pairs, wins + flips))
        return self.target.repeated(times).damage(labels)

    def worst(self, flips: Tensor, response: Response) -> Tensor:
        """(R, C) flips of the start that does most damage."""
        start = response.damage.unflatten(0, (-1, self.starts)).argmax(dim=1)
        rows = torch.arange(len(start), device=start.device)
        return flips.unflatten(0, (-1, self.starts))[rows, start]

    def respond(self, flips: Tensor) -> Response:
        """Exact refit after flips."""
        labels = LabelCounts(self.counts.pairs, self.counts.wins + flips)
        return self.target.respond(self.reading(labels))


def _starts(leverage: Tensor, target: AttackTarget) -> Tensor:
    """(R, D, e) unit directions: the heaviest cells' gains, both ways."""
    gain = leverage @ target.features.T
    weight = gain.norm(dim=1).masked_fill(target.mass == 0, 0.0)
    top = weight.topk(min(MAX_STARTS, weight.shape[-1]), dim=-1).indices
    chosen = gain.gather(2, top[:, None, :].expand(-1, gain.shape[1], -1)).transpose(1, 2)
    return _unit(torch.cat([chosen, -chosen], dim=1))


def _unit(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True).clamp(min=1e-300)
