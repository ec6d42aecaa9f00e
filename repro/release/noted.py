"""What of an input is noted in the ledger, and what of it the ledger knows as released."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from repro.base.errors import number_of
from repro.release.canonical import also_spent, near_key
from repro.release.ledger import Ledger
from repro.release.sorted_rows import ComparisonRow

MOST_GROUPS, MOST_OF_ONE = 20, 10
"""Groups of near-copies that are named, and records of one group."""
_DIALOGUE = re.compile(rb'\{"prompt":"(?:\s|\\n)*(?:System|Human|Assistant):')


def _also_spent(body: bytes) -> list[tuple[bytes, bytes]]:
    """Key and near key of what is spent with a comparison beside its own."""
    if not _DIALOGUE.match(body):
        return []
    prompt, first, second, _ = json.loads(body + b"1}").values()
    return also_spent(prompt, first, second)


class Noted:
    """What of a debit is noted in the ledger as its lines are written.

    All of it follows from the texts, which are public; nothing from the labels.

    Attributes:
        shared: keys that a line before had.
        near: lines that differ from one before in case and punctuation only.
    """

    def __init__(self, ledger: Ledger, number: int) -> None:
        self._ledger, self._number = ledger, number
        self.shared = self.near = 0
        self._groups: dict[int, list[int]] = {}

    def add(self, rows: list[ComparisonRow]) -> None:
        """Note some lines."""
        also = [pair for row in rows for pair in _also_spent(row.body)]
        keys = [row.key for row in rows] + [key for key, _ in also]
        self.shared += self._ledger.note(self._number, keys)
        for _, near in also:
            self._ledger.note_near(near, None)
        for row in rows:
            first = self._ledger.note_near(near_key(row.body), row.number)
            if first is not None:
                self.near += 1
                self._groups.setdefault(first, [first]).append(row.number)

    @property
    def near_words(self) -> str:
        """Which lines are near-copies, and what allows them."""
        groups = sorted(map(sorted, self._groups.values()))
        named = "; ".join(map(_numbers, groups[:MOST_GROUPS]))
        more = len(groups) - MOST_GROUPS
        others = f"; and {number_of(more, 'group')} more" if more > 0 else ""
        each = " of each group" if len(groups) > 1 else ""
        return (
            f"records {named}{others} differ in case or punctuation only, so two answers to one "
            f"label could be averaged; allowed: one record{each}, or near_copies=true, which "
            "releases all at epsilon each, as judgements of different people"
        )


def _numbers(group: list[int]) -> str:
    """Records of one group of near-copies, counted from 1.

    >>> _numbers([4, 0, 2])
    '5, 1 and 3'
    """
    return _named(group[:MOST_OF_ONE], len(group))


def _named(first: Sequence[int], count: int) -> str:
    """Of so many records the first ones, and how many more there are."""
    more = [f"{count - len(first)} more"] if count > len(first) else []
    *others, last = [*(str(number + 1) for number in first), *more]
    return f"{', '.join(others)} and {last}" if others else last


@dataclass(frozen=True)
class Overlap:
    """What of an input releases of labels have answered before; it follows from texts alone.

    Attributes:
        comparisons: of the input.
        released: how many of them were released before.
        near: how many of these in other case or punctuation alone.
        first: places of the first of these records, from 0.
    """

    comparisons: int
    released: int
    near: int
    first: list[int]

    @classmethod
    def of(cls, rows: Iterable[ComparisonRow], ledger: Ledger, number: int) -> Overlap:
        """Of comparisons that are noted in a debit that has begun."""
        comparisons, near, places = 0, 0, array("q")
        for row in rows:
            comparisons += 1
            also = _also_spent(row.body)
            near_keys = [near_key(row.body), *(key for _, key in also)]
            same = ledger.knows(number, row.key, [key for key, _ in also])
            if same or ledger.knows(number, row.key, near_keys):
                places.append(row.number)
                near += not same
        return cls(comparisons, len(places), near, nsmallest(MOST_OF_ONE, places))

    @property
    def in_words(self) -> str:
        """Such as 10 of 60 comparisons."""
        return f"{self.released} of {number_of(self.comparisons, 'comparison')}"

    @property
    def apart(self) -> str:
        """That some of them were released in other case or punctuation alone, if any were."""
        some = "" if self.near == self.released else f"{self.near} of them "
        return f", {some}in other case or punctuation" if self.near else ""

    @property
    def records(self) -> str:
        """The first ones, and how many more there are."""
        word = "records" if self.released > 1 else "record"
        return f"{word} {_named(self.first, self.released)}"
