"""What a run leaves in MLflow, as plain names and numbers: params, tags and metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from repro.report.curves import curve
from repro.report.plain import flatten
from repro.report.wording import finite, interval
from repro.study.results import CheckResult, Outcome, Result

Point = tuple[str, float, int]
"""A metric: name, value, step."""

MAX_VALUE = 500
"""Characters of a parameter or tag that are kept."""

MAX_STEP = 2**53
"""Steps from here on are not exact in the browser, so the index of the grid point is used."""


def name_of(text: str) -> str:
    """A metric or parameter name that MLflow accepts.

    >>> name_of("gap(ε).naive")
    'gap___.naive'
    """
    return re.sub(r"[^A-Za-z0-9_\-. ]", "_", text)[:250]


def run_name(result: Result) -> str:
    """What the list of runs shows: theorem, settings a user is likely to vary, budget."""
    settings = [
        f"{short}={result.config[key]}"
        for key, short in (("epsilon", "eps"), ("n_pairs", "n"), ("horizon", "T"))
        if result.config.get(key) is not None
    ]
    return " ".join([result.theorem, *settings, f"seed={result.seed}", result.budget])


def params_of(values: Mapping[str, object]) -> dict[str, str]:
    """Flattened with dots, under names that MLflow accepts."""
    return {name_of(key): text[:MAX_VALUE] for key, text in flatten(values).items()}


def run_tags(result: Result) -> dict[str, str]:
    """Tags of the run, and of its checks too: filters do not reach from a parent to a child."""
    papers = dict.fromkeys(statement.split(".")[0] for statement in result.statements)
    return {
        "papers": ",".join(papers),
        "statements": ",".join(result.statements)[:MAX_VALUE],
        "theorem": result.theorem,
        "verdict": result.verdict,
        "expected": result.expected,
        "as_expected": str(result.as_expected).lower(),
        "budget": result.budget,
        "config_hash": result.config_hash,
        "level": "run",
        "epsilon": str(result.config.get("epsilon") or "default"),
    }


def check_tags(result: Result, item: CheckResult) -> dict[str, str]:
    """Tags of one check: its own verdict, the rest as in the run."""
    verdict, expected = item.outcome.verdict, item.check.expected
    own = {"verdict": verdict, "expected": expected, "caught": str(item.caught).lower()}
    own |= {"as_expected": str(verdict == expected).lower(), "check": item.check.name}
    own |= {"level": "check", "method": item.check.method}
    return run_tags(result) | own


def check_params(item: CheckResult) -> dict[str, str]:
    """What one check declares."""
    names = ("kind", "axis", "quantity", "method", "claim", "claimed", "direction", "tolerance")
    declared = {name: getattr(item.check, name, "") for name in (*names, "allowed")}
    given = {name: value for name, value in declared.items() if value != ""}
    return params_of(given | {"settings": item.check.settings, "grid": list(item.check.grid)})


def run_points(result: Result) -> Iterator[Point]:
    """Every check's curves and interval under its name, so that two runs overlay in the UI."""
    for item in result.checks:
        name = item.check.name
        yield from _curve_points(name, item.outcome)
        yield from _decade_points(f"{name}.log10", item.outcome)
        yield from _number_points(f"{name}.", item.outcome)
        for control in item.controls:
            yield from _curve_points(f"{name}.{control.method}", control)


def check_points(item: CheckResult) -> Iterator[Point]:
    """One check's curve, controls and numbers, under names that all checks share."""
    yield from _curve_points("measured", item.outcome)
    yield from _number_points("", item.outcome)
    for control in item.controls:
        yield from _curve_points(f"control.{control.method}", control)
        yield from _number_points(f"control.{control.method}.", control)


def steps_of(grid: list[float]) -> list[int]:
    """The swept values where they are exact whole numbers in order, else 0, 1, 2, …

    >>> steps_of([1e3, 1e4]), steps_of([0.5, 1.0])
    ([1000, 10000], [0, 1])
    """
    if all(value.is_integer() and abs(value) < MAX_STEP for value in grid):
        return [int(value) for value in grid]
    return list(range(len(grid)))


def _curve_points(name: str, outcome: Outcome) -> Iterator[Point]:
    """Finite means along the sweep."""
    found = curve(outcome.series)
    for step, mean in zip(steps_of(found.grid.tolist()), found.mean.tolist(), strict=True):
        if finite(mean) is not None:
            yield name_of(name), mean, step


def _decade_points(name: str, outcome: Outcome) -> Iterator[Point]:
    """log10 of positive means against 100·log10 of the sweep: a power law is a straight line.

    The UI has no logarithmic step axis.
    """
    if outcome.fit is None:
        return
    found = curve(outcome.series)
    for value, mean in zip(found.grid.tolist(), found.mean.tolist(), strict=True):
        if finite(mean) is not None and mean > 0:
            step = round(100 * math.log10(value)) if outcome.fit.log_axis else round(100 * value)
            yield name_of(name), math.log10(mean), step


def _number_points(prefix: str, outcome: Outcome) -> Iterator[Point]:
    """The measured numbers with the ends of their interval."""
    ends = interval(outcome.numbers) or (None, None)
    for key in ("slope", "value", "max_ratio", "exact_epsilon", "audit_lower_bound"):
        if (value := finite(outcome.numbers.get(key))) is not None:
            yield name_of(prefix + key), value, 0
    for key, end in zip(("ci_low", "ci_high"), ends, strict=True):
        if end is not None:
            yield name_of(prefix + key), end, 0
    yield name_of(prefix + "failed"), float(outcome.series.failed), 0
