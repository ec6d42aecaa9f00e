"""A release laid beside its original, as the attacker's examiner sees it.

Two frames name the label of a comparison: in the *released* frame +1 means that response_1 was
chosen, in the *text* frame that the response first in order of code points was chosen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.base.files import unreadable
from repro.preferences.json_lines import json_lines
from repro.release.comparison import folded, letters, trigrams, unlabelled
from repro.release.nearest import nearest_texts
from repro.release.records import Record, read_records

FEWEST = 20
"""Comparisons below which no attack could be certain at the level of the audit."""

CANDIDATES = 50
"""Originals that an altered line is compared with."""

ALIKE = 1.0
"""Trigrams in common (of 3: prompt once, responses twice) that make a line an altered original."""

Truth = dict[Hashable, list[int]]


@dataclass(frozen=True)
class Released:
    """A line of a release: its JSON object, its bytes, and the bytes since the line before it."""

    values: dict[str, Any]
    raw: bytes
    lead: bytes = b""


@dataclass(frozen=True)
class Line:
    """One released line whose original is known.

    Attributes:
        released: the line as it was read.
        place: its number among the released lines, from 0.
        origin: line of its comparison in the original, from 0.
        prompt: the original prompt.
        chosen, rejected: the original responses.
        first_chosen: whether response_1 is the chosen one.
    """

    released: Released
    place: int
    origin: int
    prompt: str
    chosen: str
    rejected: str
    first_chosen: bool

    @property
    def values(self) -> dict[str, Any]:
        """The whole JSON object."""
        return self.released.values

    @cached_property
    def comparison(self) -> tuple[str, str, str]:
        """Prompt and unordered pair of the original."""
        return unlabelled((self.prompt, self.chosen, self.rejected))[:3]

    @property
    def originals(self) -> tuple[str, str]:
        """The original texts of response_1 and response_2."""
        pair = (self.chosen, self.rejected)
        return pair if self.first_chosen else (pair[1], pair[0])


@dataclass(frozen=True)
class MatchedRelease:
    """Released lines with known truth.

    Attributes:
        lines: (n,) one for each released line that could be matched.
        unmatched: places of released lines without an original.
        disputed: released lines whose comparison has both labels in the original.
        missing: original comparisons that the release does not have, with their label in the
            text frame.
        copies: lines of each comparison, released less original.
        read: all lines of the release, and those among them whose label is +1.
    """

    lines: tuple[Line, ...]
    unmatched: tuple[int, ...]
    disputed: int
    missing: tuple[tuple[tuple[str, str, str], int], ...]
    copies: dict[tuple[str, str, str], int]
    read: tuple[int, int]

    @cached_property
    def truth(self) -> np.ndarray:
        """(n,) ±1 in the released frame."""
        return np.array([1 if line.first_chosen else -1 for line in self.lines], dtype=int)

    @cached_property
    def labels(self) -> np.ndarray:
        """(n,) ±1 as released."""
        return np.array([int(line.values["label"]) for line in self.lines], dtype=int)

    @cached_property
    def position(self) -> np.ndarray:
        """(n,) +1 where response_1 is the one first in order of code points."""
        first = np.array([line.chosen < line.rejected for line in self.lines], dtype=bool)
        return self.truth * np.where(first, 1, -1)

    @property
    def kept(self) -> np.ndarray:
        """(n,) +1 where the released label is the true one, −1 where it was flipped."""
        return self.truth * self.labels

    @cached_property
    def one_a_comparison(self) -> MatchedRelease:
        """The first line of each comparison in the original: independent evidence.

        Texts that differ only in case, white space or compatible characters are one comparison.
        """
        kept: dict[Hashable, Line] = {}
        for line in sorted(self.lines, key=lambda line: (line.origin, line.place)):
            kept.setdefault(folded("\0".join(line.comparison)), line)
        lines = sorted(kept.values(), key=lambda line: line.place)
        return replace(self, lines=tuple(lines))

    def some(self, places: np.ndarray) -> MatchedRelease:
        """The lines at some places alone."""
        return replace(self, lines=tuple(self.lines[i] for i in places))


def match_release(release: Path, original: Path) -> MatchedRelease:
    """Match released lines with the original by their texts.

    Raises:
        BadInput: a faulty file, or too few lines in common to say anything.
    """
    released = list(read_release(release))
    records = list(read_records(str(original), "original"))
    matched = match(released, records)
    if len(matched.one_a_comparison.lines) < FEWEST:
        raise BadInput(
            "original", original, f"has fewer than {FEWEST} comparisons in common with the release"
        )
    return matched


def read_release(path: Path) -> Iterator[Released]:
    """The lines of a release with their bytes; what follows the last line leads nothing.

    Raises:
        BadInput: names the first line that is not of the format.
    """
    raw: list[bytes] = []
    after = 0
    for number, value in json_lines(str(path), "OUT"):
        raw = raw or _raw_lines(path)
        fault = _fault(value)
        if fault:
            raise BadInput("OUT", path, f"line {number}: {fault}")
        lead = b"".join(part + b"\n" for part in raw[after : number - 1])
        yield Released(value, raw[number - 1], lead)
        after = number
    if not after:
        raise BadInput("OUT", path, "holds no records")


def match(released: list[Released], records: list[Record]) -> MatchedRelease:
    """Match by exact texts, else by letters and digits, by parts, and by likeness."""
    finder = _Finder(records)
    lines, lost, disputed = [], [], 0
    for place, line in enumerate(released):
        found = finder.exact(line.values)
        if len(found) > 1 and len({unlabelled(records[i])[3] for i in found}) > 1:
            disputed += 1
        elif found or (found := finder.altered(line.values)):
            lines.append(_line(line, place, found[0], records))
        else:
            lost.append(place)
    likely = nearest_texts([_texts(released[place].values) for place in lost], records)
    for place, origin in zip(lost, likely, strict=True):
        if origin is not None:
            lines.append(_line(released[place], place, origin, records))
    unmatched = tuple(p for p, origin in zip(lost, likely, strict=True) if origin is None)
    lines.sort(key=lambda line: line.place)
    missing, copies = _counted(lines, records, bool(disputed))
    read = len(released), sum(line.values["label"] > 0 for line in released)
    return MatchedRelease(tuple(lines), unmatched, disputed, missing, copies, read)


class _Finder:
    """Originals of a released line; what altered texts need is built when one is met."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        self._exact = _by(records, _comparison)

    def exact(self, values: dict[str, Any]) -> list[int]:
        return self._exact.get(_comparison(_texts(values)), [])

    def altered(self, values: dict[str, Any]) -> list[int]:
        """The most alike of the originals that share most with a line, at most one."""
        record = _texts(values)
        for key, ladder in zip(KEYS, self._ladders, strict=True):
            found = ladder.get(key(record), [])[:CANDIDATES]
            alike = [_common(record, self.records[i]) for i in found]
            if found and max(alike) >= ALIKE:
                return [found[int(np.argmax(alike))]]
        return []

    @cached_property
    def _ladders(self) -> list[Truth]:
        return [_by(self.records, key) for key in KEYS]


def _comparison(record: Record) -> Hashable:
    return unlabelled(record)[:3]


def _letters(record: Record) -> Hashable:
    prompt, *pair = map(letters, record)
    return prompt, tuple(sorted(pair))


def _pair(record: Record) -> Hashable:
    return tuple(sorted(map(letters, record[1:])))


def _prompt(record: Record) -> Hashable:
    return letters(record[0])


KEYS: tuple[Callable[[Record], Hashable], ...] = (_letters, _pair, _prompt)
"""What a line and its original may share, most telling first."""


def _by(records: Iterable[Record], key: Callable[[Record], Hashable]) -> Truth:
    found: Truth = defaultdict(list)
    for origin, record in enumerate(records):
        found[key(record)].append(origin)
    return found


def _line(released: Released, place: int, origin: int, records: list[Record]) -> Line:
    record = records[origin]
    return Line(released, place, origin, *record, _first_is_chosen(released.values, record))


def _counted(lines: list[Line], records: list[Record], disputed: bool):
    """Missing comparisons, and how often the others come more often than in the original."""
    have = Counter(line.comparison for line in lines)
    known = [unlabelled(record) for record in records]
    wanted = Counter(one[:3] for one in known)
    sides = {} if disputed else {one[:3]: 1 - 2 * one[3] for one in known}
    missing = tuple((key, side) for key, side in sides.items() if key not in have)
    return missing, {key: have[key] - wanted[key] for key in have}


def _texts(values: dict[str, Any]) -> Record:
    return values["prompt"], values["response_1"], values["response_2"]


def _first_is_chosen(values: dict[str, Any], record: Record) -> bool:
    """Whether response_1 is the chosen one: by a text that was left alone, else by likeness."""
    _, first, second = _texts(values)
    _, chosen, rejected = record
    for same in (lambda a, b: a == b, lambda a, b: letters(a) == letters(b)):
        straight = same(first, chosen) + same(second, rejected)
        crossed = same(first, rejected) + same(second, chosen)
        if straight != crossed:
            return straight > crossed
    kept = _alike(first, chosen) + _alike(second, rejected)
    return kept >= _alike(first, rejected) + _alike(second, chosen)


def _common(record: Record, other: Record) -> float:
    """How much two records have in common, whichever response is the chosen one."""
    pair, texts = " ".join(sorted(record[1:])), " ".join(sorted(other[1:]))
    return _alike(record[0], other[0]) + 2 * _alike(pair, texts)


def _alike(a: str, b: str) -> float:
    """Share of trigrams in common."""
    one, other = trigrams(a), trigrams(b)
    return len(one & other) / max(1, len(one | other))


def _raw_lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError as problem:
        raise unreadable("OUT", path, problem) from None


def _fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "not a JSON object with prompt, response_1, response_2 and label"
    for name in ("prompt", "response_1", "response_2"):
        if not isinstance(value.get(name), str):
            return f"field {name!r} is missing or not a string"
    label = value.get("label")
    if isinstance(label, bool) or label not in (1, -1):
        return "field 'label' must be 1 or -1"
    return ""
