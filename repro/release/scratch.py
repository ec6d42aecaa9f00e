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

from repro.base.errors import BadInput


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

    def finish(self) -> None:
        """Bring what was written to the disk, so that ``publish`` has nothing left to do."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def publish(self) -> None:
        """Give the finished file its name, durably.

        Raises:
            BadInput: something has that name already; it is left as it is.
        """
        self.finish()
        publish(self)

    def link(self) -> None:
        """Name the file; FileExistsError where the name is taken."""
        if self._name:
            os.link(self._name, self.path)
            return
        source = f"/proc/self/fd/{self.file.fileno()}"
        anchor = os.open("/", os.O_RDONLY)
        try:
            os.link(source, self.path, src_dir_fd=anchor, follow_symlinks=True)
        finally:
            os.close(anchor)


def publish(*drafts: Draft) -> None:
    """Give finished files their names, one right after the other.

    Raises:
        BadInput: something has a name already; it is left as it is.
    """
    for draft in drafts:
        try:
            draft.link()
        except FileExistsError:
            raise BadInput("OUT", draft.path, "exists; choose a new name") from None
    for folder in {draft.path.parent for draft in drafts}:
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
