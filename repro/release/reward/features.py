"""Preference pairs as vectors that depend on nothing but the pair itself.

A map fitted to the pairs (TF-IDF, singular vectors, whitening) would move the vectors of all pairs
when one is replaced, and no noise here pays for that.  So words go to columns by a fixed hash, and
four statistics are shifted and scaled by constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.base.files import regular_file
from repro.release.records import is_path, read_owned
from repro.worlds.instances.text_features import DENSE, dense_statistics

KEY = "PAIRS"
MAP = "words by hash and four statistics, version 1"
FEWEST_FEATURES, USUAL_FEATURES, MOST_FEATURES = 5, 16, 4096
CENTRE, SPREAD, WEIGHT = (5.0, 1.6, 0.05, 0.1), (2.0, 0.5, 0.1, 0.2), 0.5
"""Of ``DENSE``; fixed, so that no text of a release has a part in them."""
INSIDE = 1 + 2e-6
"""How far inside the unit ball clipped vectors lie: single precision then keeps ‖x‖ ≤ 2."""
ROWS = 4096
SIGNS = (1.0, -1.0)
SHORTENED = "features of a response longer than 1 are shortened to norm 1"


@dataclass(frozen=True, eq=False)
class PreferenceRows:
    """Pairs as they are learnt from.

    Attributes:
        differences: (n, d) float32, clipped φ(preferred) − φ(other), of norm at most 2.
        texts: whether φ is ``MAP``; else vectors were given.
        clipped: what was clipped, in words.
    """

    differences: np.ndarray
    texts: bool
    clipped: str


def text_map(prompts: Sequence[str], responses: Sequence[str], num_features: int) -> np.ndarray:
    """(n, d) φ of responses to prompts, of norm at most 1.

    Args:
        prompts, responses: n each.
        num_features: d: the four statistics, and words in d − 4 columns.
    """
    from sklearn.feature_extraction.text import HashingVectorizer

    columns = num_features - len(DENSE)
    hashing: Any = HashingVectorizer(n_features=columns, token_pattern=r"\w+|[^\w\s]", binary=True)
    both = zip(prompts, responses, strict=True)
    dense = np.array([dense_statistics(*texts) for texts in both]).reshape(-1, len(DENSE))
    dense = (dense - np.array(CENTRE)) / np.array(SPREAD)
    return clipped_to(WEIGHT * np.hstack([dense, hashing.transform(responses).toarray()]), 1.0)


def clipped_to(rows: np.ndarray, most: float) -> np.ndarray:
    """Rows longer than ``most`` shortened to a hair below it.

    No square overflows: numpy's warning of one would be a line that a single pair decides on.
    """
    scales = np.maximum(1.0, np.abs(rows).max(-1, keepdims=True, initial=0.0))
    norms = np.linalg.norm(rows / scales, axis=-1, keepdims=True)
    return rows / scales / np.maximum(1.0 / scales, norms * INSIDE / most)


Texts = tuple[str, str, str]


def text_rows(source: Any, num_features: int, unit: str = "", at_most: int = 1) -> PreferenceRows:
    """Of a file or table with prompt, chosen and rejected; of each unit its first ``at_most``.

    Raises:
        BadInput: as ``read_owned``.
    """
    counts: dict[str, int] = {}
    records: list[Texts] = []
    for record, owner in read_owned(source, KEY, unit):
        counts[owner] = counts.get(owner, 0) + 1
        if not unit or counts[owner] <= at_most:
            records.append(record)
    starts = range(0, len(records), ROWS)
    parts = [text_differences(records[at : at + ROWS], num_features) for at in starts]
    return PreferenceRows(np.concatenate(parts), True, SHORTENED)


def text_differences(records: list[Texts], num_features: int) -> np.ndarray:
    """(n, d) float32 φ(chosen) − φ(rejected) of n records."""
    prompts, chosen, rejected = zip(*records, strict=True)
    both = [text_map(prompts, responses, num_features) for responses in (chosen, rejected)]
    return (both[0] - both[1]).astype(np.float32)


def matrix_rows(source: Any, labels: Any) -> PreferenceRows:
    """Of (n, d) differences φ(response 1) − φ(response 2), or (n, 2, d) of both, and n labels.

    Args:
        source: an array, or the name of a .npy or .csv file.
        labels: +1 where response 1 is preferred, −1 where response 2 is; array or file.

    Raises:
        BadInput: no finite numbers, another shape, other labels.
    """
    shown, parts, shape = _array(source, KEY)
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[1] != 2):
        raise BadInput(KEY, shown, f"has the shape {shape}; allowed: (n, d) or (n, 2, d)")
    if not 1 <= shape[-1] <= MOST_FEATURES:
        raise BadInput(KEY, shown, f"has {shape[-1]} features; allowed: 1 to {MOST_FEATURES}")
    signs = _signs(labels, shape[0])
    differences = np.empty((shape[0], shape[-1]), np.float32)
    at = 0
    for part in parts:
        if not np.isfinite(part).all():
            row = at + 1 + int(np.argmin(np.isfinite(part).reshape(len(part), -1).all(1)))
            raise BadInput(KEY, shown, f"row {row} holds NaN or infinity; allowed: finite numbers")
        ends = slice(at, at + len(part))
        both = part.ndim == 3
        rows = np.subtract(*clipped_to(part, 1.0).swapaxes(0, 1)) if both else clipped_to(part, 2.0)
        differences[ends] = rows * signs[ends, None]
        at += len(part)
    each = SHORTENED if len(shape) == 3 else "a difference longer than 2 is shortened to norm 2"
    return PreferenceRows(differences, False, each)


def _signs(labels: Any, count: int) -> np.ndarray:
    if labels is None:
        raise BadInput("labels", "(missing)", "a matrix needs labels=FILE of +1 and -1")
    shown, parts, shape = _array(labels, "labels")
    if shape not in ((count,), (count, 1)):
        raise BadInput("labels", shown, f"has the shape {shape}; allowed: ({count},)")
    signs = np.concatenate([part.reshape(-1) for part in parts])
    if wrong := np.flatnonzero(~np.isin(signs, SIGNS)).tolist():
        raise BadInput("labels", shown, f"row {wrong[0] + 1} is neither +1 nor -1")
    return signs


def _array(source: Any, key: str) -> tuple[str, Iterator[np.ndarray], tuple[int, ...]]:
    """A name for messages, float64 parts, and the shape."""
    if not is_path(source):
        shown = f"({type(source).__name__})"
        try:
            table = np.asarray(source, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadInput(key, shown, "allowed: an array of numbers, or a file") from None
        return shown, _in_parts(table), table.shape
    path = Path(source)
    regular_file(key, path)
    if path.suffix == ".npy":
        return str(path), *_from_npy(path, key)
    if path.suffix != ".csv":
        raise BadInput(key, path, "allowed: a name that ends in .npy or .csv")
    try:
        table = np.loadtxt(path, delimiter=",", dtype=np.float64, ndmin=1 if key != KEY else 2)
    except (ValueError, UnicodeDecodeError):
        raise BadInput(key, path, "allowed: numbers with commas between, no header") from None
    return str(path), _in_parts(table), table.shape


def _in_parts(table: np.ndarray) -> Iterator[np.ndarray]:
    return (table[at : at + ROWS] for at in range(0, len(table) if table.ndim else 0, ROWS))


def _from_npy(path: Path, key: str) -> tuple[Iterator[np.ndarray], tuple[int, ...]]:
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):
        raise BadInput(key, path, "is no whole .npy file of numbers") from None
    if table.dtype.kind not in "fiu":
        raise BadInput(key, path, f"holds {table.dtype}; allowed: real numbers")

    def parts() -> Iterator[np.ndarray]:
        # Opened anew for each part: pages of a map that is kept count as memory of the process.
        for at in range(0, len(table), ROWS):
            again = np.load(path, mmap_mode="r", allow_pickle=False)
            yield np.array(again[at : at + ROWS], dtype=np.float64)

    return parts() if table.ndim else iter(()), table.shape
