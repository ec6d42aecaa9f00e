"""Orders of privacy and corruption: CTL, LTC and CLC as composed stages (P4, Definition 3.4).

A channel is a row of stages; ``a >> b`` sends labels through a, then b.  A stage is a randomizer
or a corruption model, and any of the one composes with any of the other:

    CTL = Corrupt(model) >> Randomize.response(epsilon)
    LTC = Randomize.response(epsilon) >> Corrupt(model)
    CLC = CTL >> Corrupt(model)

A corruption is told how the labels that leave it will be read in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.notation import flip_prob, keep_prob
from repro.base.torch_later import Tensor, torch
from repro.labels.corruption.debiasing import Reading
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_law import Channel as LabelChannel
from repro.labels.preferences.label_law import randomized_response, released

Corruption = Callable[[np.random.Generator | None, LabelCounts, Reading], LabelCounts]
"""(stream, labels, how they will be read) → labels; without a stream, exact expectations."""


class Order(StrEnum):
    """Which of corruption and local privacy comes first."""

    CTL = "CTL"
    LTC = "LTC"
    CLC = "CLC"

    @property
    def swapped(self) -> Order:
        """CTL for LTC and LTC for CTL; CLC is its own.

        >>> Order.LTC.swapped
        <Order.CTL: 'CTL'>
        """
        return {Order.CTL: Order.LTC, Order.LTC: Order.CTL}.get(self, self)


def order_of(name: str, key: str = "order") -> Order:
    """The order of that name, in any case; a refusal names ``key``.

    Raises:
        BadInput: there is none.

    >>> order_of("ltc")
    <Order.LTC: 'LTC'>
    """
    try:
        return Order(name.upper())
    except ValueError:
        hint = nearest(name.upper(), list(Order))
        raise BadInput(key, name, f"{hint}allowed: CTL, LTC, CLC") from None


@dataclass(frozen=True)
class Randomize:
    """A binary randomizer, label by label and independently.

    Attributes:
        win_given_win: probability that a +1 is reported as +1.
        win_given_loss: probability that a −1 is reported as +1, below ``win_given_win``.
    """

    win_given_win: float
    win_given_loss: float

    @classmethod
    def response(cls, epsilon: float) -> Randomize:
        """Randomized response at ``epsilon`` in (0, inf] (P4, Remark 3.2)."""
        return cls(keep_prob(epsilon), flip_prob(epsilon))

    @classmethod
    def of(cls, law: LabelChannel, epsilon: float) -> Randomize:
        """What a channel of label laws does to each of the two labels at ``epsilon``."""
        # flip + signal·1 can miss keep_prob by the last bit, so the printed one is taken exactly
        if law is randomized_response:
            return cls.response(epsilon)
        return cls(*released(law, np.array([1.0, 0.0]), epsilon).tolist())

    def apply(self, rng, counts: LabelCounts, reading: Reading) -> LabelCounts:
        """Two binomials a cell, whatever n."""
        losses = counts.pairs - counts.wins
        wins = binomial(rng, counts.wins, self.win_given_win)
        return LabelCounts(counts.pairs, wins + binomial(rng, losses, self.win_given_loss))

    def reading_before(self, reading: Reading) -> Reading:
        """How labels in front of this stage are read on average."""
        return reading.before(self.win_given_win, self.win_given_loss)


@dataclass(frozen=True)
class Corrupt:
    """A corruption model as a stage."""

    model: Corruption

    def apply(self, rng, counts: LabelCounts, reading: Reading) -> LabelCounts:
        """Corrupt, knowing how the result will be read."""
        return self.model(rng, counts, reading)

    def reading_before(self, reading: Reading) -> Reading:
        """Corruption leaves most labels, and their reading, alone."""
        return reading


Stage = Randomize | Corrupt


@dataclass(frozen=True)
class Channel:
    """Stages in the order in which labels pass them."""

    stages: tuple[Stage, ...] = ()

    def __rshift__(self, other: Channel | Stage) -> Channel:
        more = other.stages if isinstance(other, Channel) else (other,)
        return Channel((*self.stages, *more))

    def apply(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """Send labels through all stages.

        Args:
            rng: simulation stream; None for exact expectations instead of draws.
            counts: (R, C) true labels.
            reading: how the estimator reads what leaves the last stage.
        """
        readings = [reading]
        for stage in self.stages[:0:-1]:
            readings.append(stage.reading_before(readings[-1]))
        for stage, seen in zip(self.stages, readings[::-1], strict=False):
            counts = stage.apply(rng, counts, seen)
        return counts


def channel(order: Order, randomize: Randomize, *corruptions: Corruption) -> Channel:
    """CTL, LTC or CLC of a randomizer and one corruption, or for CLC two in turn.

    Raises:
        BadInput: a number of corruptions that the order has no place for.
    """
    places = 2 if order is Order.CLC else 1
    if len(corruptions) not in {1, places}:
        raise BadInput("corruption", len(corruptions), f"allowed: at most {places} for {order}")
    first, last = Corrupt(corruptions[0]), Corrupt(corruptions[-1])
    match order:
        case Order.CTL:
            return Channel((first, randomize))
        case Order.LTC:
            return Channel((randomize, first))
        case Order.CLC:
            return Channel((first, randomize, last))


def binomial(rng: np.random.Generator | None, trials: Tensor, prob: Tensor | float) -> Tensor:
    """Binomial draws on float64 counts, or their means where there is no stream."""
    if rng is None:
        return trials * prob
    chance = prob.cpu().numpy() if isinstance(prob, Tensor) else prob
    drawn = rng.binomial(trials.cpu().numpy().astype(np.int64), chance)
    return torch.from_numpy(drawn.astype(np.float64)).to(trials.device)
