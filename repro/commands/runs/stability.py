"""How often a check misses its recorded verdict, or accepts a control, over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field
from scipy import stats

from repro.base.schema import Whole
from repro.commands.runs.many_runs import ManyRuns
from repro.core.results import CheckResult, Result


class StabilityRequest(ManyRuns):
    """Arguments of the command; seeds are 0, 1, …, seeds − 1."""

    seeds: Annotated[Whole, Field(ge=1, le=10**4)] = 20
    budget: Literal["smoke", "laptop", "paper"] = "smoke"


@dataclass(frozen=True)
class Unstable:
    """A check that did not always come out as pinned with every control caught.

    Attributes:
        theorem: experiment.
        check: name of the check.
        what: other verdicts and controls that were not caught, each with how often.
        failures: at how many seeds there was any of these.
        runs: number of seeds.
    """

    theorem: str
    check: str
    what: tuple[tuple[str, int], ...]
    failures: int
    runs: int


@dataclass(frozen=True)
class Stability:
    """What the seeds said.

    Attributes:
        runs: number of runs.
        checks: number of checks, over all runs.
        unstable: checks that failed at least once.
        failed_runs: (experiment, seed) of runs that did not end as recorded.
    """

    runs: int
    checks: int
    unstable: tuple[Unstable, ...]
    failed_runs: tuple[tuple[str, int], ...]


def stability(request: StabilityRequest) -> Stability:
    """Run experiments at several seeds; finished blocks are kept below ``output_dir``.

    Raises:
        BadInput: an experiment that does not exist, or a folder that cannot be written to.
    """
    results: dict[str, list[Result]] = {}
    for theorem in request.theorems():
        runs = request.at_seeds(theorem, range(request.seeds), budget=request.budget)
        results[theorem] = [result for _, result in runs]
    return summed(results)


def summed(results_by_name: dict[str, list[Result]]) -> Stability:
    """Count, check by check.

    Args:
        results_by_name: by experiment, one result a seed.
    """
    unstable = [
        unstable_check
        for name, results in results_by_name.items()
        for unstable_check in _unstable(name, results)
    ]
    return Stability(
        runs=sum(map(len, results_by_name.values())),
        checks=sum(len(run.checks) for results in results_by_name.values() for run in results),
        unstable=tuple(unstable),
        failed_runs=tuple(
            (name, result.seed)
            for name, results in results_by_name.items()
            for result in results
            if not result.as_expected
        ),
    )


def _unstable(theorem: str, results: Sequence[Result]) -> Iterable[Unstable]:
    for several in zip(*(result.checks for result in results), strict=True):
        astray = [words for words_of_run in several if (words := _astray(words_of_run))]
        if astray:
            what = tuple(sorted(Counter(word for words in astray for word in words).items()))
            yield Unstable(theorem, several[0].check.name, what, len(astray), len(several))


def _astray(outcome: CheckResult) -> list[str]:
    """What is not as pinned at one seed."""
    other = [outcome.verdict] if outcome.verdict != outcome.check.expected else []
    return other + [
        f"control {control.method} not rejected"
        for control in outcome.controls
        if control.verdict != "contradicted"
    ]


def printed_lines(outcomes: Stability) -> str:
    """Lines: each check that failed with the interval of its frequency, then the sum."""
    lines = [_line(check) for check in outcomes.unstable]
    lines += [
        f"{theorem} seed={seed} did not end as recorded" for theorem, seed in outcomes.failed_runs
    ]
    failures = sum(check.failures for check in outcomes.unstable)
    low, high = _interval(failures, outcomes.checks)
    lines.append(
        f"{failures} of {outcomes.checks} checks not as recorded "
        f"({failures / outcomes.checks:.2%}, 95 % {low:.2%} to {high:.2%}); "
        f"{len(outcomes.failed_runs)} of {outcomes.runs} runs"
    )
    return "\n".join(lines)


def _line(check: Unstable) -> str:
    low, high = _interval(check.failures, check.runs)
    what = ", ".join(f"{outcome} {count}×" for outcome, count in check.what)
    share = f"{check.failures} of {check.runs} ({low:.2g} to {high:.2g})"
    return f"{check.theorem} {check.check}: {share}: {what}"


def _interval(failures: int, runs: int) -> tuple[float, float]:
    """Clopper and Pearson's 95 % interval."""
    interval = stats.binomtest(failures, runs).proportion_ci(0.95, method="exact")
    return float(interval.low), float(interval.high)
