"""From true label means to means of reports: the law, the randomizer and a Huber adversary.

All in means h = E[y] of ±1 labels, so that a sum over labels is one binomial draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from repro.base.notation import privacy_cost
from repro.labels.corruption.huber_square import reported_mean, worst_bad_mean
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import (
    Channel,
    LabelLaw,
    bradley_terry,
    on_arrays,
    randomized_response,
    released,
)

Adversary = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(true means, means of the labels it may replace) → means of the labels it puts in their place."""


def worst_adversary(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Always reports the label that the truth disfavours."""
    return worst_bad_mean(truth)


def coin_tosser(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Replaces labels by fair coins: the same budget, badly used."""
    return 0.0 * truth


def idle_adversary(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Puts back what it takes."""
    return seen


@dataclass(frozen=True)
class HuberReports:
    """How a report comes about, stage by stage.

    Attributes:
        epsilon: ε of the randomizer, in (0, inf].
        corruption: α in [0, 1/2), the share of labels that the adversary replaces.
        order: of corruption and privacy, CTL or LTC.
        labels: what labels are drawn from.
        channel: who randomizes them.
        adversary: who replaces them.
    """

    epsilon: float
    corruption: float = 0.0
    order: Order = Order.CTL
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    adversary: Adversary = worst_adversary

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def reach(self) -> float:
        """By how much a bad label moves the debiased mean: 1 under CTL, c(ε) under LTC."""
        return 1.0 if self.order is Order.CTL else self.cost

    def mean(self, truth: np.ndarray) -> np.ndarray:
        """E[z] of a report, where E[y] is ``truth`` under the Bradley–Terry law.

        What another law or channel changes is added to the printed formula, so that with
        the printed ones even means near 0 keep all their digits.
        """
        drawn = truth + self._law_moves(truth)
        if self.order is Order.CTL:
            bad = self.adversary(truth, drawn)
            mixed = (1 - self.corruption) * drawn + self.corruption * bad
            return self._formula(drawn, bad) + self._channel_moves(mixed)
        moved = self._channel_moves(drawn)
        bad = self.adversary(truth, drawn / self.cost + moved)
        return self._formula(drawn, bad) + (1 - self.corruption) * moved

    def _formula(self, drawn: np.ndarray, bad: np.ndarray) -> np.ndarray:
        return reported_mean(drawn, self.cost, self.corruption, self.order, bad)

    def _law_moves(self, mean: np.ndarray) -> np.ndarray:
        """By how much the law's mean differs from that of Bradley–Terry; 0 where it is that."""
        prob = (1 + np.asarray(mean)) / 2
        return 2 * (on_arrays(self.labels, prob) - on_arrays(bradley_terry, prob))

    def _channel_moves(self, mean: np.ndarray) -> np.ndarray:
        """By how much the channel's mean differs from that of randomized response, as above."""
        prob, laws = (1 + np.asarray(mean)) / 2, (self.channel, randomized_response)
        reported, printed = (released(law, prob, self.epsilon) for law in laws)
        return 2 * (reported - printed)
