"""What was released for each comparison, so that a repeated one is answered the same way.

An open-addressing hash table of 64-bit slots in an unnamed file: fingerprint, randomised label
and response order, so memory is the page cache's, and neither raw labels nor texts are kept.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from repro.release.scratch import scratch

SMALLEST, FULLEST = 1 << 12, 0.6
CHUNK = 1 << 16


class Seen:
    """Maps fingerprints (62 bits, never 0) to two bits.

    Args:
        folder: its file system holds the table.
        expected: comparisons expected; the table grows by itself.
    """

    def __init__(self, folder: Path, expected: int = 0) -> None:
        self._folder = folder
        self._count = 0
        self._allocate(max(SMALLEST, 1 << (2 * expected).bit_length()))

    def __enter__(self) -> Seen:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return self._count

    def recall(self, fingerprint: int, fresh: int) -> int:
        """The two bits kept for a comparison; on first sight keep ``fresh``."""
        slots, mask = self._slots, self._mask
        place = fingerprint & mask
        while slot := slots[place]:
            if slot >> 2 == fingerprint:
                return slot & 3
            place = (place + 1) & mask
        slots[place] = fingerprint << 2 | fresh
        self._count += 1
        if self._count > FULLEST * self._mask:
            self._grow()
        return fresh

    def chunks(self) -> Iterator[np.ndarray]:
        """Every fingerprint kept, some at a time, as uint64."""
        for start in range(0, self._mask + 1, CHUNK):
            found = np.frombuffer(self._map, np.uint64, min(CHUNK, self._mask + 1), 8 * start)
            yield found[found != 0] >> np.uint64(2)

    def holds(self, fingerprints: np.ndarray) -> bool:
        """Whether any of some fingerprints (uint64) has been kept."""
        slots = np.frombuffer(self._map, np.uint64)
        sought, mask = fingerprints, np.uint64(self._mask)
        place = sought & mask
        while sought.size:
            found = slots[place]
            if (found >> np.uint64(2) == sought).any():
                return True
            going = found != 0
            sought, place = sought[going], (place[going] + np.uint64(1)) & mask
        return False

    def _allocate(self, size: int) -> None:
        self._file: BinaryIO = scratch(self._folder)
        self._file.truncate(8 * size)
        self._map = mmap.mmap(self._file.fileno(), 8 * size)
        self._slots, self._mask = memoryview(self._map).cast("Q"), size - 1

    def _grow(self) -> None:
        old, old_file, size = self._slots, self._file, self._mask + 1
        self._allocate(2 * size)
        slots, mask = self._slots, self._mask
        for start in range(0, size, CHUNK):
            for slot in old[start : start + CHUNK].tolist():
                if slot:
                    place = slot >> 2 & mask
                    while slots[place]:
                        place = (place + 1) & mask
                    slots[place] = slot
        old_file.close()
