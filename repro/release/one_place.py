"""What one place of a release could say of all its lines: blanks, or the value of one field.

A line's bytes and fields are looked at for what they say of that line.  A single run of blanks, or
one long value, may hold the labels of all lines instead, as a manifest may.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from repro.base.files import unreadable
from repro.release.extra_fields import DEEPEST, FIELDS
from repro.release.matching import Line

SHORTEST = 32
"""Bytes of a run that are read; fewer could not be told from chance."""
BLANKS = re.compile(rb"[ \t\r\n]{%d,}" % SHORTEST)
SPACES = b" " * SHORTEST
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
MOST = 8
"""Runs of blanks, and values, that are read: the longest."""
STEP = 1 << 16

Values = list[tuple[str, Any]]


def one_place(release: Path, lines: Sequence[Line]) -> Values:
    """Words and value of each place.

    Args:
        release: the file.
        lines: of it.

    Raises:
        BadInput: it cannot be read.
    """
    end = _end(release)
    found: Values = [("blanks after the last line", end)] if end else []
    found += [("blanks of one line", text) for text in heapq.nlargest(MOST, _blanks(lines), len)]
    found += [(words, len(text)) for words, text in found]
    longest = heapq.nlargest(MOST, _long(lines), lambda value: _size(value[1]))
    return found + [(f"field {name[:40]!r} of one line", value) for name, value in longest]


def _end(release: Path) -> str:
    """The blanks that a file ends with, but for the end of its last line."""
    kept = b""
    try:
        with open(release, "rb") as file:
            place = file.seek(0, 2)
            while place and not kept.strip():
                step = min(STEP, place)
                place = file.seek(place - step)
                kept = file.read(step) + kept
    except OSError as problem:
        raise unreadable("OUT", release, problem) from None
    blanks = kept[len(kept.rstrip(b" \t\r\n")) :]
    return blanks.removeprefix(b"\r").removeprefix(b"\n").decode("ascii")


def _blanks(lines: Sequence[Line]) -> Iterator[str]:
    """Runs of blanks between lines and within them, where no text stands."""
    for line in lines:
        for part in (line.released.lead, line.released.raw):
            if _may_hold_a_run(part):
                told = STRING.sub(b'""', part)
                yield from (run.group().decode("ascii") for run in BLANKS.finditer(told))


def _may_hold_a_run(part: bytes) -> bool:
    # a tenth of the time of a search; texts hold tabs and line ends as escapes
    return len(part) >= SHORTEST and (
        SPACES in part or b"\t" in part or b"\r" in part or b"\n" in part
    )


def _long(lines: Sequence[Line]) -> Iterator[tuple[str, Any]]:
    for line in lines:
        for name in line.values.keys() - FIELDS:
            yield from ((name, value) for value in _whole(line.values[name], DEEPEST))


def _whole(value: Any, depth: int) -> Iterator[Any]:
    """A value, or those in an object, that is long enough."""
    if _size(value) >= SHORTEST:
        yield value
    elif isinstance(value, dict) and depth:
        for part in value.values():
            yield from _whole(part, depth - 1)


def _size(value: Any) -> int:
    """Characters of a text, bits of a whole number, members of a list."""
    if isinstance(value, int):
        return value.bit_length()
    return len(value) if isinstance(value, str | list) else 0
