"""Files without a name: they vanish with the process, however it ends, until they are given one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO, cast


def scratch(folder: Path) -> BinaryIO:
    """An unnamed file for reading and writing on the file system of ``folder``."""
    return cast(BinaryIO, tempfile.TemporaryFile(dir=folder))


class Draft:
    """An unnamed file that is given a name when it is finished.

    Args:
        folder: its file system holds the file.
        mode: permissions that the named file will have, less the umask.
    """

    def __init__(self, folder: Path, mode: int = 0o666) -> None:
        self._mode, self._linkable = mode, True
        try:
            self.file = os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, mode), "w+b")
        except (OSError, AttributeError):  # NFS and macOS have no such files
            self.file, self._linkable = scratch(folder), False

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def finish(self) -> None:
        """Bring what was written to the disk."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def name(self, path: Path) -> None:
        """Give the finished file a name, on the disk once the folder is flushed.

        Raises:
            FileExistsError: the name is taken.
        """
        self.finish()
        if self._linkable:
            _link(self.file.fileno(), path)
        else:
            self._copy(path)

    def _copy(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(path, flags, self._mode), "wb") as named:
            self.file.seek(0)
            shutil.copyfileobj(self.file, named)
            named.flush()
            os.fsync(named.fileno())


def flush_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(descriptor: int, path: Path) -> None:
    anchor = os.open("/", os.O_RDONLY)  # linkat follows the link in /proc for a relative call only
    try:
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=anchor, follow_symlinks=True)
    finally:
        os.close(anchor)
