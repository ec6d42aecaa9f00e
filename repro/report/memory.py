"""Peak memory of this process and of its workers."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def peak_rss() -> float:
    """MiB: the sum of the peaks of this process and its living children, each since its start.

    Where there is no /proc, of this process alone; 0 where the system does not say.
    """
    if PROC.is_dir():
        return sum(_peak(pid) for pid in [os.getpid(), *_children(os.getpid())]) / 1024
    with suppress(ImportError):
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return 0.0


def _peak(pid: int) -> int:
    """KiB; 0 for a process that has just ended."""
    with suppress(OSError, ValueError, IndexError):
        lines = (PROC / str(pid) / "status").read_text().splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    return 0


def _children(parent: int) -> list[int]:
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[1]) == parent:
                    found.append(int(entry.name))
    return found
