"""Finite classes of Bernoulli probabilities, and sequences of privatised labels from them.

All replicates at once.  The adaptive design asks, for ten rounds at a time, for the input with the
largest upper confidence bound of its reported mean, so that x^(t) is a function of the past, as the
filtrations of P2's Lemmas 3.1 and 3.3 allow.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

INPUTS = 8
"""Number of inputs x of the random and the packing class."""


def random_class(size: int, low: float = 0.55, high: float = 0.95, seed: int = 1) -> np.ndarray:
    """(N, X) probabilities P_θ(y = 1 | x) drawn once; row 0 is the truth."""
    return np.random.Generator(np.random.Philox(key=seed)).uniform(low, high, (size, INPUTS))


def packing_class(size: int, centre: float = 0.75, radius: float = 0.1) -> np.ndarray:
    """(N, X) corners centre ± radius of a cube, the first N ≤ 2^X of them; row 0 is the truth.

    >>> packing_class(2)[:, 0].tolist()
    [0.85, 0.65]
    """
    bits = (np.arange(size)[:, None] >> np.arange(INPUTS)) & 1
    return centre + radius * (1 - 2 * bits)


def uniform_design(rng: np.random.Generator, rounds: int, replicates: int) -> np.ndarray:
    """(R, T) inputs drawn uniformly, independent of labels."""
    return rng.integers(0, INPUTS, size=(replicates, rounds))


Design = Literal["iid", "adaptive"]
REFRESH = 10
"""Rounds between two decisions of the adaptive design."""


@dataclass(frozen=True)
class LabelSequence:
    """What a learner has seen.

    Attributes:
        inputs: (R, T) index of x^(t).
        positive: (R, T) whether z^(t) = +1.
        design: ``iid`` inputs are uniform; ``adaptive`` ones are known given the past.
    """

    inputs: np.ndarray
    positive: np.ndarray
    design: Design

    def conditional_sums(self, squared: np.ndarray) -> np.ndarray:
        """(R, T, N) Σ_{t ≤ n} E[squared(x^(t)) | past], of a table (N, X)."""
        if self.design == "adaptive":
            return running_sums(squared.T[self.inputs.T])
        replicates, rounds = self.inputs.shape
        growing = np.arange(1, rounds + 1)[:, None] * squared.mean(axis=1)
        return np.broadcast_to(growing, (replicates, rounds, len(squared)))

    def excess_loss(self, if_positive: np.ndarray, if_negative: np.ndarray) -> np.ndarray:
        """(R, T, N) L̂^(n)(θ) − L̂^(n)(θ*) of losses (N, X) after each round; θ* is row 0."""
        # of the 2X different rows, not of R·T; what comes out is the same to the last bit
        loss = np.stack([if_negative.T, if_positive.T])
        loss = loss - loss[..., :1]
        return running_sums(loss[self.positive.T.astype(np.intp), self.inputs.T])


def running_sums(each: np.ndarray) -> np.ndarray:
    """(R, T, N) sums over rounds of (T, R, N), in the place of what is summed.

    Round by round: ``np.cumsum`` strides through memory, and takes ten times as long.

    >>> running_sums(np.ones((3, 1, 2)))[0].tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    for before, now in itertools.pairwise(each):
        now += before
    return each.swapaxes(0, 1)


def draw_sequence(
    rng: np.random.Generator, win_prob: np.ndarray, design: Design, rounds: int, replicates: int
) -> LabelSequence:
    """Draw labels with P(z = +1 | x) = win_prob[x].

    Args:
        win_prob: (X,).
        design: how inputs are chosen.
        rounds: T.
        replicates: R.
    """
    noise = rng.random((replicates, rounds))
    if design == "iid":
        inputs = uniform_design(rng, rounds, replicates)
        return LabelSequence(inputs, noise < win_prob[inputs], design)
    inputs = np.zeros((replicates, rounds), dtype=np.int64)
    positive = np.zeros((replicates, rounds), dtype=bool)
    seen, wins = np.ones((replicates, len(win_prob))), np.ones((replicates, len(win_prob)))
    each = np.arange(replicates)
    for start in range(0, rounds, REFRESH):
        chosen = np.argmax(wins / seen + np.sqrt(2.0 / seen), axis=1)
        part = slice(start, min(start + REFRESH, rounds))
        won = noise[:, part] < win_prob[chosen][:, None]
        inputs[:, part], positive[:, part] = chosen[:, None], won
        seen[each, chosen] += won.shape[1]
        wins[each, chosen] += won.sum(axis=1)
    return LabelSequence(inputs, positive, design)
