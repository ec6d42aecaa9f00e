"""What was done to the texts of a line, where they are not as in the original.

A rule that every line of the file follows (white space stripped, Unicode composed) is a function of
the texts and says nothing about a label; it is taken for granted before differences are sought.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from repro.release.matching import Line

RULES: tuple[Callable[[str], str], ...] = (
    str,
    str.strip,
    str.rstrip,
    lambda text: unicodedata.normalize("NFC", text),
    lambda text: unicodedata.normalize("NFC", text).strip(),
    lambda text: unicodedata.normalize("NFKC", text),
    lambda text: " ".join(text.split()),
    lambda text: " ".join(unicodedata.normalize("NFC", text).split()),
    lambda text: text.replace("\r\n", "\n"),
)
"""What an honest writer may do to every text of a file."""

FIELDS = ("prompt", "response_1", "response_2")
PARTS = 8
"""Parts of a text in which an edit is placed."""
FEW = 4
"""Characters of an edit that are spelt out."""


def edit_tokens(lines: Sequence[Line]) -> list[list[str]]:
    """Tokens for each line: none where every text follows one rule of the file."""
    tokens: list[list[str]] = [[] for _ in lines]
    for place, field in enumerate(FIELDS):
        pairs = [((line.prompt, *line.originals)[place], line.values[field]) for line in lines]
        rule = _rule(pairs)
        for line, found, (original, released) in zip(lines, tokens, pairs, strict=True):
            if rule(original) != released:
                found += _named(line, place, set(_edit(rule(original), released)))
    return tokens


def _rule(pairs: Sequence[tuple[str, str]]) -> Callable[[str], str]:
    """The rule that explains most texts; the first, doing nothing, where several do."""
    if all(original == released for original, released in pairs):
        return str
    return max(RULES, key=lambda rule: sum(rule(a) == b for a, b in pairs))


def _named(line: Line, place: int, edits: set[str]) -> Iterator[str]:
    """Every edit, in the released frame, in the text frame, and of any text."""
    frame = "p"
    if place:
        frame = "a" if line.originals[place - 1] == line.comparison[1] else "b"
    for edit in sorted(edits):
        yield f"{FIELDS[place]} {edit}"
        yield f"{frame} {edit}"
        yield f"any {edit}"


def _edit(old: str, new: str) -> Iterator[str]:
    """One text's differences."""
    yield "differs"
    yield f"longer by {max(-9, min(9, len(new) - len(old)))}"
    yield f"length mod 2 {(len(new) - len(old)) % 2}"
    yield from _middle(old, new)
    yield from _characters(Counter(new) - Counter(old), "+")
    yield from _characters(Counter(old) - Counter(new), "-")
    was, now = set(old.split()), set(new.split())
    yield from (f"word +{word[:20]}" for word in sorted(now - was)[:FEW])
    yield from (f"word -{word[:20]}" for word in sorted(was - now)[:FEW])


def _middle(old: str, new: str) -> Iterator[str]:
    """Where the texts begin to differ, and what lies between there and where they agree again."""
    start = _same(old, new)
    rest, fresh = old[start:], new[start:]
    end = _same(rest[::-1], fresh[::-1])
    gone, come = rest[: len(rest) - end], fresh[: len(fresh) - end]
    yield f"at {'start' if not start else 'end' if not end else 'inside'}"
    yield f"in part {start * PARTS // max(1, len(old))}"
    yield f"place mod 2 {start % 2}"
    yield f"after {old[start - 1 : start]!r}"
    yield f"{gone[:FEW]!r} becomes {come[:FEW]!r}"
    yield f"edit of {min(len(gone), 9)} to {min(len(come), 9)}"
    yield f"first edit in sentence {old[:start].count('.') % 2}"


def _same(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    shorter = min(len(one), len(other))
    return next((i for i in range(shorter) if one[i] != other[i]), shorter)


def _characters(found: Counter[str], sign: str) -> Iterator[str]:
    for char, count in found.items():
        yield f"{sign}{char!r}"
        yield f"{sign}{char!r} {min(count, 9)} times"
        yield f"{sign}{char!r} count mod 2 {count % 2}"
        yield f"{sign}{unicodedata.category(char)}"
    if not found:
        yield f"{sign}nothing"
