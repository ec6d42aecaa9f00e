"""Privacy of channels from a label to a report, by their matrices.

A channel is a matrix, one row for each input and one column for each output, rows summing to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.labels.preferences.label_law import Channel, released
from repro.labels.privacy.mechanism import Mechanism

Matrix = tuple[tuple[float, ...], ...]
ROUNDING = 1e-15
"""Of a sum of two probabilities."""


def randomized_response(epsilon: float) -> np.ndarray:
    """(2, 2) channel of P1, eq. (7): rows are labels −1, +1, columns reports −1, +1."""
    keep, flip = keep_prob(epsilon), flip_prob(epsilon)
    return np.array([[keep, flip], [flip, keep]])


def matrix_of(channel: Channel, epsilon: float) -> np.ndarray:
    """(2, 2) matrix of the randomizer that draws labels in simulations, as above.

    >>> matrix_of(lambda win_prob, epsilon: 0.25 + 0.5 * win_prob, 1.0).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    flip, keep = released(channel, np.array([0.0, 1.0]), epsilon).tolist()
    # 1 − P cancels where flips are rare; a channel that treats both labels alike has the same
    # entry, exact, in its other row
    if abs(flip + keep - 1) <= ROUNDING:
        return np.array([[keep, flip], [flip, keep]])
    return np.array([[1 - flip, flip], [1 - keep, keep]])


def huber(corruption: float, bad: Sequence[float]) -> np.ndarray:
    """(2, 2) Huber corruption (P2, Definition 2.3): with probability α drawn from ``bad``.

    Args:
        corruption: α in [0, 1].
        bad: (2,) probabilities of −1 and +1 under the adversary, the same for either label.
    """
    return (1 - corruption) * np.eye(2) + corruption * np.array([bad, bad])


def both(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The channel that reports the outputs of two independent channels together.

    >>> both(randomized_response(1.0), randomized_response(1.0)).shape
    (2, 4)
    """
    return np.einsum("xi,xj->xij", first, second).reshape(len(first), -1)


def channel_epsilon(channel: np.ndarray) -> float:
    """Exact ε of pure privacy: the largest log ratio within a column; inf where one entry is 0.

    >>> round(channel_epsilon(randomized_response(0.5)), 12)
    0.5
    """
    used = channel[:, channel.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        logs = np.log(used)
    return float((logs.max(axis=0) - logs.min(axis=0)).max())


def channel_delta(channel: np.ndarray, epsilon: float) -> float:
    """Exact δ(ε): the largest hockey-stick divergence between two rows."""
    excess = channel[:, None, :] - np.exp(epsilon) * channel[None, :, :]
    return float(np.maximum(excess, 0).sum(axis=2).max())


@dataclass(frozen=True)
class ChannelMechanism(Mechanism):
    """Two labels and the reports made of them; the attacker orders reports by likelihood ratio."""

    rows: Matrix

    @classmethod
    def of(cls, matrix: np.ndarray) -> ChannelMechanism:
        """From a (2, outputs) array.

        Raises:
            ValueError: a row is no distribution.
        """
        if (matrix < 0).any() or not np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-9):
            raise ValueError("rows of probabilities that add up to 1")
        return cls(tuple(tuple(map(float, row)) for row in matrix))

    @property
    def matrix(self) -> np.ndarray:
        """(2, outputs)."""
        return np.array(self.rows)

    def exact_delta(self, epsilon: float) -> float:
        return channel_delta(self.matrix, epsilon)

    def exact_epsilon(self, dp_delta: float) -> float:
        return channel_epsilon(self.matrix) if dp_delta == 0 else super().exact_epsilon(dp_delta)

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        drawn = rng.choice(self.matrix.shape[1], size=count, p=self.matrix[int(neighbour)])
        with np.errstate(divide="ignore"):
            ratio = np.log(self.matrix[1]) - np.log(self.matrix[0])
        return np.clip(ratio, -1e3, 1e3)[drawn]
