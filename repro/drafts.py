"""Files that appear whole or not at all, and the drafts that a killed run leaves behind."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DAY = 86_400.0
_DRAFT = re.compile(r"^\..*\.draft-(?P<node>.+)-(?P<pid>\d+)(\.\w+)?$")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a draft beside ``path``; it becomes ``path`` at the end, or goes if anything fails.

    Raises:
        OSError: the folder cannot be written to, or the disk is full.
    """
    draft = path.with_name(f".{path.stem}.draft-{_node()}-{os.getpid()}{path.suffix}")
    try:
        yield draft
        os.replace(draft, path)
    except OSError as problem:
        problem.filename = os.fspath(path)  # a write that fails does not say of which file
        problem.filename2 = None
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def sweep(folder: Path, pattern: str = ".*.draft-*") -> None:
    """Remove drafts that nobody will finish: of a dead process of this machine, or a day old.

    A draft of a run that is still going is left alone; should one be lost all the same, its
    writer only misses a cache entry.
    """
    for path in folder.glob(pattern):
        with suppress(OSError):
            if _abandoned(path):
                path.unlink(missing_ok=True)


def _abandoned(path: Path) -> bool:
    found = _DRAFT.match(path.name)
    if not found:
        return False
    mine = found["node"] == _node()
    return (mine and not alive(int(found["pid"]))) or time.time() - path.stat().st_mtime > DAY


def alive(pid: int) -> bool:
    """Whether a process of this machine runs; True where that cannot be told."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _node() -> str:
    return re.sub(r"\W+", "_", platform.node()) or "node"
