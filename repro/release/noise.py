"""Noise that is weaker for some lines than for others: by their texts, or where they stand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repro.base.notation import keep_prob
from repro.release.matching import Line, MatchedRelease
from repro.release.scoring import Finding, chance, scored
from repro.release.strata import QUICK, Split

SHARES = (0.5, 0.25, 0.1, 0.05)
"""Shares of lines, the surest, whose label is believed (or its contrary)."""
BLOCKS = 16
WORDS = 12
FEATURES = 1 << 15


def uneven_noise(matched: MatchedRelease, epsilon: float, parts: Split) -> Finding:
    """Believe the labels of lines that look as if they were kept, or flipped, most often.

    Args:
        matched: (n,) lines.
        epsilon: budget, which bounds the accuracy for every choice of lines.
        parts: which lines to fit, choose and count.
    """
    limit, words = keep_prob(epsilon), "labels of lines that seem to have less noise"
    kept = matched.kept
    if np.unique(kept[parts.fit]).size < 2:
        return scored("noise", np.zeros(0, dtype=bool), limit, words)
    score = _score(matched, parts)
    rules = _rules(score[parts.choose])
    best = min(rules, key=lambda rule: _chance(rule, score, kept, parts, limit))
    return scored("noise", _right(best, score[parts.test], kept[parts.test]), limit, words)


def _rules(score: np.ndarray) -> Iterator[tuple[int, float]]:
    """+1 and a cut above which labels are believed, −1 and one below which they are not."""
    for share in SHARES:
        yield 1, float(np.quantile(score, 1 - share))
        yield -1, float(np.quantile(score, share))


def _chance(rule: tuple[int, float], score, kept, parts: Split, limit: float) -> float:
    return chance(_right(rule, score[parts.choose], kept[parts.choose]), limit)


def _right(rule: tuple[int, float], score: np.ndarray, kept: np.ndarray) -> np.ndarray:
    sign, cut = rule
    return sign * kept[sign * score >= sign * cut] > 0


def _score(matched: MatchedRelease, parts: Split) -> np.ndarray:
    """(n,) log-odds that a label was kept, from what does not depend on any label.

    Of the lines that are looked at; those of the others are 0.
    """
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import LogisticRegression

    hasher = FeatureHasher(FEATURES, input_type="string", alternate_sign=False)
    last = 1 + max(line.origin for line in matched.lines)
    count = len(matched.lines)
    lines = ((i, matched.lines[i]) for i in parts.looked.tolist())
    found = hasher.transform(_tokens(line, i / count, line.origin / last) for i, line in lines)
    model = LogisticRegression(C=0.1, **QUICK)
    model.fit(found[parts.among_looked(parts.fit)], matched.kept[parts.fit])
    score = np.zeros(count)
    score[parts.looked] = model.decision_function(found)
    return score


def _tokens(line: Line, place: float, origin: float) -> Iterator[str]:
    yield f"place {int(place * BLOCKS)}"
    yield f"origin {int(origin * BLOCKS)}"
    yield f"origin mod 2 {line.origin % 2}"
    for name, text in zip("pab", line.comparison, strict=True):
        yield f"{name} length {len(text).bit_length()}"
        yield f"{name} starts {text[:1]}"
        yield from (f"{name} word {word}" for word in text[:200].casefold().split()[:WORDS])
