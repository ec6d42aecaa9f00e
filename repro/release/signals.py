"""Everything in a line besides its texts and label that might tell the label.

A signal gives one small category a line.  What each category says is learned on one half of the
lines: about the label in the released frame, in the text frame, or about whether it was flipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from repro.release.opened import Opened

FIELDS = frozenset({"prompt", "response_1", "response_2", "label"})
MOST_CATEGORIES = 64
BLOCKS = 16


def line_signals(opened: Opened) -> Iterator[tuple[str, list[Hashable]]]:
    """Where a line stands, and how it is written."""
    count = len(opened.lines)
    yield "line parity", [line.place % 2 for line in opened.lines]
    yield "line number", [i * BLOCKS // count for i in range(count)]
    yield "order of fields", [tuple(line.values) for line in opened.lines]


def field_signals(opened: Opened) -> Iterator[tuple[str, list[Hashable]]]:
    """What extra fields hold, roughly: their value, sign, parity, size, first character."""
    names = {name for line in opened.lines for name in line.values if name not in FIELDS}
    for name in sorted(names):
        values = [line.values.get(name) for line in opened.lines]
        for kind, categories in _views(values):
            yield f"{kind} of field {name[:40]!r}", categories


def edit_signals(opened: Opened) -> Iterator[tuple[str, list[Hashable]]]:
    """What was done to the two responses, where they are not as in the original."""
    pairs = [_originals(line) for line in opened.lines]
    texts = [(line.values["response_1"], line.values["response_2"]) for line in opened.lines]
    both = list(zip(texts, pairs, strict=True))
    yield "altered response", [tuple(a != b for a, b in zip(t, p, strict=True)) for t, p in both]
    grown = [tuple(len(a) - len(b) for a, b in zip(t, p, strict=True)) for t, p in both]
    yield "longer by", [int(np.sign(a - b)) for a, b in grown]
    yield "white space at the end", [tuple(a != a.rstrip() for a in t) for t, _ in both]
    yield (
        "added at the start",
        [tuple(_added(a, b, 1) for a, b in zip(*x, strict=True)) for x in both],
    )
    yield (
        "added at the end",
        [tuple(_added(a, b, -1) for a, b in zip(*x, strict=True)) for x in both],
    )


def guesses(
    categories: Sequence[Hashable], target: np.ndarray, fit: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """(len(test),) ±1: the commoner target of each category in the ``fit`` half."""
    score: dict[Hashable, int] = {}
    for i in fit:
        score[categories[i]] = score.get(categories[i], 0) + int(target[i])
    usual = 1 if int(target[fit].sum()) >= 0 else -1
    return np.array([1 if (score.get(categories[i], 0) or usual) > 0 else -1 for i in test])


def few(categories: Sequence[Hashable]) -> bool:
    """Whether there are few enough categories to learn from, and more than one."""
    return 1 < len(set(categories)) <= MOST_CATEGORIES


def _views(values: list[Any]) -> Iterator[tuple[str, list[Hashable]]]:
    texts = ["" if value is None else str(value) for value in values]
    common = {text for text, _ in Counter(texts).most_common(MOST_CATEGORIES - 1)}
    yield "value", [text if text in common else "(other)" for text in texts]
    yield "first character", [text[:1] for text in texts]
    yield "parity", [_parity(text) for text in texts]
    numbers = np.array([_number(value) for value in values])
    if np.isfinite(numbers).any():
        yield "sign", [float(np.sign(x)) if np.isfinite(x) else None for x in numbers]
        cuts = np.nanquantile(numbers[np.isfinite(numbers)], np.arange(1, BLOCKS) / BLOCKS)
        yield "size", np.searchsorted(cuts, numbers).tolist()


def _parity(text: str) -> int | None:
    last = re.search(r"([0-9a-fA-F])\W*$", text)
    return int(last.group(1), 16) % 2 if last else None


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _originals(line) -> tuple[str, str]:
    pair = (line.chosen, line.rejected)
    return pair if line.first_chosen else (pair[1], pair[0])


def _added(released: str, original: str, side: int) -> str:
    """Up to 20 characters that the release has more than the original, at one end."""
    extra = len(released) - len(original)
    if extra <= 0:
        return ""
    if side > 0 and released.endswith(original):
        return released[:extra][:20]
    if side < 0 and released.startswith(original):
        return released[-extra:][:20]
    return ""
