"""Lines that are alike in everything that may be known about their label.

A stratum holds lines with the same released label, the same order of responses, and texts from
which the label is about equally likely: what is found within it is found beside all that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.release.matching import MatchedRelease

MOST = 20_000
"""Lines that learned attacks look at; a leak in one line of a hundred is found among them."""

FITTED, CHOSEN = 0.4, 0.2
"""Shares of lines that rules are fitted to and chosen by; the rest is counted."""

A_BIN = 150
"""Lines for each class of texts."""
MOST_BINS = 8
MODULI = (2, 3, 4, 5, 8, 16)
BLOCKS = (2, 16, 64)
HEAD = 400
"""Characters of a response that its likelihood is read from."""
ASKED = 100
"""Characters of a prompt."""

QUICK: Any = {"solver": "liblinear", "dual": True, "tol": 0.01, "max_iter": 1000, "random_state": 0}
"""A logistic regression on words; the dual takes a tenth of the time."""

Comparison = tuple[str, str, str]


@dataclass(frozen=True)
class Split:
    """Places of lines: to fit rules to, to choose among them, to count."""

    fit: np.ndarray
    choose: np.ndarray
    test: np.ndarray

    @property
    def looked(self) -> np.ndarray:
        """All of them, in the order of the lines."""
        return np.sort(np.concatenate([self.seen, self.test]))

    def among_looked(self, places: np.ndarray) -> np.ndarray:
        """Where lines that are looked at stand among all these."""
        return np.searchsorted(self.looked, places)

    @property
    def seen(self) -> np.ndarray:
        """All but those that are counted."""
        return np.concatenate([self.fit, self.choose])


def split(count: int, most: int = MOST) -> Split:
    """A fixed random split of ``count`` lines, or of ``most`` of them."""
    order = np.random.default_rng(0).permutation(count)[:most]
    first, second = int(FITTED * order.size), int((FITTED + CHOSEN) * order.size)
    fit, choose, test = (np.sort(part) for part in np.split(order, [first, second]))
    return Split(fit, choose, test)


def text_classes(matched: MatchedRelease, fit: np.ndarray) -> np.ndarray:
    """(n,) classes of lines whose texts make the label about equally likely."""
    comparisons = [line.comparison for line in matched.lines]
    return classes(comparisons, matched.truth * matched.position, fit)


def classes(comparisons: Sequence[Comparison], side: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """(n,) classes of comparisons by the label that a bag of words expects.

    Args:
        comparisons: prompt, and responses in the order of their code points.
        side: (n,) ±1, the label in the text frame.
        fit: places of the comparisons it is learned from.
    """
    longer = np.array([len(a) > len(b) for _, a, b in comparisons], dtype=int)
    bins = min(MOST_BINS, len(comparisons) // A_BIN)
    if bins < 2 or np.unique(side[fit]).size < 2:
        return longer
    score = _score(comparisons, side, fit)
    cuts = np.quantile(score[fit], np.arange(1, bins) / bins)
    return 2 * np.searchsorted(cuts, score) + longer


def _score(comparisons: Sequence[Comparison], side: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """(n,) log-odds of the label by the words and lengths of either response, and by the prompt.

    A prompt may ask for the longer response, or for either of two in order of code points.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression

    analyzer: Any = _words
    words: Any = HashingVectorizer(n_features=1 << 15, analyzer=analyzer)
    prompt = words.transform(c[0][:ASKED] for c in comparisons)
    one, two = (words.transform(c[i][:HEAD] for c in comparisons) for i in (1, 2))
    sizes = np.array([[len(a), len(b)] for _, a, b in comparisons], dtype=float)
    more = np.log1p(sizes[:, 0]) - np.log1p(sizes[:, 1])
    turned = prompt.multiply(np.sign(more)[:, None])
    known = csr_matrix(np.stack([more, np.sign(more)], 1))
    features: Any = hstack([one - two, prompt, turned, known]).tocsr()
    model = LogisticRegression(**QUICK)
    return model.fit(features[fit], side[fit]).decision_function(features)


def _words(text: str) -> list[str]:
    return text.casefold().split()  # a third of the time of a search for words


def origin_classes(matched: MatchedRelease, parts: Split) -> np.ndarray:
    """(n,) 0 or 1: the label that a line's number in the original suggests.

    An original may be sorted by its labels, or made of files that were.  Whoever has it knows, and
    what goes with a line's number there must not be taken for something that a release tells.
    Of the lines that are looked at; 0 for the others.
    """
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import LogisticRegression

    found, side = np.zeros(len(matched.lines), dtype=int), matched.truth * matched.position
    if np.unique(side[parts.fit]).size < 2:
        return found
    last = 1 + max(line.origin for line in matched.lines)
    origins = (matched.lines[i].origin for i in parts.looked)
    hasher = FeatureHasher(1 << 10, input_type="string", alternate_sign=False)
    features: Any = hasher.transform(list(numbered(origin, last)) for origin in origins)
    model = LogisticRegression(**QUICK)
    model.fit(features[parts.among_looked(parts.fit)], side[parts.fit])
    found[parts.looked] = model.decision_function(features) > 0
    return found


def numbered(place: int, count: int) -> Iterator[str]:
    """What kind of number a line has."""
    yield from (f"number mod {m} {place % m}" for m in MODULI)
    yield from (f"block {place * b // count} of {b}" for b in BLOCKS)


def line_strata(matched: MatchedRelease, texts: np.ndarray) -> np.ndarray:
    """(n,) strata by label, order of responses and class of texts."""
    return 4 * texts + (matched.labels + 1) + (matched.position + 1) // 2
