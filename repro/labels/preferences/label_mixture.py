"""Every binary ε-locally private channel: randomized response, mixed with two constant answers.

A binary channel is two probabilities of the report +1, a after the label +1 and b after −1.  It is
ε-private where a ≤ e^ε·b, b ≤ e^ε·a and the same for 1 − a, 1 − b: a parallelogram with the corners
never, always, randomized response and its mirror image.  So every private channel that does not
turn the label round (a > b) is one mixture: randomized response with probability w, else a
constant.
"""

from __future__ import annotations

from dataclasses import dataclass

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, keep_prob, label_signal
from repro.base.torch_later import Tensor

ROUNDING = 1e-12
"""What a corner of the polytope may be missed by."""


@dataclass(frozen=True)
class LabelMixture:
    """P(z = +1 | y) = truth·(randomized response at ε) + yes; a ``Channel`` for simulations.

    Attributes:
        truth: w in (0, 1], how often the label is asked for at all.
        yes: how often +1 is reported whatever the label; −1 with what is left, 1 − truth − yes.
    """

    truth: float = 1.0
    yes: float = 0.0

    def __call__(self, win_prob: Tensor, epsilon: float) -> Tensor:
        return self.base(epsilon) + self.signal(epsilon) * win_prob

    def base(self, epsilon: float) -> float:
        """b = P(z = +1 | y = −1).

        >>> import math
        >>> LabelMixture(0.5, 0.25).base(math.log(3))
        0.375
        """
        return self.truth * flip_prob(epsilon) + self.yes

    def signal(self, epsilon: float) -> float:
        """a − b, by which a report follows its label."""
        return self.truth * label_signal(epsilon)

    def noise(self, epsilon: float) -> tuple[float, float]:
        """b(1−b) and a(1−a): variances of the report after −1 and after +1."""
        low = self.base(epsilon)
        high = low + self.signal(epsilon)
        # 1 − a by its parts: at large ε the difference would cancel
        no = 1 - self.truth - self.yes
        never = max(no, 0.0) + self.truth * flip_prob(epsilon)
        return low * (never + self.signal(epsilon)), high * never


RANDOMIZED_RESPONSE = LabelMixture()


def mixture_of_flips(flip_of_loss: float, flip_of_win: float, epsilon: float) -> LabelMixture:
    """The mixture that flips −1 with probability p₀ and +1 with p₁ at this ε.

    Args:
        flip_of_loss: p₀.
        flip_of_win: p₁, with p₀ + p₁ < 1.
        epsilon: budget in (0, inf) at which the two hold.

    Raises:
        BadInput: the channel is not ε-private, or turns the label round.

    >>> import math
    >>> mixture_of_flips(0.25, 0.25, math.log(3))
    LabelMixture(truth=1.0, yes=0.0)
    """
    shown = f"p0={flip_of_loss:g}, p1={flip_of_win:g}"
    signal = 1 - flip_of_loss - flip_of_win
    if not signal > 0:
        raise BadInput("channel", shown, "allowed: p0 + p1 < 1, else the label tells nothing")
    truth = signal / label_signal(epsilon)
    yes = flip_of_loss - truth * flip_prob(epsilon)
    no = flip_of_win - truth * flip_prob(epsilon)
    if min(yes, no) < -ROUNDING:
        least = (
            f"p0/(1−p1) and p1/(1−p0) at least e^−ε = {flip_prob(epsilon) / keep_prob(epsilon):.4g}"
        )
        raise BadInput("channel", shown, f"not {epsilon:g}-private; allowed: {least}")
    if max(yes, no) <= ROUNDING:  # randomized response, up to the last bits
        return RANDOMIZED_RESPONSE
    return LabelMixture(truth, max(yes, 0.0))
