"""What ``run.json`` holds: all that may differ between two runs of one config."""

from __future__ import annotations

import platform
from datetime import UTC, datetime, timedelta
from importlib import metadata
from typing import Any

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
        | {name: _version(name) for name in ("torch", "numpy", "repro")},
        "platform": platform.platform(),
    }


def _version(package: str) -> str | None:
    """Installed version, None for a source tree without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
