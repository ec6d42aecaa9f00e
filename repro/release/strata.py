"""Lines that are alike in everything that may be known about their label.

A stratum holds lines with the same released label, the same order of responses, and texts from
which the label is about equally likely: what is found within it is found beside all that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.release.opened import Opened

MOST = 20_000
"""Lines that learned attacks look at; a leak in one line of a hundred is found among them."""

FITTED, CHOSEN = 0.4, 0.2
"""Shares of lines that rules are fitted to and chosen by; the rest is counted."""

A_BIN = 150
"""Lines for each class of texts."""
MOST_BINS = 8
HEAD = 400
"""Characters of a response that its likelihood is read from."""
ASKED = 100
"""Characters of a prompt."""

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


def text_classes(opened: Opened, fit: np.ndarray) -> np.ndarray:
    """(n,) classes of lines whose texts make the label about equally likely."""
    comparisons = [line.comparison for line in opened.lines]
    return classes(comparisons, opened.truth * opened.position, fit)


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
    model = LogisticRegression(C=1.0, solver="liblinear", tol=0.01)
    return model.fit(features[fit], side[fit]).decision_function(features)


def _words(text: str) -> list[str]:
    return text.casefold().split()  # a third of the time of a search for words


def line_strata(opened: Opened, texts: np.ndarray) -> np.ndarray:
    """(n,) strata by label, order of responses and class of texts."""
    return 4 * texts + (opened.labels + 1) + (opened.position + 1) // 2
