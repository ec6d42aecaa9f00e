"""The label-free table of text features on disk; labels are never written.

An entry is named by a hash of what it is computed from, and written whole, so that processes at
work together see a whole entry or none.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from repro.base.files import write_whole
from repro.labels.preferences.pair_records import PreferencePair
from repro.worlds.instances.text_features import Comparison, TextFeatures, feature_table, hash_order

FORMAT = 1
"""Raise it whenever the computation in ``text_features`` changes."""

Table = tuple[np.ndarray, tuple[str, ...]]
"""(S, d) feature differences and their d names."""


def cached_text_features(
    pairs: Sequence[PreferencePair], num_features: int, folder: Path, kept: bool = False
) -> TextFeatures:
    """``text_features`` with its label-free part kept under ``folder``.

    A damaged entry is computed anew; a folder that cannot be written only costs the caching,
    unless it is asked that the entry be ``kept``.

    Raises:
        OSError: it cannot be kept.
    """
    comparisons, label_sign = hash_order(pairs)
    entry = Path(folder) / _entry_name(comparisons, num_features)
    table = _load(entry, (len(comparisons), num_features))
    if table is None:
        table = feature_table(comparisons, num_features)
        with contextlib.suppress(*() if kept else (OSError,)):
            _store(entry, table)
    feature_diff, names = table
    return TextFeatures(feature_diff, label_sign, names)


def _entry_name(comparisons: Sequence[Comparison], num_features: int) -> str:
    """A name that changes with any text, the order of the pairs, num_features and FORMAT."""
    digest = hashlib.blake2b(f"{FORMAT}:{num_features}:".encode(), digest_size=16)
    for text in (text for comparison in comparisons for text in comparison):
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return f"text_features_{digest.hexdigest()}.npz"


def _load(entry: Path, shape: tuple[int, int]) -> Table | None:
    """The table of an entry, or None where it is missing, damaged or of another shape."""
    if not entry.is_file():  # a pipe would be waited for
        return None
    try:
        with entry.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            feature_diff, names = stored["feature_diff"], tuple(stored["names"].tolist())
    except Exception:  # noqa: BLE001 - a damaged archive fails in many ways, each means rebuild
        return None
    whole = feature_diff.shape == shape and feature_diff.dtype == np.float64
    return (feature_diff, names) if whole and len(names) == shape[1] else None


def _store(entry: Path, table: Table) -> None:
    """Write the entry in one step; OSError where the folder or the disk refuses."""
    content = BytesIO()
    np.savez(content, feature_diff=table[0], names=np.array(table[1]))
    entry.parent.mkdir(parents=True, exist_ok=True)
    write_whole(entry, content.getvalue())
