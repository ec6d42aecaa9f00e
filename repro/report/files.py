"""The files of one run; the same result gives the same bytes, timings live in ``run.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from repro.base.files import write_together, write_whole
from repro.core.results import Result
from repro.report.measurements import measurements_frame
from repro.report.record import verdict_content
from repro.report.run_facts import run_facts
from repro.report.seals import hashed_files, json_bytes, sealed

__all__ = ["measurements_frame", "remember", "verdict_json", "write_files"]

FIGURES = ("png", "svg")


def verdict_json(result: Result) -> dict[str, Any]:
    """The contract's ``verdict.json``, strict JSON: NaN is null, infinities are strings."""
    return sealed(verdict_content(result), hashed_files(result))


def write_files(
    result: Result, folder: Path, seconds: float, workers: int, device: str
) -> list[Path]:
    """Write every file of the contract and return their paths, ``verdict.json`` last.

    They take the place of an earlier run's once all are written; a ``verdict.json`` says that the
    run is complete.

    Args:
        result: the finished run.
        folder: where to; made if it is missing.
        seconds: wall-clock time of the run.
        workers: number of processes that measured.
        device: where they measured, such as ``cpu``.

    Raises:
        OSError: the folder cannot be written to.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    hashed = hashed_files(result)
    content = {
        **hashed,  # config.yaml is first: it says whose folder it is
        **_figures(result),
        "run.json": json_bytes(run_facts(seconds, workers, device)),
        "verdict.json": json_bytes(sealed(verdict_content(result), hashed)),
    }
    files = {folder / name: found for name, found in content.items()}
    write_together(files)
    return list(files)


def remember(folder: Path, tracked: dict[str, Any]) -> None:
    """Add the ids under which a tracker has a run to its ``run.json``, where there is one."""
    path = folder / "run.json"
    if path.is_file():
        facts = json.loads(path.read_text(encoding="utf-8")) | {"mlflow": tracked}
        write_whole(path, json_bytes(facts))


def _figures(result: Result) -> dict[str, bytes]:
    """The figure as PNG and SVG."""
    from repro.report.figure import figures

    found = figures(result, FIGURES)
    return {f"figure.{kind}": content for kind, content in zip(FIGURES, found, strict=True)}
