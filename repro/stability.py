"""How often the pinned verdict of a row fails to come out, over seeds (``repro.suite``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field
from scipy import stats

from repro.base.schema import Whole
from repro.cli.many_runs import ManyRuns
from repro.study.results import Result


class StabilityRequest(ManyRuns):
    """Arguments of the command; seeds are 0, 1, …, seeds − 1."""

    seeds: Annotated[Whole, Field(ge=1, le=10**4)] = 20
    budget: Literal["smoke", "laptop", "paper"] = "smoke"


@dataclass(frozen=True)
class Unstable:
    """A row whose pinned verdict did not always come out.

    Attributes:
        theorem: experiment.
        row: name of the row.
        verdicts: other verdicts, each with how often it came out.
        runs: number of seeds.
    """

    theorem: str
    row: str
    verdicts: tuple[tuple[str, int], ...]
    runs: int

    @property
    def failures(self) -> int:
        """How often the pinned verdict did not come out."""
        return sum(count for _, count in self.verdicts)


@dataclass(frozen=True)
class Stability:
    """What the seeds said.

    Attributes:
        runs: number of runs.
        rows: number of row verdicts.
        unstable: rows that failed at least once.
        failed_runs: (experiment, seed) of runs that did not end as pinned.
    """

    runs: int
    rows: int
    unstable: tuple[Unstable, ...]
    failed_runs: tuple[tuple[str, int], ...]


def stability(request: StabilityRequest) -> Stability:
    """Run experiments at several seeds; finished blocks are kept below ``output_dir``.

    Raises:
        BadInput: an experiment that does not exist, or a folder that cannot be written to.
    """
    found: dict[str, list[Result]] = {}
    for theorem in request.theorems():
        runs = request.at_seeds(theorem, range(request.seeds), budget=request.budget)
        found[theorem] = [result for _, result in runs]
    return summed(found)


def summed(found: dict[str, list[Result]]) -> Stability:
    """Count, row by row.

    Args:
        found: by experiment, one result a seed.
    """
    unstable = [one for name, results in found.items() for one in _unstable(name, results)]
    return Stability(
        runs=sum(map(len, found.values())),
        rows=sum(len(result.checks) for results in found.values() for result in results),
        unstable=tuple(unstable),
        failed_runs=tuple(
            (name, result.seed)
            for name, results in found.items()
            for result in results
            if not result.as_expected
        ),
    )


def _unstable(theorem: str, results: Sequence[Result]) -> Iterable[Unstable]:
    for several in zip(*(result.checks for result in results), strict=True):
        pinned = several[0].check.expected
        other = Counter(i.outcome.verdict for i in several if i.outcome.verdict != pinned)
        if other:
            verdicts = tuple(sorted(other.items()))
            yield Unstable(theorem, several[0].check.name, verdicts, len(several))


def told(found: Stability) -> str:
    """Lines: each row that failed with the interval of its frequency, then the sum."""
    lines = [_line(one) for one in found.unstable]
    failures = sum(one.failures for one in found.unstable)
    low, high = _interval(failures, found.rows)
    lines.append(
        f"{failures} of {found.rows} row verdicts are not the pinned ones "
        f"({failures / found.rows:.2%}, 95 % {low:.2%} to {high:.2%}); "
        f"{len(found.failed_runs)} of {found.runs} runs"
    )
    return "\n".join(lines)


def _line(one: Unstable) -> str:
    low, high = _interval(one.failures, one.runs)
    what = ", ".join(f"{verdict} {count}×" for verdict, count in one.verdicts)
    return (
        f"{one.theorem} {one.row}: {one.failures} of {one.runs} ({low:.2g} to {high:.2g}): {what}"
    )


def _interval(failures: int, runs: int) -> tuple[float, float]:
    """Clopper and Pearson's 95 % interval."""
    found = stats.binomtest(failures, runs).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)
