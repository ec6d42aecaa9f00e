"""What ``run.json`` holds: all that may differ between two runs of one config."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime, timedelta
from importlib import metadata
from typing import Any

from repro.base.paths import PACKAGE
from repro.report.memory import peak_rss


def run_facts(seconds: float, workers: int, device: str) -> dict[str, Any]:
    """When, where and with what a run was made; what differs between equal runs.

    ``seconds`` are of wall time, ``peak_rss`` is in MiB.
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
        "platform": platform.platform(),
    }


def _commit() -> str | None:
    """Commit of the source tree, with ``-dirty`` where it was edited; None outside one."""
    if not (PACKAGE.parent / ".git").exists():
        return None
    words = ["git", "-C", str(PACKAGE.parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        found = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None


def _version(package: str) -> str | None:
    """Installed version, None for a source tree without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
