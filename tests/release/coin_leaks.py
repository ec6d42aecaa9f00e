"""Thirty-seven ways to draw coins that are not independent, rebuilt from the words of an issue.

Each is a function of a ``Coins`` to the labels that are flipped, on the whole as many as is claimed
unless too few are the leak.  Five of them no audit sees that does not know the rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

ANNOTATORS, DAY = 90, 50


@dataclass(frozen=True)
class Coins:
    """What the writer of n labels sees.

    Attributes:
        n: lines.
        q: probability of a flip that is claimed.
        truth: (n,) whether response_1 was chosen.
        origin: (n,) place in the original.
        draw: numpy generator.
    """

    n: int
    q: float
    truth: np.ndarray
    origin: np.ndarray
    draw: np.random.Generator

    @classmethod
    def of(cls, n: int, q: float, seed: int) -> Coins:
        """A file whose original is in a random order."""
        draw = np.random.default_rng(seed)
        return cls(n, q, draw.random(n) < 0.5, draw.permutation(n), draw)

    @property
    def groups(self) -> dict[str, np.ndarray]:
        """Fields of the original."""
        return {
            "annotator": self.origin % ANNOTATORS,
            "day": self.origin // DAY,
            "score": np.argsort(np.argsort(self.origin * 7919 % 4099)) * 10 // self.n,
        }

    def honest(self, q: float | np.ndarray | None = None) -> np.ndarray:
        """Independent flips."""
        return self.draw.random(self.n) < (self.q if q is None else q)

    def less(self, where: np.ndarray, strength: float = 1.0) -> np.ndarray:
        """Less noise where ``where`` holds, and so much more elsewhere."""
        share = where.mean()
        more = 1 + strength * share / (1 - share)
        return self.honest(self.q * np.where(where, 1 - strength, more))

    def shared(self, groups: np.ndarray, strength: float = 1.0) -> np.ndarray:
        """One coin for each group, which so many of its lines take."""
        coins = self.draw.random(groups.max() + 1) < self.q
        takes = self.draw.random(self.n) < strength
        return np.where(takes, coins[groups], self.honest())

    def even(self, groups: np.ndarray) -> np.ndarray:
        """As many flips in each group as is expected."""
        flipped = np.zeros(self.n, bool)
        for group in range(groups.max() + 1):
            (lines,) = np.nonzero(groups == group)
            flipped[self.draw.choice(lines, round(self.q * lines.size), replace=False)] = True
        return flipped

    def in_order(self, flipped: np.ndarray) -> np.ndarray:
        """Coins that lie in the order of the original, in that of the release."""
        return flipped[self.origin]

    def before(self, distance: int, strength: float = 1.0) -> np.ndarray:
        """Each takes the coin so many lines before."""
        flipped, takes = self.honest(), self.draw.random(self.n) < strength
        for k in range(distance, self.n):
            if takes[k]:
                flipped[k] = flipped[k - distance]
        return flipped

    def apart(self, distance: int) -> np.ndarray:
        """Never two flips so many lines apart."""
        flipped = self.honest(self.q / (1 - self.q))
        for k in range(distance, self.n):
            flipped[k] &= not flipped[k - distance]
        return flipped


def _places(c: Coins) -> np.ndarray:
    return np.arange(c.n)


def _mirrored(c: Coins) -> np.ndarray:
    half = c.honest()[: -(-c.n // 2)]
    return np.concatenate([half, half[::-1]])[: c.n]


def _truth_before(c: Coins, distance: int, share: float) -> np.ndarray:
    """Labels of some lines are the truth so many lines before."""
    repeats = c.draw.random(c.n) < share
    return np.where(repeats, c.truth != np.roll(c.truth, distance), c.honest())


def _even_parity(c: Coins) -> np.ndarray:
    flipped = c.honest()
    for start in range(0, c.n - 63, 64):
        flipped[start] ^= bool(flipped[start : start + 64].sum() % 2)
    return flipped


def _from_twenty_before(c: Coins) -> np.ndarray:
    flipped = c.honest()
    for k in range(20, c.n):
        seed = hashlib.sha256(b"%d" % k + flipped[k - 20 : k].tobytes()).digest()
        flipped[k] = int.from_bytes(seed[:8], "big") < c.q * 2**64
    return flipped


def _keyed(c: Coins) -> np.ndarray:
    words = (hashlib.sha256(b"key %d" % k).digest()[:8] for k in c.origin)
    return np.array([int.from_bytes(word, "big") < c.q * 2**64 for word in words])


def _pairs_of_a_secret_order(c: Coins) -> np.ndarray:
    return c.shared(c.draw.permutation(c.n) // 2)


Leak = Callable[[Coins], np.ndarray]
SEEN: dict[str, Leak] = {
    "the coin 256 lines before": lambda c: c.before(256),
    "no two flips 256 lines apart": lambda c: c.apart(256),
    "half of the coins 1,000 lines before": lambda c: c.before(1000, 0.6),
    "the coin seven lines of the original before": lambda c: c.in_order(c.before(7)),
    "no two flips in a row": lambda c: c.apart(1),
    "the second half has the coins of the first": lambda c: np.resize(
        c.honest()[: -(-c.n // 2)], c.n
    ),
    "the second half has them backwards": _mirrored,
    "the second half of the original has them backwards": lambda c: c.in_order(_mirrored(c)),
    "two fifths of labels are the truth 256 lines before": partial(
        _truth_before, distance=256, share=0.4
    ),
    "no noise where response_1 was chosen 300 lines before": lambda c: c.less(
        np.roll(c.truth, 300), 0.6
    ),
    "no noise where the truth is that of 77 lines before": lambda c: c.less(
        c.truth == np.roll(c.truth, 77), 0.6
    ),
    "exactly as many flips in each hundred lines": lambda c: c.even(_places(c) // 100),
    "exactly as many flips in each eleven lines": lambda c: c.even(_places(c) // 11),
    "exactly as many in each hundred lines of the original": lambda c: c.even(c.origin // 100),
    "exactly as many in each seven lines of the original": lambda c: c.even(c.origin // 7),
    "one coin for ten lines": lambda c: c.shared(_places(c) // 10),
    "one coin for three lines of the original": lambda c: c.shared(c.origin // 3),
    "the first twentieth is raw": lambda c: c.honest() & (_places(c) >= c.n / 20),
    "150 lines in the middle are raw": lambda c: c.honest() & (abs(_places(c) - c.n / 2) > 75),
    "the last tenth of the original is raw": lambda c: c.honest() & (c.origin < 0.9 * c.n),
    "half the noise in every other 200 lines": lambda c: c.less(_places(c) // 200 % 2 == 0, 0.5),
    "noise that grows along the file": lambda c: c.honest(2 * c.q * _places(c) / c.n),
    "every tenth line is raw": lambda c: c.honest() & (_places(c) % 10 != 3),
    "every sixteenth line of the original is raw": lambda c: c.honest() & (c.origin % 16 != 5),
    "coins with a period of 500": lambda c: np.resize(c.honest()[:500], c.n),
    "half the noise in even lines": lambda c: c.less(_places(c) % 2 == 0, 0.5),
    "one coin for each annotator": lambda c: c.shared(c.groups["annotator"]),
    "half of an annotator's labels share a coin": lambda c: c.shared(c.groups["annotator"], 0.5),
    "one annotator in six is raw": lambda c: c.honest() & (c.groups["annotator"] % 6 != 0),
    "each annotator has as many flips": lambda c: c.even(c.groups["annotator"]),
    "no noise for high scores": lambda c: c.less(c.groups["score"] > 6),
    "all of 220 labels are raw at an epsilon of 3": lambda c: np.zeros(c.n, bool),
}
UNSEEN: dict[str, Leak] = {
    "one line in a hundred is raw": lambda c: c.honest() & (c.draw.random(c.n) > 0.01),
    "an even number of flips in each 64 lines": _even_parity,
    "a coin that is a hash of its place and the twenty before": _from_twenty_before,
    "a keyed hash of the prompt": _keyed,
    "one coin for each pair in an order that nobody lists": _pairs_of_a_secret_order,
}
