"""The mean of a released label, on its way from the clean label to the learner.

Whatever randomizes labels and whoever corrupts them, label by label and whoever comes first, the
mean of a label ±1 stays affine in the clean mean.  Simulators that draw counts need no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.notation import label_signal
from repro.base.schema import Number
from repro.base.torch_later import Tensor
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import Channel, LabelLaw, randomized_response, released


@dataclass(frozen=True)
class LabelMean:
    """E[z] = scale·h − offset·s + shift of a pair whose clean label has mean h = tanh(Δ/2).

    Attributes:
        scale: of the clean mean.
        offset: of s = sign(Δ), which names the better response.
        shift: what no reward explains.
    """

    scale: float = 1.0
    offset: float = 0.0
    shift: float = 0.0

    def through(self, channel: Channel, epsilon: float) -> LabelMean:
        """The mean after a randomizer."""
        gain, shift = _gain_and_shift(channel, epsilon)
        return LabelMean(self.scale * gain, self.offset * gain, self.shift * gain + shift)


Adversary = Callable[[LabelMean], LabelMean]
"""What a corruption makes of the labels that reach it."""


@dataclass(frozen=True)
class WorseResponse:
    """The Huber adversary (P2, Definition 2.4) whose labels always prefer the worse response.

    Attributes:
        share: α in [0, 1), the share of labels that are the adversary's.
    """

    share: Annotated[Number, Field(ge=0, lt=1)] = 0.0

    def __call__(self, mean: LabelMean) -> LabelMean:
        kept = 1 - self.share
        return LabelMean(mean.scale * kept, mean.offset * kept + self.share, mean.shift * kept)


NOBODY = WorseResponse()
"""An adversary without labels."""


def released_mean(
    epsilon: float, channel: Channel, adversary: Adversary, order: Order
) -> LabelMean:
    """The mean of the labels that a learner sees.

    Args:
        epsilon: budget that the channel is called with.
        channel: the randomizer.
        adversary: who corrupts labels.
        order: whether before the randomizer (CTL), after it (LTC), or both (CLC).
    """
    mean = LabelMean()
    if order is not Order.LTC:
        mean = adversary(mean)
    mean = mean.through(channel, epsilon)
    return mean if order is Order.CTL else adversary(mean)


def drawn_mean(clean: Tensor, labels: LabelLaw) -> Tensor:
    """Mean of the labels ±1 that a law draws where Bradley–Terry has the mean ``clean``.

    Written as a change of ``clean``, which keeps the digits that P − 1/2 loses for small rewards.
    """
    win_prob = (1 + clean) / 2
    return clean + 2 * (labels(win_prob) - win_prob)


def _gain_and_shift(channel: Channel, epsilon: float) -> tuple[float, float]:
    """A channel in terms of means: E[z] = gain·E[y] + shift.

    Against randomized response, whose gain is 2α−1 without the cancellation of P(1) − P(0).
    """
    laws = (released(law, np.array([0.0, 1.0]), epsilon) for law in (channel, randomized_response))
    loss, win = np.subtract(*laws).tolist()
    return label_signal(epsilon) + (win - loss), win + loss
