"""A uniformly random order of any number of lines in constant memory.

An input sorted by the chosen response would give its labels away by the order of lines alone.
Lines are thrown into buckets at random, and each bucket is shuffled in memory (Rao 1961,
Sandelius 1962); buckets are unnamed files of lines that are already randomised.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from repro.privacy.exact_response import random_bytes

SMALL = 4 << 20
"""Bytes that are shuffled in memory."""

MOST_BUCKETS = 256
KEY_BYTES = 16


def shuffled(lines: Iterable[bytes], size: int, folder: Path) -> Iterator[bytes]:
    """The same lines in random order, drawn from the operating system's entropy.

    Args:
        lines: each ending in a newline.
        size: roughly their bytes in total.
        folder: its file system holds the buckets.
    """
    if size <= SMALL:
        yield from in_memory(list(lines))
        return
    from repro.release.scratch import scratch

    count = 2
    while count < MOST_BUCKETS and count * SMALL < 2 * size:
        count *= 2
    buckets = [scratch(folder) for _ in range(count)]
    held = [0] * count
    try:
        for line, byte in zip(lines, random_bytes(), strict=False):
            buckets[byte & count - 1].write(line)
            held[byte & count - 1] += 1
        for bucket, number in zip(buckets, held, strict=True):
            size = bucket.tell() if number > 1 else 0
            bucket.seek(0)
            yield from shuffled(bucket, size, folder)
            bucket.close()
    finally:
        for bucket in buckets:
            bucket.close()


def in_memory(lines: list[bytes]) -> list[bytes]:
    """Sort by 128-bit random keys."""
    keys = os.urandom(KEY_BYTES * len(lines))
    drawn = (keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES))
    return [line for _, line in sorted(zip(drawn, lines, strict=True))]
