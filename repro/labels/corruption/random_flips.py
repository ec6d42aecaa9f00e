"""Corruption that is not adversarial: uniform flips, and the mask process of P4's Appendix D.

Neither separates CTL from LTC; both are controls, never "the adversary".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob
from repro.labels.corruption.budget import checked_corruption
from repro.labels.corruption.debiasing import Reading
from repro.labels.corruption.orders import Order, Randomize, binomial
from repro.labels.preferences.label_counts import LabelCounts


@dataclass(frozen=True)
class UniformFlips:
    """Each label is flipped with probability ``corruption``, whatever it says."""

    corruption: float

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)

    def __call__(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """Flip labels at random; ``reading`` is not looked at."""
        losses = counts.pairs - counts.wins
        lost = binomial(rng, counts.wins, self.corruption)
        won = binomial(rng, losses, self.corruption)
        return LabelCounts(counts.pairs, counts.wins - lost + won)


def mask_flip_rate(order: Order, epsilon: float, corruption: float) -> float:
    """P(mask = 1) of P4's Appendix D: how often a label ends up against the true one.

    Privacy flips the mask with probability p = 1/(e^ε+1), corruption *sets* it to 1 with
    probability α, so CTL gives p + α(1 − 2p) and LTC gives p + α(1 − p).

    >>> round(mask_flip_rate(Order.LTC, 0.1, 0.1), 4)
    0.5275
    """
    return _mask_rate(order, flip_prob(epsilon), checked_corruption(corruption))


def mask_process(order: Order, epsilon: float, corruption: float) -> Randomize:
    """The whole of Appendix D's process, privacy and corruption, as one symmetric channel."""
    return masked(order, Randomize.response(epsilon), corruption)


def masked(order: Order, randomize: Randomize, corruption: float) -> Randomize:
    """Appendix D's process with any symmetric randomizer in the place of randomized response."""
    rate = _mask_rate(order, randomize.win_given_loss, checked_corruption(corruption))
    return Randomize(1 - rate, rate)


def _mask_rate(order: Order, flip: float, share: float) -> float:
    before = flip if order is Order.LTC else flip + share * (1 - 2 * flip)
    return before if order is Order.CTL else before + share * (1 - before)
