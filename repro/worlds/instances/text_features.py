"""Label-free features of preference pairs: a real geometry for planted rewards.

The two responses of a pair are put in the order of a hash of their texts, and the label becomes
a sign beside the table.  ``feature_table`` is handed the ordered texts only, so nothing in the
geometry can depend on a label.  The steps, all deterministic, for S pairs and d columns:

1. d-4 columns: leading right singular vectors of the TF-IDF differences of words and marks;
   4 columns: differences of the dense statistics in ``DENSE``.
2. Unit standard deviation, then whitening by the symmetric root of the second moment.  Means
   are not removed, as the sign of a row is arbitrary.
3. Rows longer than the 99th percentile of norms are shortened to it, and all are divided by
   the longest: the norm of a row is at most 1, as the papers assume of feature differences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackError
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

from repro.base.errors import BadInput
from repro.labels.preferences.pair_records import PreferencePair

Comparison = tuple[str, str, str]
"""A prompt and its two responses in hash order."""

DENSE = ("log_length", "log_word_length", "punctuation_share", "prompt_overlap")
NUM_FEATURES = 12
CLIP_PERCENTILE = 99.0
SMALLEST_SPREAD = 1e-8
"""Columns, and directions of the scaled columns, with less variation than this are constant."""


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Pairs as vectors.

    Attributes:
        feature_diff: (S, d) float64, φ(first) − φ(second); the largest row norm is 1.
        label_sign: (S,) int8, +1 where the first in hash order was chosen, else −1.
        names: d column names; whitening keeps each column closest to what it is named after.
    """

    feature_diff: np.ndarray
    label_sign: np.ndarray
    names: tuple[str, ...]


def text_features(
    pairs: Sequence[PreferencePair], num_features: int = NUM_FEATURES
) -> TextFeatures:
    """Features of the pairs; BadInput if num_features is below 5 or more than they support."""
    comparisons, label_sign = hash_order(pairs)
    feature_diff, names = feature_table(comparisons, num_features)
    return TextFeatures(feature_diff, label_sign, names)


def hash_order(pairs: Sequence[PreferencePair]) -> tuple[list[Comparison], np.ndarray]:
    """The comparisons in hash order, and (S,) int8 signs: +1 where the first was chosen."""
    chosen_first = [_digest(p.prompt + p.chosen) < _digest(p.prompt + p.rejected) for p in pairs]
    comparisons = [
        (p.prompt, p.chosen, p.rejected) if first else (p.prompt, p.rejected, p.chosen)
        for p, first in zip(pairs, chosen_first, strict=True)
    ]
    return comparisons, np.where(chosen_first, 1, -1).astype(np.int8)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def feature_table(
    comparisons: Sequence[Comparison], num_features: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """(S, d) differences and their d names, from texts alone.

    BLAS runs on one thread here, so that the bytes do not depend on the number of cores.
    """
    components = num_features - len(DENSE)
    if components < 1:
        raise BadInput("instance.num_features", num_features, f"at least {len(DENSE) + 1}")
    with threadpool_limits(1):
        columns = np.hstack([_lexical_diff(comparisons, components), _dense_diff(comparisons)])
        feature_diff = _clip_rows(_whiten(columns))
    return feature_diff, (*(f"svd_{k}" for k in range(1, components + 1)), *DENSE)


def _lexical_diff(comparisons: Sequence[Comparison], components: int) -> np.ndarray:
    """(S, components) TF-IDF differences on their singular vectors, largest entries positive."""
    responses = [c[1] for c in comparisons] + [c[2] for c in comparisons]
    vectorizer = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", sublinear_tf=True)
    weights = vectorizer.fit_transform(responses).tocsr()
    diff = weights[: len(comparisons)] - weights[len(comparisons) :]
    if components >= min(diff.shape):
        raise _too_many(components, min(diff.shape) - 1)
    try:
        svd = TruncatedSVD(components, algorithm="arpack", random_state=0).fit(diff)
    except ArpackError:
        raise _too_many(components, 0) from None
    vectors = np.asarray(svd.components_)
    largest = np.abs(vectors).argmax(axis=1, keepdims=True)
    return diff @ (vectors * np.sign(np.take_along_axis(vectors, largest, axis=1))).T


def _too_many(components: int, support: int) -> BadInput:
    allowed = f"these pairs support at most {support + len(DENSE)}"
    return BadInput("instance.num_features", components + len(DENSE), allowed)


def _dense_diff(comparisons: Sequence[Comparison]) -> np.ndarray:
    """(S, 4) differences of the dense statistics."""
    rows = [np.subtract(dense_statistics(p, a), dense_statistics(p, b)) for p, a, b in comparisons]
    return np.array(rows, dtype=np.float64)


def dense_statistics(prompt: str, response: str) -> tuple[float, float, float, float]:
    """Log characters, log mean word length, share of marks, share of trigrams in the prompt."""
    size = max(len(response), 1)
    words = max(len(response.split()), 1)
    marks = sum(not (c.isalnum() or c.isspace()) for c in response)
    grams, known = _trigrams(response), _trigrams(prompt)
    overlap = len(grams & known) / max(len(grams), 1)
    return np.log1p(size), np.log(size / words), marks / size, overlap


def _trigrams(text: str) -> set[str]:
    lower = text.lower()
    return {lower[k : k + 3] for k in range(len(lower) - 2)}


def _whiten(columns: np.ndarray) -> np.ndarray:
    """(S, d) with the identity as second moment, each column near the one it came from."""
    spread = np.sqrt((columns**2).mean(axis=0))
    scaled = columns / np.where(spread > SMALLEST_SPREAD, spread, np.inf)
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    rank = int((values > SMALLEST_SPREAD).sum())
    if rank < len(values):
        allowed = f"these pairs differ in only {rank} of as many directions"
        raise BadInput("instance.num_features", len(values), allowed)
    return scaled @ (vectors / np.sqrt(values)) @ vectors.T


def _clip_rows(rows: np.ndarray) -> np.ndarray:
    """Shorten the longest 1 % of the rows, then scale so that the longest has norm 1."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    longest = np.percentile(norms, CLIP_PERCENTILE)
    return rows / (np.maximum(norms, longest) * (1.0 + 4.0 * np.finfo(float).eps))
