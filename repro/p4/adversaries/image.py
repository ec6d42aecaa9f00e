"""An adversary behind a randomizer who plays the strong one in front of it, on counts.

It turns (1−τ)·c(ε)·αn labels in its mind, as the strong adversary would, and replaces the reports
of those labels through a coupling: αn of them suffice but for a small chance
(docs/explanations/sharper_floor.md, Theorem 6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.labels.corruption.coupling import Kernel, maximal
from repro.labels.corruption.debiasing import Reading
from repro.labels.corruption.orders import Channel, Corrupt, Order, Randomize, binomial
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.strong import AttackTarget, StrongAdversary


@dataclass(frozen=True)
class Image:
    """Who corrupts labels so, in the place of an ``Adversary``.

    Attributes:
        slack: τ in (0, 1), so that the budget is rarely used up.
        cost: whether it turns c(ε) times as many labels as it may replace reports.
        kernel: how a report is replaced.
        acts: labels are corrupted.
    """

    slack: float
    cost: bool = True
    kernel: Kernel = maximal
    acts: bool = True

    def channel(
        self, order: Order, randomize: Randomize, corruption: float, n_pairs: int,
        target: AttackTarget,
    ) -> Channel:  # fmt: skip
        """What stands between true labels and the estimator; with n = 0 exact expectations.

        In front of the randomizer it is the strong adversary of α itself.
        """
        labels = n_pairs or 1
        if order is not Order.LTC:
            share = math.floor(corruption * labels) if n_pairs else corruption
            return Channel((Corrupt(StrongAdversary(share, target)), randomize))
        worth = 1 / (randomize.win_given_win - randomize.win_given_loss) if self.cost else 1.0
        turned, replaced = (
            math.floor(share * labels) if n_pairs else share
            for share in (min(1.0, (1 - self.slack) * worth * corruption), corruption)
        )
        return Channel((_Replaced(randomize, turned, replaced, self.kernel, target),))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Replaced:
    """Randomizer and adversary in one stage, for it looks at labels and reports.

    Attributes:
        randomize: the randomizer.
        turned: labels that are turned in its mind at most, or a share of them.
        budget: reports that it replaces at most, likewise.
        kernel: how.
        target: the estimator under attack.
    """

    randomize: Randomize
    turned: float
    budget: float
    kernel: Kernel
    target: AttackTarget

    def reading_before(self, reading: Reading) -> Reading:
        """How labels in front of this stage are read on average."""
        return self.randomize.reading_before(reading)

    def apply(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """Reports of all labels, some replaced; cells in turn, while the budget lasts."""
        in_front = StrongAdversary(self.turned, self.target)
        moved = in_front(rng, counts, self.reading_before(reading)).wins - counts.wins
        up, down = moved.clamp(min=0), (-moved).clamp(min=0)
        left = LabelCounts(counts.pairs - up - down, counts.wins - down)
        wins = self.randomize.apply(rng, left, reading).wins
        laws = [
            np.array([1 - win, win])
            for win in (self.randomize.win_given_loss, self.randomize.win_given_win)
        ]
        spent = torch.zeros_like(wins[:, :1])
        for labels, sent, wanted in ((up, *laws), (down, *laws[::-1])):
            arrived, spent = self._turned(rng, labels, sent, self.kernel(sent, wanted), spent)
            wins = wins + arrived
        return LabelCounts(counts.pairs, wins)

    def _turned(
        self, rng: np.random.Generator | None, labels: Tensor, sent: np.ndarray,
        kernel: np.ndarray, spent: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """(R, C) wins that arrive of these labels' reports, and what is spent.

        Args:
            labels: that are turned.
            sent: (2,) law of their reports.
            kernel: (2, 2) what becomes of a loss and of a win.
            spent: (R, 1) reports replaced so far.
        """
        reported = binomial(rng, labels, float(sent[1]))
        lost = binomial(rng, reported, float(kernel[1, 0]))
        won = binomial(rng, labels - reported, float(kernel[0, 1]))
        allowed = []
        for replaced in (lost, won):
            before = spent + replaced.cumsum(dim=1) - replaced
            allowed.append((self.budget - before).clamp(min=0).minimum(replaced))
            spent = spent + replaced.sum(dim=1, keepdim=True)
        return reported - allowed[0] + allowed[1], spent
