"""Comparisons that are nearly the same, answered as one: ``group=``, by MinHash and LSH.

Broder 1997 (resemblance of shingled documents), Indyk and Motwani 1998 (locality-sensitive
hashing), as ``datasketch`` has them.  Groups depend on texts and their order in the file, never on
labels; the label of a group is that of its first member alone.
"""

from __future__ import annotations

import importlib
import zlib
from typing import Any

from repro.base.errors import BadInput
from repro.base.paths import install_hint

KEY = "group"
ALLOWED = "allowed: a similarity from 0.5 to 1, such as 0.8"
SHINGLE = 5
"""Bytes of canonical text: a changed word of five letters touches about nine of them."""

PERMUTATIONS = 128
"""The similarity is estimated with a standard error of at most 0.045."""

SLACK = 0.8
"""Candidates are sought at this part of the similarity asked for, so that few are overlooked."""


def similarity(text: str) -> float:
    """The value of ``group=``.

    Raises:
        BadInput: not a number from 0.5 to 1.
    """
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.5 <= found <= 1.0:
        raise BadInput(KEY, text[:40], ALLOWED)
    return found


class NearCopies:
    """Groups of near-copies, each known by its first comparison.

    Args:
        least: estimated Jaccard similarity that prompts and both responses, paired as they fit
            best, must each have.

    Raises:
        BadInput: the optional library is not installed.
    """

    def __init__(self, least: float) -> None:
        try:
            self._library = importlib.import_module("datasketch")
        except ImportError:
            raise BadInput(KEY, least, f"needs datasketch: {install_hint('near')}") from None
        self.least = least
        self._blank = self._library.MinHash(PERMUTATIONS, hashfunc=zlib.crc32)
        self._index = self._library.MinHashLSH(SLACK * least, PERMUTATIONS)
        self._first: list[tuple[list[Any], int]] = []
        self.joined = 0

    def answer(self, content: bytes, fresh: int) -> int:
        """The answer of the group that a comparison joins; ``fresh`` where it begins one.

        Args:
            content: canonical bytes of prompt and pair.
            fresh: two bits, relative to the order of that pair.
        """
        sketches = [self._sketch(text) for text in content.split(b"\0")]
        whole = self._library.MinHash.union(*sketches)
        found = [self._likeness(sketches, number) for number in self._index.query(whole)]
        likeness, number, crossed = max(found, default=(0.0, 0, False))
        if likeness >= self.least:
            self.joined += 1
            return self._first[-number][1] ^ (0b11 if crossed else 0)
        self._first.append((sketches, fresh))
        self._index.insert(len(self._first) - 1, whole)
        return fresh

    def _likeness(self, sketches: list[Any], number: int) -> tuple[float, int, bool]:
        """Similarity to the first of a group, the earlier group before the later, and whether
        the pair is in the other order."""
        (prompt, one, other), (first, second, third) = sketches, self._first[number][0]
        straight = min(one.jaccard(second), other.jaccard(third))
        crossed = min(one.jaccard(third), other.jaccard(second))
        best = min(prompt.jaccard(first), max(straight, crossed))
        return best, -number, crossed > straight

    def _sketch(self, text: bytes) -> Any:
        """MinHash of the shingles, upper and lower case alike."""
        text = text.lower()
        last = max(1, len(text) - SHINGLE + 1)
        found = self._blank.copy()  # its permutations are not drawn anew
        found.update_batch({text[at : at + SHINGLE] for at in range(last)})
        return found
