"""Compiled code is used only for the source whose hash it holds: time and size may be kept.

What is measured is kept under the hash of its source; Python by itself would run the compiled form
of another text that was edited within the second, or whose time was set back.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from importlib.util import source_hash
from pathlib import Path
from typing import Any

LIBRARIES = {"site-packages", "dist-packages"}
"""Installed code is replaced as a whole, and often cannot be compiled again."""
CHECKED = (3).to_bytes(4, "little")
"""The flags of PEP 552: by hash, and to be checked."""

STANDARD = Path(os.__file__).parent

_roots: set[Path] = set()


class _Checked(SourceFileLoader):
    """Writes compiled code by hash, and believes no other."""

    _hash = b""

    def path_stats(self, path: str) -> dict[str, Any]:
        return {"mtime": -1, "size": None}  # no file's

    def source_to_code(self, data: Any, path: Any, **given: Any) -> Any:  # type: ignore[override]
        self._hash = source_hash(data)
        return super().source_to_code(data, path, **given)

    def set_data(self, path: str, data: Any, **given: Any) -> None:  # type: ignore[override]
        magic, code = bytes(data[:4]), bytes(data[16:])
        super().set_data(path, magic + CHECKED + self._hash + code, **given)


_finder = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES), (_Checked, SOURCE_SUFFIXES)
)


def of_a_library(path: Path) -> bool:
    """Whether a file or folder is of Python's own library, or was installed."""
    return path.is_relative_to(STANDARD) or not LIBRARIES.isdisjoint(path.parts)


def _hook(entry: str) -> Any:
    try:
        path = Path(entry).absolute()
    except OSError:  # the current folder is gone
        raise ImportError(entry) from None
    if of_a_library(path) or not any(path.is_relative_to(root) for root in _roots):
        raise ImportError(entry)
    return _finder(str(path))


def load_from_source(folder: Path) -> None:
    """From now on modules below a folder are those whose text is there."""
    root = folder.absolute()
    if root in _roots or of_a_library(root):
        return
    _roots.add(root)
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)
    for entry in list(sys.path_importer_cache):
        if Path(entry).is_relative_to(root):
            del sys.path_importer_cache[entry]
