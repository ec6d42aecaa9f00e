"""How one comparison becomes a released label, in numbers that differences do not cancel in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.labels.preferences.label_information import sigmoid, sigmoid_difference
from repro.labels.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    on_arrays,
    randomized_response,
    released,
)

CERTAIN = np.array([0.0, 1.0])
"""Win probabilities of a sure loss and a sure win."""


@dataclass(frozen=True)
class LabelProcess:
    """Labels, randomizer and estimator of an exact computation, each of which can be taken away.

    A channel of one binary label is affine in the win probability; the law of labels must be too.

    Attributes:
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimate: Estimate = as_fitted

    def ends(self, epsilon: float) -> tuple[float, float]:
        """P(z = +1) after a sure loss and after a sure win."""
        lost, won = self.released(CERTAIN, epsilon).tolist()
        return lost, won

    def win_prob(self, difference: float, epsilon: float) -> float:
        """P(z = +1) at a reward difference.

        >>> import math
        >>> LabelProcess().win_prob(0.0, math.log(3))
        0.5
        """
        lost, won = self.ends(epsilon)
        return lost + (won - lost) * sigmoid(difference)

    def lose_prob(self, difference: float, epsilon: float) -> float:
        """1 − ``win_prob``, without cancellation where it is small."""
        lost, won = self.ends(epsilon)
        return (1 - won) + (won - lost) * sigmoid(-difference)

    def step(self, first: float, second: float, epsilon: float) -> float:
        """P(z = +1) at one difference less that at another."""
        lost, won = self.ends(epsilon)
        return (won - lost) * sigmoid_difference(first, second)

    def one_less_affinity(self, first: float, second: float, epsilon: float) -> float:
        """1 − Σ_z √(p_z(x)·p_z(y)) of the labels released at two differences; 0 for equal laws."""
        wins, losses = (
            sum(chance(x, epsilon) ** 0.5 for x in (first, second))
            for chance in (self.win_prob, self.lose_prob)
        )
        return self.step(first, second, epsilon) ** 2 * (wins**-2 + losses**-2) / 2

    def released(self, win_prob: np.ndarray, epsilon: float) -> np.ndarray:
        """P(z = +1) by true win probability, any shape."""
        return released(self.channel, on_arrays(self.labels, win_prob), epsilon)

    def returned(self, fitted: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """What the estimator returns, of the shape that the two have together."""
        return on_arrays(self.estimate, *np.broadcast_arrays(fitted, truth))


AS_STATED = LabelProcess()
"""Bradley–Terry labels through randomized response, and an estimator that returns its fit."""
