"""Numbers in fields that come of the characters of one response, in any proportion.

A score may be any sum of counts: vowels, capitals, stops.  Which is learned from the chosen
responses of some lines; then a number is nearer to what one response gives than the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from repro.release.extra_fields import numbers
from repro.release.matching import Line

CODES = 128
"""Characters that are counted apart; the others are one."""
RIDGE = 1e-3
"""Keeps the fit of characters that never come finite."""
FEWEST = 50
"""Lines below which a proportion would fit anything."""


def fitted_tokens(lines: Sequence[Line], fit: np.ndarray) -> list[list[str]]:
    """Tokens for each line: the response that each number of it is nearer to.

    Args:
        lines: (n,) lines.
        fit: places of those that proportions are learned from.
    """
    tokens: list[list[str]] = [[] for _ in lines]
    if fit.size < FEWEST or not (found := numbers(lines)):
        return tokens
    first, second = (_counts([line.originals[i] for line in lines]) for i in (0, 1))
    chosen = np.where(np.array([[line.first_chosen] for line in lines]), first, second)
    for name, values in found.items():
        known = fit[np.isfinite(values[fit])]
        values = values / np.nanmax(np.abs(values), initial=1.0)  # squares must stay finite
        weights = _weights(chosen[known], values[known])
        nearer = np.sign(np.abs(values - second @ weights) - np.abs(values - first @ weights))
        for some, side in zip(tokens, nearer, strict=True):
            some.append(f"{name} fits {side}")
    return tokens


def _counts(texts: Sequence[str]) -> np.ndarray:
    """(n, CODES + 2): 1, how often each character comes, and words."""
    found = np.ones((len(texts), CODES + 2))
    for row, text in zip(found, texts, strict=True):
        codes = np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)
        row[1:-1] = np.bincount(codes, minlength=CODES)
        row[-1] = len(text.split())
    return found


def _weights(counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    gram = counts.T @ counts + RIDGE * np.eye(counts.shape[1])
    return np.linalg.solve(gram, counts.T @ values)
