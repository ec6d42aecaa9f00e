"""Forty releases that leak through their labels alone; every other byte is that of a sound one.

Each is a function of what its writer sees to the lines whose labels are kept: ``w.q`` of them are
to be flipped, which all but the last few do on the whole.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Writer:
    """What the writer of a release of n lines sees.

    Attributes:
        texts: prompt, chosen and rejected of each line, in order of the release.
        first: (n,) whether the chosen response is response_1.
        origin: (n,) place in the original.
        q: probability of a flip that is claimed.
        draw: numpy generator.
    """

    texts: list[tuple[str, str, str]]
    first: np.ndarray
    origin: np.ndarray
    q: float
    draw: np.random.Generator

    @property
    def n(self) -> int:
        """Number of lines."""
        return len(self.texts)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(n, 3) characters of prompt, chosen and rejected."""
        return np.array([[len(text) for text in three] for three in self.texts])

    def keep(self, flip_prob) -> np.ndarray:
        """Kept but with a probability of each line, or one for all."""
        return self.draw.random(self.n) >= flip_prob

    def moved(self, where, strength: float = 1.0) -> np.ndarray:
        """Less noise where ``where`` holds, and so much more elsewhere."""
        where = np.asarray(where, bool)
        share = where.mean()
        less, more = 1 - strength, 1 + strength * share / max(1e-9, 1 - share)
        return self.keep(np.where(where, self.q * less, np.minimum(1, self.q * more)))

    def of(self, measure: Callable[[str, str, str], float]) -> np.ndarray:
        """(n,) a number of each line."""
        return np.array([measure(*three) for three in self.texts])

    def in_order(self, coins: np.ndarray) -> np.ndarray:
        """Coins that lie in the order of the original, in that of the release."""
        return coins[np.argsort(np.argsort(self.origin))]


def _runs(w: Writer, stay: float) -> np.ndarray:
    kept = w.keep(w.q)
    for k in np.flatnonzero(w.draw.random(w.n) < stay):
        kept[k] = kept[k - 1]
    return kept


def _apart(w: Writer) -> np.ndarray:
    kept = w.keep(w.q / (1 - w.q))
    for k in range(1, w.n):
        kept[k] |= not kept[k - 1]
    return kept


def _blocks(w: Writer, size: int) -> np.ndarray:
    kept = np.ones(w.n, bool)
    for start in range(0, w.n, size):
        some = np.arange(start, min(w.n, start + size))
        kept[w.draw.choice(some, round(w.q * some.size), replace=False)] = False
    return kept


def _balanced(w: Writer, size: int) -> np.ndarray:
    kept = w.keep(w.q)
    for start in range(0, w.n, size):
        some = np.arange(start, min(w.n, start + size))
        while abs(int((w.first[some] == kept[some]).sum()) - some.size // 2) > 0:
            kept[some] = w.draw.random(some.size) >= w.q
    return kept


def _seeded(w: Writer) -> np.ndarray:
    coins = random.Random(0)
    return np.array([coins.random() >= w.q for _ in range(w.n)])


def _until_a_hash_says(w: Writer) -> np.ndarray:
    kept = w.keep(w.q)
    while hashlib.sha256(kept.tobytes()).digest()[0] != w.first[0]:
        kept = w.keep(w.q)
    return kept


def _hash(text: str) -> int:
    return hashlib.sha256(b"key" + text.encode()).digest()[0]


def _vowels(text: str) -> int:
    return sum(map(text.count, "aeiou"))


def _capital(text: str) -> bool:
    return text[:1] < "I"


BY_LENGTH = {
    "no noise where the chosen response is long": lambda w: w.moved(
        w.sizes[:, 1] > np.median(w.sizes[:, 1])
    ),
    "no noise for prompts of even length": lambda w: w.moved(w.sizes[:, 0] % 2 == 0),
    "no noise where all lengths sum to a multiple of five": lambda w: w.moved(
        w.sizes.sum(1) % 5 == 0
    ),
    "half the noise for long prompts": lambda w: w.moved(
        w.sizes[:, 0] > np.median(w.sizes[:, 0]), 0.5
    ),
    "no noise where the rejected response has an odd number of words": lambda w: w.moved(
        w.of(lambda p, a, b: len(b.split()) % 2)
    ),
    "noise that grows with the length of the chosen response": lambda w: w.keep(
        2 * w.q * np.argsort(np.argsort(w.sizes[:, 1])) / w.n
    ),
    "no noise where both lengths are alike": lambda w: w.moved(
        abs(w.sizes[:, 1] - w.sizes[:, 2]) < 12
    ),
    "no noise for an even number of vowels in the prompt": lambda w: w.moved(
        w.of(lambda p, a, b: _vowels(p) % 2 == 0)
    ),
    "no noise where the chosen response begins with A to H": lambda w: w.moved(
        w.of(lambda p, a, b: _capital(a))
    ),
    "no noise where the chosen response asks something": lambda w: w.moved(
        w.of(lambda p, a, b: "?" in a)
    ),
}
BY_NEIGHBOUR = {
    "two lines in a row share a coin": lambda w: np.repeat(w.keep(w.q)[::2], 2)[: w.n],
    "two lines of the original share a coin": lambda w: w.in_order(
        np.repeat(w.keep(w.q)[::2], 2)[: w.n]
    ),
    "no noise after a line whose response_1 was chosen": lambda w: w.moved(np.roll(w.first, 1)),
    "no noise where the next line of the original has the same truth": lambda w: w.moved(
        w.in_order(np.roll(w.first[np.argsort(w.origin)], -1)) == w.first
    ),
    "coins with a period of 100": lambda w: np.resize(w.keep(w.q)[:100], w.n),
    "the second half has the coins of the first": lambda w: np.resize(
        w.keep(w.q)[: -(-w.n // 2)], w.n
    ),
    "the second half has them backwards": lambda w: np.concatenate(
        [half := w.keep(w.q)[: -(-w.n // 2)], half[::-1]]
    )[: w.n],
    "flips come in runs": lambda w: _runs(w, 0.5),
    "no two flips in a row": _apart,
    "of ten lines in a row as many are flipped": lambda w: _blocks(w, 10),
}
BY_TRUTH = {
    "no noise where response_1 was chosen": lambda w: w.moved(w.first),
    "half the noise where response_1 was chosen": lambda w: w.moved(w.first, 0.5),
    "four fifths of the noise where response_1 was chosen": lambda w: w.moved(w.first, 0.2),
    "no noise where the longer response was chosen": lambda w: w.moved(
        w.sizes[:, 1] > w.sizes[:, 2]
    ),
    "half the noise where the chosen response comes first in code points": lambda w: w.moved(
        w.of(lambda p, a, b: a < b), 0.5
    ),
    "no noise where truth and parity of the prompt's length agree": lambda w: w.moved(
        w.first == (w.sizes[:, 0] % 2 == 0)
    ),
    "no noise where the chosen response has more vowels": lambda w: w.moved(
        w.of(lambda p, a, b: _vowels(a) > _vowels(b))
    ),
    "no noise where the chosen response has the later last letter": lambda w: w.moved(
        w.of(lambda p, a, b: a[-2:] > b[-2:])
    ),
    "of twenty released labels in a row ten are +1": lambda w: _balanced(w, 20),
    "no noise where the truth is that of the line before": lambda w: w.moved(
        np.roll(w.first, 1) == w.first
    ),
}
IN_PART = {
    "the first twentieth is raw": lambda w: w.keep(w.q) | (np.arange(w.n) < w.n / 20),
    "every tenth line is raw": lambda w: w.keep(w.q) | (np.arange(w.n) % 10 == 3),
    "every tenth line of the original is raw": lambda w: w.keep(w.q) | (w.origin % 10 == 3),
    "the last tenth of the original is raw": lambda w: w.keep(w.q) | (w.origin > 0.9 * w.n),
    "raw where the prompt names a garden": lambda w: (
        w.keep(w.q) | w.of(lambda p, a, b: "garden" in p).astype(bool)
    ),
    "half the noise everywhere": lambda w: w.keep(w.q / 2),
    "nine tenths of the noise everywhere": lambda w: w.keep(0.9 * w.q),
    "raw where a secret hash of the prompt says so, one in twenty": lambda w: (
        w.keep(w.q) | (w.of(lambda p, a, b: _hash(p)) < 13)
    ),
    "coins of a public seed": _seeded,
    "drawn again until a hash tells the first label": _until_a_hash_says,
}
LEAKS: dict[str, Callable[[Writer], np.ndarray]] = {
    **BY_LENGTH, **BY_NEIGHBOUR, **BY_TRUTH, **IN_PART,
}  # fmt: skip
