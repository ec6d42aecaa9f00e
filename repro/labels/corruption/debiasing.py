"""How an estimator reads labels, and what one label is worth to it: an affine map of rates.

Algorithm 1 of P4 reads a cell with K wins among N labels as w = c(ε)·(K/N − flip), the
debiased win rate.  An adversary that acts before the randomizer meets the same reading pulled
back through it, w = K/N: there a flip is worth 1/N, behind the randomizer c(ε)/N.  That factor is
the separation of CTL and LTC.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repro.base.notation import flip_prob, privacy_cost
from repro.base.torch_later import Tensor
from repro.labels.preferences.label_counts import LabelCounts


@dataclass(frozen=True)
class Reading:
    """w = scale·(K/N − shift).

    Attributes:
        scale: what a change of the win rate by 1 does to w; positive.
        shift: win rate that reads as 0.
    """

    scale: float
    shift: float

    def __call__(self, counts: LabelCounts) -> Tensor:
        """(R, C) label read in each cell, 0 where a cell is empty.

        >>> import torch
        >>> both = LabelCounts(torch.tensor([[4.0, 0.0]]), torch.tensor([[3.0, 0.0]]))
        >>> Reading(2.0, 0.25)(both)
        tensor([[1., 0.]])
        """
        empty = counts.pairs == 0
        rate = counts.wins / counts.pairs.masked_fill(empty, 1.0)
        return (self.scale * (rate - self.shift)).masked_fill(empty, 0.0)

    def before(self, win_given_win: float, win_given_loss: float) -> Reading:
        """The reading, on average, of labels that a binary randomizer is still to pass.

        >>> Reading(2.0, 0.25).before(0.75, 0.25)
        Reading(scale=1.0, shift=0.0)
        """
        signal = win_given_win - win_given_loss
        return Reading(self.scale * signal, (self.shift - win_given_loss) / signal)


ReadingOf = Callable[[float], Reading]
"""ε → how an estimator that believes in it reads labels."""


def debiased(epsilon: float) -> Reading:
    """P4's Algorithm 1, line 8: c(ε)·(z + σ(ε) − 1)."""
    return Reading(privacy_cost(epsilon), flip_prob(epsilon))


def no_debias(epsilon: float) -> Reading:
    """Wrong: privatised labels taken as clean."""
    return Reading(1.0, 0.0)


def shift_without_scale(epsilon: float) -> Reading:
    """Wrong: z + σ(ε) − 1 without the factor c(ε)."""
    return Reading(1.0, flip_prob(epsilon))


def cost_squared(epsilon: float) -> Reading:
    """Wrong: c(ε)² in the place of c(ε)."""
    return Reading(privacy_cost(epsilon) ** 2, flip_prob(epsilon))


def biased(epsilon: float) -> Reading:
    """Wrong: a flip probability that is 1 % too high."""
    return Reading(privacy_cost(epsilon), flip_prob(epsilon) + 0.01)
