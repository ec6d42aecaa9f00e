"""Files without a name, which vanish with the process until they are given one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from repro.base.errors import OF_THE_MACHINE

TOGETHER = 1 << 20


def scratch(folder: Path | None = None) -> BinaryIO:
    """An unnamed file on the file system of a folder; by default that for temporary files."""
    return cast(BinaryIO, tempfile.TemporaryFile(dir=folder))


class Draft:
    """An unnamed file that only its owner reads, until ``place`` gives it a name and a mode.

    Args:
        folder: its file system holds the file.
    """

    def __init__(self, folder: Path) -> None:
        self._linkable = True
        try:
            self.file = os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600), "w+b")
        except (OSError, AttributeError):  # NFS and macOS have no such files
            self.file, self._linkable = scratch(folder), False

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a full disk has been told of by whoever wrote
            self.file.close()

    def place(self, path: Path, mode: int | None = None) -> None:
        """Give it a name, durably; the same bytes that are there already are as good.

        Args:
            path: a new name on the same file system.
            mode: permissions; by default those of the umask.

        Raises:
            FileExistsError: the name is taken by something else.
            OSError: the disk is full, or fails.
        """
        self.file.flush()
        try:
            if not (self._linkable and self._linked(path, mode)):
                self._copied(path, mode)
        except FileExistsError:
            if not self._same_as(path):
                raise
        flush_folder(path.parent)

    def _linked(self, path: Path, mode: int | None) -> bool:
        _finish(self.file.fileno(), mode)
        return _has_links(lambda: _link(self.file.fileno(), path))

    def _copied(self, path: Path, mode: int | None) -> None:
        handle, copy = tempfile.mkstemp(dir=path.parent, prefix=".repro-", suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as named:
                self.file.seek(0)
                shutil.copyfileobj(self.file, named)
                named.flush()
                _finish(named.fileno(), mode)
            if not _has_links(lambda: os.link(copy, path)):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))  # over nobody's file
                os.replace(copy, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(copy)

    def _same_as(self, path: Path) -> bool:
        self.file.seek(0)
        with open(path, "rb") as there:
            while part := there.read(TOGETHER):
                if part != self.file.read(len(part)):
                    return False
        return not self.file.read(1)


def flush_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _finish(descriptor: int, mode: int | None) -> None:
    """When a file was made is nobody's business; FAT has neither the year 1970 nor modes."""
    with suppress(PermissionError):
        os.utime(descriptor, (0, 0))
    with suppress(PermissionError):
        os.fchmod(descriptor, 0o666 & ~_umask() if mode is None else mode)
    os.fsync(descriptor)


def _has_links(link: Callable[[], None]) -> bool:
    """Make a hard link; False where the file system knows none, as FAT and some FUSE mounts."""
    try:
        link()
    except OSError as problem:
        if isinstance(problem, FileExistsError) or problem.errno in OF_THE_MACHINE:
            raise
        return False
    return True


def _link(descriptor: int, path: Path) -> None:
    anchor = os.open("/", os.O_RDONLY)  # linkat follows the link in /proc for a relative call only
    try:
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=anchor, follow_symlinks=True)
    finally:
        os.close(anchor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
