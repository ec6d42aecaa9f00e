"""Files without a name: they vanish with the process, however it ends, until published.

Where the file system cannot make such files, a file named ``.NAME.XXXX.partial`` takes their
place; after a hard kill it may remain, holding randomised labels only.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

from repro.errors import BadInput


def scratch(folder: Path) -> BinaryIO:
    """An unnamed file for reading and writing on the file system of ``folder``."""
    return cast(BinaryIO, tempfile.TemporaryFile(dir=folder))


class Draft:
    """A file that appears under its name whole, or never.

    Args:
        path: the final name; the folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name: str | None = None
        try:
            descriptor = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o666)
        except (OSError, AttributeError):
            descriptor, self._name = tempfile.mkstemp(
                dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".partial"
            )
        self.file = os.fdopen(descriptor, "w+b")

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        if self._name:
            with contextlib.suppress(OSError):
                os.unlink(self._name)

    def publish(self) -> None:
        """Give the file its name, durably.

        Raises:
            BadInput: something has that name already; it is left as it is.
        """
        self.file.flush()
        os.fsync(self.file.fileno())
        try:
            self._link()
        except FileExistsError:
            raise BadInput("OUT", self.path, "exists; choose a new name") from None
        _sync_folder(self.path.parent)

    def _link(self) -> None:
        if self._name:
            os.link(self._name, self.path)
            return
        source = f"/proc/self/fd/{self.file.fileno()}"
        anchor = os.open("/", os.O_RDONLY)
        try:
            os.link(source, self.path, src_dir_fd=anchor, follow_symlinks=True)
        finally:
            os.close(anchor)


def replace_text(path: Path, text: str) -> None:
    """Write a small file whole or not at all, over an older one."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
