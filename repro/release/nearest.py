"""The original of a line whose every text was altered: the one with most trigrams in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from repro.release.records import Record

MOST = 5000
"""Lines and originals beyond which nothing is looked for: similarity takes their product."""

ALIKE = 0.5
"""Cosine of trigram counts that makes a line an altered original."""


def nearest_texts(lines: Sequence[Record], records: Sequence[Record]) -> list[int | None]:
    """For each line the most similar record, or None where none is similar enough.

    Args:
        lines: prompt and two responses, in any order.
        records: the originals.
    """
    if not lines or len(lines) > MOST:
        return [None] * len(lines)
    from sklearn.feature_extraction.text import HashingVectorizer

    hashed: Any = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 3), n_features=1 << 16)
    known: Any = hashed.transform(map(_bag, records)).T.tocsr()
    found: list[int | None] = []
    for start in range(0, len(lines), 100):
        likeness = (hashed.transform(map(_bag, lines[start : start + 100])) @ known).toarray()
        best = np.argmax(likeness, axis=1)
        found += [
            int(i) if row[i] >= ALIKE else None for i, row in zip(best, likeness, strict=True)
        ]
    return found


def _bag(record: Record) -> str:
    return " ".join((record[0], *sorted(record[1:])))
