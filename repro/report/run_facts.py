"""What ``run.json`` holds: all that may differ between two runs of one config."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

from repro.base.places import PACKAGE

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
    processes = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[1]) == parent:
                    processes.append(int(entry.name))
    return processes


def run_facts(seconds: float, workers: int, device: str, code: Mapping[str, str]) -> dict[str, Any]:
    """When, where and with what a run was made; what differs between equal runs.

    ``seconds`` are of wall time, ``peak_rss`` is in MiB, ``code`` has digests of files.
    """
    finished = datetime.now(UTC)
    return {
        "seconds": round(seconds, 3),
        "started": (finished - timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
        "device": device,
        "workers": workers,
        "peak_rss": round(peak_rss(), 1),
        "versions": {"python": platform.python_version()}
        | {"torch": _version("torch"), "numpy": _version("numpy"), "repro": _version("repro-rlhf")},
        "commit": _commit(),
        "code": dict(code),
        "platform": platform.platform(),
    }


def _commit() -> str | None:
    """Commit of the source tree, with ``-dirty`` where it was edited; None outside one."""
    if not (PACKAGE.parent / ".git").exists():
        return None
    words = ["git", "-C", str(PACKAGE.parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() or None


def _version(package: str) -> str | None:
    """Installed version, None for a source tree without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
