"""Replicate blocks: the pure unit of work, its key and its place on disk."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from repro.base.files import atomic_write, remove_stale

BLOCK_BYTES = 2**14
"""About what a finished block takes on disk."""


@dataclass(frozen=True)
class Block:
    """One block of replicates of one check, at all its grid values; or some in a row.

    Attributes:
        check: index of the check in the experiment.
        block: index of the block, or of the first.
        key: content hash of everything the numbers depend on.
        count: blocks that are measured at once.
        alone: whether the algorithm under test is measured without the controls.
    """

    check: int
    block: int
    key: str
    count: int = 1
    alone: bool = False


def content_key(parts: Mapping[str, object]) -> str:
    """A 128-bit hash of plain values, independent of their order."""
    text = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class BlockStore:
    """Finished blocks on disk: written whole, read only when intact."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tidy(self) -> None:
        """Remove what killed runs left half written."""
        remove_stale(self._folder, "*/.*.draft-*")

    def trouble(self) -> str:
        """Why no block can be kept here, in a line; nothing where one can."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder) as probe:
                probe.write(bytes(BLOCK_BYTES))
        except OSError as problem:
            return f"{self._folder} cannot be written: {problem.strerror}"
        return ""

    def kept(self, blocks: Iterable[Block]) -> int:
        """How many of some blocks are on disk; each is there whole or not at all."""
        return sum(self._path(block).is_file() for block in blocks)

    def _path(self, block: Block) -> Path:
        return self._folder / block.key[:2] / f"{block.key}.npy"

    def read(self, block: Block, shape: tuple[int, ...]) -> np.ndarray | None:
        """Measurements of a finished block; None if absent, damaged or of another shape."""
        path = self._path(block)
        if not path.is_file():  # np.load would wait for a pipe
            return None
        try:
            array = np.load(path, allow_pickle=False)
        except Exception:  # noqa: BLE001
            return None
        if not isinstance(array, np.ndarray) or array.dtype != np.float64:
            return None
        if array.shape != (math.prod(shape) + 1,) or array[-1] != _checksum(block, array[:-1]):
            return None
        return array[:-1].reshape(shape)

    def write(self, block: Block, values: np.ndarray) -> None:
        """Keep a finished block; a full or unwritable disk costs the cache, not the run."""
        path = self._path(block)
        flat = np.ravel(values)
        content = BytesIO()  # numpy's own writing gives up when a signal arrives
        np.save(content, np.append(flat, _checksum(block, flat)), allow_pickle=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as draft:
                draft.write_bytes(content.getbuffer())
        except OSError:
            return


def _checksum(block: Block, values: np.ndarray) -> float:
    """Over the values and the block that they are of: a file under another name is no result."""
    digest = hashlib.blake2b(block.key.encode(), digest_size=6)
    digest.update(np.ascontiguousarray(values).tobytes())
    return float(int.from_bytes(digest.digest(), "little"))
