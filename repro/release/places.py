"""Where lines stand: the order of a release, its doubles and its gaps."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from scipy.stats import norm

from repro.release.matching import Line, MatchedRelease
from repro.release.scoring import Excess, excess
from repro.release.strata import numbered

PERMUTATIONS = 64
NEARBY = 3

KEYS: dict[str, Callable[[str], Hashable]] = {
    "text": lambda text: text,
    "text in small letters": str.casefold,
    "text read backwards": lambda text: text[::-1],
    "length": len,
    "words": lambda text: len(text.split()),
    "md5": lambda text: hashlib.md5(text.encode()).digest(),
    "sha1": lambda text: hashlib.sha1(text.encode()).digest(),
    "sha256": lambda text: hashlib.sha256(text.encode()).digest(),
    "crc32": lambda text: zlib.crc32(text.encode()),
}
"""What lines may be sorted by: a key of their chosen, or rejected, response."""


def order_tokens(matched: MatchedRelease, looked: np.ndarray) -> list[list[str]]:
    """Tokens for each line that is looked at of where it stands."""
    lines, lost = matched.lines, set(matched.unmatched)
    return [[*numbered(i, len(lines)), *_gaps(lines[i], lost)] for i in looked.tolist()]


def moved_tokens(matched: MatchedRelease, looked: np.ndarray) -> list[list[str]]:
    """The same of where it stands here, against where in the original."""
    origins = np.argsort(np.argsort([line.origin for line in matched.lines]))
    return [list(_beside(i, origins)) for i in looked.tolist()]


def count_tokens(
    matched: MatchedRelease, every: MatchedRelease, looked: np.ndarray
) -> list[list[str]]:
    """Tokens for each comparison of how often it is released, and where its copies are.

    Args:
        matched: one line of each comparison.
        every: all lines.
        looked: places of the lines that are looked at.
    """
    places: dict[Hashable, list[int]] = {}
    for line in every.lines:
        places.setdefault(line.comparison, []).append(line.place)
    lines = [matched.lines[i] for i in looked]
    return [list(_copies(line, places[line.comparison], matched)) for line in lines]


def sorted_guess(matched: MatchedRelease, fit: np.ndarray) -> Iterator[tuple[str, Callable]]:
    """For each key two rules: which response stands where its neighbours' chosen ones would.

    Yields:
        words, and a function from places (n,) to ±1: response_1 or response_2 is the chosen one.
    """
    for name, key in KEYS.items():
        ranks = _ranks(matched, key)
        told = np.where(matched.truth > 0, ranks[:, 0], ranks[:, 1])
        other = np.where(matched.truth > 0, ranks[:, 1], ranks[:, 0])
        yield f"sorted by {name} of chosen", _rule(ranks, told, fit, 1)
        yield f"sorted by {name} of rejected", _rule(ranks, other, fit, -1)


def beyond_chance(
    matched: MatchedRelease, rule: Callable, test: np.ndarray, strata: np.ndarray
) -> Excess:
    """The hits of a rule, unless it does as well where lines are thrown about.

    Which of two responses looks nearer depends on the texts, and these may tell the label; a rule
    that needs the order of lines is worse where there is none.
    """
    count = len(matched.lines)
    found = _hits(matched, rule(np.arange(count)), test, strata)
    random = np.random.default_rng(0)
    right = (rule(random.permutation(count)) == matched.truth for _ in range(PERMUTATIONS))
    hits = [int(there[test].sum()) for there in right]
    spread = max(float(np.std(hits, ddof=1)), 0.5)
    shuffled = float(norm.sf((found.hits - 0.5 - np.mean(hits)) / spread))
    worst = max(found.p_value, shuffled)
    return Excess(found.hits, found.trials, found.expected, worst, found.critical, found.level)


def _hits(
    matched: MatchedRelease, guess: np.ndarray, test: np.ndarray, strata: np.ndarray
) -> Excess:
    kept = guess * matched.labels
    return excess(kept[test], matched.kept[test], strata[test])


def _rule(ranks: np.ndarray, told: np.ndarray, fit: np.ndarray, sign: int) -> Callable:
    def nearer(places: np.ndarray) -> np.ndarray:
        known = fit[np.argsort(places[fit])]
        curve = np.interp(places, places[known], told[known])
        misfit = np.abs(ranks - curve[:, None])
        return sign * np.sign(misfit[:, 1] - misfit[:, 0]).astype(int)

    return nearer


def _ranks(matched: MatchedRelease, key: Callable[[str], Hashable]) -> np.ndarray:
    """(n, 2) share of all responses that come before response_1 and response_2."""
    keys = [key(line.originals[i]) for i in (0, 1) for line in matched.lines]
    places = {value: place for place, value in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    ranks = np.array([places[value] for value in keys]) / max(1, len(places) - 1)
    return ranks.reshape(2, -1).T


def _beside(i: int, origins: np.ndarray) -> Iterator[str]:
    """A line's number in the original against its number here, and against its neighbours'."""
    origin = int(origins[i])
    moved = max(-NEARBY, min(NEARBY, i - origin))
    yield f"moved {moved}"
    yield f"same parity as in the original {(i - origin) % 2}"
    for step in (-2, -1, 1, 2):
        if 0 <= i + step < len(origins):
            yield f"line at {step} comes later in the original {origins[i + step] > origin}"
    if (i ^ 1) < len(origins):
        yield f"first of two {i % 2 == 0} {origins[i ^ 1] > origin}"


def _gaps(line: Line, lost: set[int]) -> Iterator[str]:
    for step in (-1, 1):
        if line.place + step in lost:
            yield f"unknown line at {step}"


def _copies(line: Line, places: Sequence[int], matched: MatchedRelease) -> Iterator[str]:
    more = matched.copies[line.comparison]
    if more:
        yield f"copies {max(-3, min(3, more))}"
        yield f"copies mod 2 {more % 2}"
    gaps = [abs(place - line.place) for place in places if place != line.place]
    if gaps:
        yield f"next to a copy {min(gaps) == 1}"
