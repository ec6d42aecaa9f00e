"""Wall time, peak memory and share of MLflow of finished runs, read from their ``run.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tools.bench.markdown import print_rows


@dataclass(frozen=True)
class FinishedRun:
    """What one run says of itself.

    Attributes:
        theorem: the experiment.
        budget: of the run.
        seconds: wall time of measuring and judging.
        peak: MiB of all its processes together; None in runs of older versions.
        logging: seconds of MLflow; None where it was not used.
        finished: when measuring was over.
    """

    theorem: str
    budget: str
    seconds: float
    peak: float | None
    logging: float | None
    finished: datetime


def finished_runs(folder: Path) -> Iterator[FinishedRun]:
    """The runs below a folder."""
    for path in sorted(folder.rglob("run.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        verdict = json.loads((path.parent / "verdict.json").read_text(encoding="utf-8"))
        yield FinishedRun(
            verdict["theorem"],
            verdict["budget"],
            facts["seconds"],
            facts.get("peak_rss"),
            facts.get("mlflow", {}).get("seconds"),
            datetime.fromisoformat(facts["finished"]),
        )


def mlflow_share(runs: list[FinishedRun]) -> float | None:
    """Logging over logging and measuring, of the runs that were logged."""
    logged = [run for run in runs if run.logging is not None]
    total = sum((run.logging or 0.0) + run.seconds for run in logged)
    return sum(run.logging or 0.0 for run in logged) / total if total else None


def print_tables(folder: Path) -> None:
    """A row a run, then sums."""
    found = list(finished_runs(folder))
    if not found:
        print(f"\nNo finished runs below {folder.name}.")
        return
    blank = "–"
    rows = [
        (one.theorem, one.budget, f"{one.seconds:.1f}", one.peak or blank, one.logging or blank)
        for one in sorted(found, key=lambda one: -one.seconds)
    ]
    title = "experiment | budget | measuring, wall s | peak MiB | MLflow, wall s"
    print_rows(title, rows)
    span = max(one.finished for one in found) - min(one.finished for one in found)
    total, share = sum(one.seconds for one in found), mlflow_share(found)
    print(f"\n{len(found)} runs: {total:.0f} s of measuring; from the end of the first to the end "
          f"of the last {span.total_seconds():.0f} s.")  # fmt: skip
    if share is not None:
        print(f"MLflow took {100 * share:.1f} % of measuring and logging.")
