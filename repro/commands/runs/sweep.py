"""A sweep on the terminal: which job runs, and at the end what each gave and where they differ."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from repro.report.run_files import CheckEntry

BESIDE = 3
"""Jobs whose numbers stand beside each other in a terminal of 80 columns."""


@dataclass(frozen=True)
class Job:
    """One job of a sweep.

    Attributes:
        overrides: the words that make it.
        folder: where its files are; None where only the launcher knows.
    """

    overrides: tuple[str, ...]
    folder: Path | None

    @property
    def verdict(self) -> dict[str, Any]:
        """``verdict.json``; empty where the job left none, whatever an earlier run has left."""
        if self.folder in _failed:
            return {}
        try:
            return json.loads((self.folder or Path()).joinpath("verdict.json").read_bytes())
        except (OSError, ValueError):
            return {}


_failed: set[Path | None] = set()
"""Folders of jobs of this process that ended without a result."""


def has_failed(folder: Path) -> None:
    """A job ends without a result."""
    _failed.add(folder.absolute())


def heading(number: int, jobs: Sequence[Job]) -> str:
    """What stands before a job's own lines.

    >>> heading(0, [Job(("seed=1", "only=a"), None), Job(("seed=2", "only=a"), None)])
    'job 1 of 2: seed=1'
    """
    return f"job {number + 1} of {len(jobs)}: {_apart(jobs)[number]}"


def print_summary(jobs: Sequence[Job]) -> None:
    """A line for each job, then the checks whose verdict or number is not the same in all."""
    from rich.table import Table
    from rich.text import Text

    from repro.report.terminal import standard_output
    from repro.report.wording import part_words, verdict_words

    console = standard_output(80)
    table = Table(box=None, pad_edge=False)
    table.add_column("job", justify="right")
    for name in ("differs by", "verdict", "as pinned"):
        table.add_column(name, overflow="fold")
    verdicts = [job.verdict for job in jobs]
    for number, (apart, verdict) in enumerate(zip(_apart(jobs), verdicts, strict=True), 1):
        said = verdict_words(verdict["verdict"]) if verdict else "no result"
        if part := part_words(verdict["rows"]) if verdict else "":
            said += f" ({part})"
        words = (str(number), apart, said, _as_pinned(verdict))
        table.add_row(*map(Text, words))
    console.print(table)
    for line in differences(verdicts):
        console.print(Text(line))
    if changed := changes(verdicts):
        _print_changes(changed, console)


def differences(run_verdicts: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each check of the same experiment whose verdict is not the same in all jobs.

    Args:
        run_verdicts: of each job its ``verdict.json``, empty where there is none.
    """
    verdicts: dict[tuple[str, str], dict[str, list[int]]] = {}
    for number, verdict in enumerate(run_verdicts, 1):
        for check in verdict.get("checks", ()):
            name = str(verdict["theorem"]), str(check["name"])
            verdicts.setdefault(name, {}).setdefault(check["verdict"], []).append(number)
    for (theorem, name), jobs in verdicts.items():
        if len(jobs) > 1:
            parts = (f"{said} in {', '.join(map(str, numbers))}" for said, numbers in jobs.items())
            yield f"{theorem} {name}: {'; '.join(parts)}"


def changes(verdicts: Sequence[dict[str, Any]]) -> dict[str, list[CheckEntry | None]]:
    """Each check that several jobs measured with other numbers; what it gave in each job.

    Args:
        verdicts: of each job its ``verdict.json``, empty where there is none.
    """
    from repro.report.run_files import CheckEntry
    from repro.report.wording import brief_words

    by_check: dict[str, list[CheckEntry | None]] = {}
    for number, verdict in enumerate(verdicts):
        for check in verdict.get("checks", ()):
            name = f"{verdict['theorem']} {check['name']}"
            by_check.setdefault(name, [None] * len(verdicts))[number] = CheckEntry.model_validate(
                check
            )
    return {
        name: several
        for name, several in by_check.items()
        if len({brief_words(entry) for entry in several if entry}) > 1
    }


def _print_changes(changed: dict[str, list[CheckEntry | None]], console: Console) -> None:
    """The numbers of each job, or of many jobs the least and the largest."""
    from rich.table import Table
    from rich.text import Text

    from repro.report.wording import brief_words

    jobs = len(next(iter(changed.values())))
    beside = jobs <= BESIDE
    heads = [f"job {number + 1}" for number in range(jobs)] if beside else ["least", "largest"]
    table = Table(box=None, pad_edge=False)
    for head in ("numbers that changed", *heads):
        table.add_column(head, overflow="fold")
    for name, several in changed.items():
        if beside:
            cells = [brief_words(entry) if entry else "–" for entry in several]
        else:
            there = [(n, entry) for n, entry in enumerate(several, 1) if entry is not None]
            there.sort(key=lambda pair: -math.inf if pair[1].headline is None else pair[1].headline)
            cells = [f"{brief_words(entry)} (job {n})" for n, entry in (there[0], there[-1])]
        table.add_row(Text(name), *map(Text, cells))
    console.print(table)


def _apart(jobs: Sequence[Job]) -> list[str]:
    """The overrides of each job that not all have."""
    common = set.intersection(*(set(job.overrides) for job in jobs))
    return [" ".join(word for word in job.overrides if word not in common) for job in jobs]


def _as_pinned(verdict: dict[str, Any]) -> str:
    if not verdict:
        return ""
    checks = verdict["checks"]
    same = sum(check["verdict"] == check["expected"] for check in checks)
    return f"{same} of {len(checks)} checks"
