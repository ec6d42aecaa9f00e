"""Coins that lines share: with neighbours, with lines of the same text, or from a short supply.

Flips of different comparisons are independent, so of two lines the one's flip says nothing about
the other's.  Pairs are taken so that no line is in two of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
from scipy.signal import fftconvolve

from repro.release.matching import Line, MatchedRelease
from repro.release.scoring import Finding, excess, independent

LIKELIEST = 20
"""Distances that are looked at closely; all count as searched."""


def shared_coins(matched: MatchedRelease) -> Iterator[Finding]:
    """Whether lines at one distance, or with one text, share their coin."""
    orders = {"in the release": [line.place for line in matched.lines]}
    orders["in the original"] = [line.origin for line in matched.lines]
    for words, places in orders.items():
        yield _at_a_distance(matched.kept[np.argsort(places, kind="stable")], words)
    yield _same_text(matched)


def _at_a_distance(kept: np.ndarray, words: str) -> Finding:
    """The distance at which flips agree, or differ, most; corrected for all distances."""
    count = kept.size
    centred = kept - kept.mean()
    sums = fftconvolve(centred, centred[::-1])[count - 1 :][: count // 2 + 1]
    scale = np.abs(sums[1:]) / np.sqrt(np.arange(count - 1, count - sums.size, -1))
    searched = 2 * max(1, scale.size)
    best = None
    for lag in 1 + np.argsort(-scale, kind="stable")[:LIKELIEST]:
        first = np.flatnonzero(np.arange(count - lag) // lag % 2 == 0)
        sign = 1 if sums[lag] >= 0 else -1
        one, other = sign * kept[first], kept[first + lag]
        found = excess(one, other, np.zeros(first.size, dtype=int), searched)
        if best is None or found.p_value < best[0].p_value:
            best = found, int(lag)
    assert best is not None
    detail = f"flips of lines {best[1]} apart {words}"
    return independent("shared coins", best[0], detail)


def _same_text(matched: MatchedRelease) -> Finding:
    """Pairs of comparisons with the same prompt, or one response in common."""
    kept, pairs = matched.kept, list(_pairs(matched.lines))
    one, other = (np.array([pair[i] for pair in pairs], dtype=int) for i in (0, 1))
    strata = np.array([pair[2] for pair in pairs], dtype=int)
    found = excess(kept[one], kept[other], strata)
    return independent("shared coins", found, "flips of lines with a text in common")


def _pairs(lines: tuple[Line, ...]) -> Iterator[tuple[int, int, int]]:
    taken: set[int] = set()
    for kind, texts in enumerate(zip(*(line.comparison for line in lines), strict=True)):
        waiting: dict[Hashable, int] = {}
        for i, text in enumerate(texts):
            if i in taken:
                continue
            if text in waiting:
                partner = waiting.pop(text)
                taken |= {i, partner}
                yield partner, i, kind
            else:
                waiting[text] = i
