"""A sweep on the terminal: which job runs, and at the end what each gave and where they differ."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.base.notation import SYMBOLS

if TYPE_CHECKING:
    from rich.console import Console

    from repro.report.run_files import CheckEntry

Shown = tuple[float, str]
"""A number, and the number in words."""
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
        if self.folder is None or self.folder in _failed:
            return {}
        try:
            return json.loads(self.folder.joinpath("verdict.json").read_bytes())
        except (OSError, ValueError):
            return {}

    @property
    def levels(self) -> dict[str, float]:
        """One point of each measured power law, by check and place (``repro.report.window``)."""
        from repro.report.run_files import CheckEntry
        from repro.report.window import level

        verdict, levels = self.verdict, {}
        if not verdict:
            return levels
        curves = self._curves({check["name"]: check["method"] for check in verdict["checks"]})
        for check in map(CheckEntry.model_validate, verdict["checks"]):
            points = sorted(curves.get(check.name, {}).items())
            grid, mean = [value for value, _ in points], [height for _, height in points]
            scaled = check.settings.labels_scaled_by or 1.0
            if check.slope is not None and (point := level(grid, mean, check.axis, scaled)):
                symbol, words = SYMBOLS.get(check.axis, check.axis), check.quantity.split(" [")[0]
                place = f"{words} at {symbol} = 1e{point[0]}"
                levels[f"{verdict['theorem']} {check.name}: {place}"] = 10 ** point[1]
        return levels

    def _curves(self, methods: Mapping[str, str]) -> dict[str, dict[float, float]]:
        """By check, the mean of the algorithm under test at each value of its grid."""
        from pyarrow.parquet import read_table

        table = read_table((self.folder or Path()) / "measurements.parquet")
        sums: dict[str, dict[float, list[float]]] = {}
        for row in table.to_pylist():
            if row["method"] == methods.get(row["check"]) and row["count"] > 0:
                both = sums.setdefault(row["check"], {}).setdefault(row["value"], [0.0, 0.0])
                both[0] += row["mean"] * row["count"]
                both[1] += row["count"]
        return {
            check: {value: total / count for value, (total, count) in own.items()}
            for check, own in sums.items()
        }


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
    if _of_other_numbers(jobs) and (levels := levels_that_differ([job.levels for job in jobs])):
        _print_beside("interpolated at one value", levels, console)


def _of_other_numbers(jobs: Sequence[Job]) -> bool:
    """Whether jobs differ in more than their seed, which moves a level by chance alone."""
    words = (word for job in _apart(jobs) for word in job.split())
    return any(not word.startswith("seed=") for word in words)


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


def levels_that_differ(jobs: Sequence[Mapping[str, float]]) -> dict[str, list[Shown | None]]:
    """Levels that two jobs or more have, and not the same, in each job.

    >>> list(levels_that_differ([{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 2.0}]))
    ['a']
    """
    names = dict.fromkeys(name for levels in jobs for name in levels)
    by_name = {
        name: [(levels[name], f"{levels[name]:.3g}") if name in levels else None for levels in jobs]
        for name in names
    }
    return {
        name: several
        for name, several in by_name.items()
        if len({words[1] for words in several if words}) > 1
    }


def _print_changes(changed: dict[str, list[CheckEntry | None]], console: Console) -> None:
    from repro.report.wording import brief_words

    def shown(entry: CheckEntry | None) -> Shown | None:
        if entry is None:
            return None
        return -math.inf if entry.headline is None else entry.headline, brief_words(entry)

    by_name = {name: [shown(entry) for entry in several] for name, several in changed.items()}
    _print_beside("numbers that changed", by_name, console)


def _print_beside(
    heading: str, by_name: Mapping[str, Sequence[Shown | None]], console: Console
) -> None:
    """The numbers of each job, or of many jobs the least and the largest."""
    from rich.table import Table
    from rich.text import Text

    jobs = len(next(iter(by_name.values())))
    beside = jobs <= BESIDE
    heads = [f"job {number + 1}" for number in range(jobs)] if beside else ["least", "largest"]
    table = Table(box=None, pad_edge=False)
    for head in (heading, *heads):
        table.add_column(head, overflow="fold")
    for name, several in by_name.items():
        if beside:
            cells = [number[1] if number else "–" for number in several]
        else:
            there = [(number, n) for n, number in enumerate(several, 1) if number is not None]
            there.sort(key=lambda pair: pair[0][0])
            cells = [f"{number[1]} (job {n})" for number, n in (there[0], there[-1])]
        table.add_row(Text(name), *map(Text, cells))
    console.print(table)


def _apart(jobs: Sequence[Job]) -> list[str]:
    """The overrides of each job that not all have."""
    from repro.study.composition import as_typed

    common = set.intersection(*(set(job.overrides) for job in jobs))
    return [
        " ".join(as_typed(word) for word in job.overrides if word not in common) for job in jobs
    ]


def _as_pinned(verdict: dict[str, Any]) -> str:
    if not verdict:
        return ""
    checks = verdict["checks"]
    same = sum(check["verdict"] == check["expected"] for check in checks)
    return f"{same} of {len(checks)} checks"
