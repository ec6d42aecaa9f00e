"""Comparisons in order of their keys, each once, whatever their number and in bounded memory.

Sorted runs lie in unnamed files and are merged as they are read.  Labels never reach a disk: they
stay in memory, one byte a line of the input, and no size of anything depends on them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from repro.release.drafts import scratch

RUN_BYTES = 12 << 20
"""Of the rows that are sorted in memory."""

MOST_RUNS = 48
"""Files of one level that are merged into one of the next: three levels take less than the 256
files that some systems allow, and hold ten terabytes."""

KEY_CHARACTERS, NUMBER_DIGITS = 64, 12
_BODY = KEY_CHARACTERS + NUMBER_DIGITS


class ComparisonRow(NamedTuple):
    """A comparison.

    Attributes:
        key: of ``canonical.compared``.
        number: the place of the copy that speaks for all, from 0: the first one in the input.
        body: the shortest of the copies' bodies, of these the least; never just the first's, which
            may say what the label is where the input is sorted.
        disputed: whether its copies have different labels.
    """

    key: bytes
    number: int
    body: bytes
    disputed: bool


class SortedRows:
    """Rows to be sorted, and the label of each.

    Attributes:
        labels: by number, 1 where the first response of the body is preferred, else 0.
        copies: rows that repeated an earlier one, once all have been read.
        repeated: comparisons that have copies.
        altered: numbers of two copies whose texts differ, if there are any.
        listed: whether a row came as lists of messages, so that all are written as such.

    Args:
        folder: its file system holds the runs; by default that for temporary files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.labels = bytearray()
        self.copies = self.repeated = 0
        self.listed = False
        self.altered: tuple[int, int] | None = None
        self._folder, self._held, self._size = folder, [], 0
        self._last, self._ordered = b"", True
        self._levels: list[list[BinaryIO]] = []
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, key: bytes, body: bytes, label: int) -> None:
        """One more row; its number is how many there were."""
        row = b"%b%012d%b\n" % (key, len(self.labels), body)
        self.labels.append(label)
        self._held.append(row)
        if row < self._last:
            self._ordered = False
        self._last = row
        self._size += len(row)
        if self._size > RUN_BYTES:
            self._held.sort()
            self._spill(self._held, 0)
            self._held, self._size = [], 0

    def __iter__(self) -> Iterator[ComparisonRow]:
        """All rows; may be repeated."""
        self.copies, self.repeated, self.altered, held = 0, 0, None, None
        last_repeated = b""
        for line in self._merged():
            key, number, body = line[:KEY_CHARACTERS], int(line[KEY_CHARACTERS:_BODY]), line[_BODY:]
            if held and key == held[0]:
                self.repeated += key != last_repeated
                last_repeated = key
                held = self._joined(ComparisonRow(*held), number, body)
                continue
            if held:
                yield ComparisonRow(held[0], held[1], held[2][:-1], held[3])
            held = (key, number, body, False)
        if held:
            yield ComparisonRow(held[0], held[1], held[2][:-1], held[3])

    def _joined(self, held: ComparisonRow, number: int, body: bytes) -> ComparisonRow:
        self.copies += 1
        if body != held.body and not self.altered:
            self.altered = held.number, number
        disputed = held.disputed or self.labels[held.number] != self.labels[number]
        body = min(held.body, body, key=lambda text: (len(text), text))
        return ComparisonRow(held.key, self.spokesman(held, number), body, disputed)

    def spokesman(self, held: ComparisonRow, number: int) -> int:
        """Which of two copies speaks for both: ``held``, which comes first, or ``number``."""
        return held.number

    def _merged(self) -> Iterator[bytes]:
        self._held.sort()
        older_first = [file for level in reversed(self._levels) for file in level]
        return self._in_order([*older_first, self._held])

    def _in_order(self, runs: list[Any]) -> Iterator[bytes]:
        """Runs, older ones first, as one; those of a canonical release follow each other."""
        sources = [run if isinstance(run, list) else _from_start(run) for run in runs]
        return chain(*sources) if self._ordered or len(sources) == 1 else heapq.merge(*sources)

    def _spill(self, rows, level: int) -> None:
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        file = self._files.enter_context(scratch(self._folder))
        file.writelines(rows)
        runs.append(file)
        if len(runs) == MOST_RUNS:
            self._spill(self._in_order(runs), level + 1)
            for run in runs:
                run.close()
            runs.clear()


def _from_start(file: BinaryIO) -> BinaryIO:
    file.seek(0)
    return file
