"""A release laid beside its original, as the attacker's examiner sees it.

Two frames name the label of a comparison: in the *released* frame +1 means that response_1 was
chosen, in the *text* frame that the response first in order of code points was chosen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.release.comparison import unlabelled
from repro.release.records import Record, json_lines, read_records

FEWEST = 20
COMPARED = 2000
"""Characters of altered texts that are compared."""

Truth = dict[Hashable, list[tuple[int, Record]]]


@dataclass(frozen=True)
class Line:
    """One released line whose original is known.

    Attributes:
        values: the whole JSON object.
        place: its line in the release, from 0.
        origin: line of its comparison in the original, from 0.
        chosen, rejected: the original responses.
        first_chosen: whether response_1 is the chosen one.
        prompt: the original prompt.
    """

    values: dict[str, Any]
    place: int
    origin: int
    prompt: str
    chosen: str
    rejected: str
    first_chosen: bool

    @property
    def comparison(self) -> tuple[str, str, str]:
        """Prompt and unordered pair of the original."""
        return unlabelled((self.prompt, self.chosen, self.rejected))[:3]


@dataclass(frozen=True)
class Opened:
    """Released lines with known truth.

    Attributes:
        lines: (n,) one per released line that could be matched.
        unmatched: released lines without an original.
        disputed: released lines whose comparison has both labels in the original.
        missing: original comparisons that the release does not have.
    """

    lines: tuple[Line, ...]
    unmatched: int
    disputed: int
    missing: int

    @property
    def truth(self) -> np.ndarray:
        """(n,) ±1 in the released frame."""
        return np.array([1 if line.first_chosen else -1 for line in self.lines])

    @property
    def labels(self) -> np.ndarray:
        """(n,) ±1 as released."""
        return np.array([line.values["label"] for line in self.lines])

    @property
    def position(self) -> np.ndarray:
        """(n,) +1 where response_1 is the one first in order of code points."""
        first = [line.chosen < line.rejected for line in self.lines]
        return self.truth * np.where(first, 1, -1)

    def one_a_comparison(self) -> Opened:
        """The first line of each comparison: independent evidence."""
        kept = {line.comparison: line for line in reversed(self.lines)}
        lines = sorted(kept.values(), key=lambda line: line.place)
        return Opened(tuple(lines), self.unmatched, self.disputed, self.missing)


def read_release(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a release.

    Raises:
        BadInput: names the first line that is not of the format.
    """
    found = []
    for number, value in json_lines(str(path), "OUT"):
        fault = _fault(value)
        if fault:
            raise BadInput("OUT", path, f"line {number}: {fault}")
        found.append(value)
    if not found:
        raise BadInput("OUT", path, "holds no records")
    return found


def open_release(release: Path, original: Path) -> Opened:
    """Match released lines with the original by their texts.

    Raises:
        BadInput: a faulty file, or too few lines in common to say anything.
    """
    released = read_release(release)
    records = list(read_records(str(original), "original"))
    opened = match(released, records)
    if len(opened.one_a_comparison().lines) < FEWEST:
        raise BadInput(
            "original", original, f"has fewer than {FEWEST} comparisons in common with the release"
        )
    return opened


def match(released: list[dict[str, Any]], records: list[Record]) -> Opened:
    """Match by exact texts, else by letters and digits alone, else by the prompt."""
    ladders = [_by(records, _exact), _by(records, _letters), _by(records, _prompt)]
    lines, unmatched, disputed = [], 0, 0
    for place, values in enumerate(released):
        found = _candidates(values, ladders)
        if not found:
            unmatched += 1
            continue
        if len({(*_exact(record), unlabelled(record)[3]) for _, record in found}) > 1:
            disputed += 1
            continue
        origin, record = found[0]
        lines.append(Line(values, place, origin, *record, _first_is_chosen(values, record)))
    have = {line.comparison for line in lines}
    wanted = {_exact(record) for record in records}
    return Opened(tuple(lines), unmatched, disputed, len(wanted - have) if not disputed else 0)


def _candidates(values: dict[str, Any], ladders: list[Truth]) -> list[tuple[int, Record]]:
    record = (values["prompt"], values["response_1"], values["response_2"])
    for truth, key in zip(ladders, (_exact, _letters, _prompt), strict=True):
        found = truth.get(key(record))
        if found:
            return found
    return []


def _by(records: Iterable[Record], key: Callable[[Record], Hashable]) -> Truth:
    found: Truth = defaultdict(list)
    for origin, record in enumerate(records):
        found[key(record)].append((origin, record))
    return found


def _exact(record: Record) -> tuple[str, ...]:
    return unlabelled(record)[:3]


def _letters(record: Record) -> Hashable:
    prompt, *pair = (re.sub(r"\W+", "", text).casefold() for text in record)
    return prompt, tuple(sorted(pair))


def _prompt(record: Record) -> Hashable:
    return re.sub(r"\W+", "", record[0]).casefold()


def _first_is_chosen(values: dict[str, Any], record: Record) -> bool:
    first, second = values["response_1"], values["response_2"]
    _, chosen, rejected = record
    if {first, second} == {chosen, rejected}:
        return first == chosen
    kept = _alike(first, chosen) + _alike(second, rejected)
    return kept >= _alike(first, rejected) + _alike(second, chosen)


def _alike(a: str, b: str) -> float:
    if a.strip() == b.strip():
        return 2.0
    inside = 1.0 if a in b or b in a else 0.0
    return inside + SequenceMatcher(None, a[:COMPARED], b[:COMPARED], autojunk=True).ratio()


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
