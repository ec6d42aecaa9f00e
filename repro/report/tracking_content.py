"""What a run leaves in MLflow, as plain names and numbers: params, tags and metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from repro.core.claims import DeclaredCheck
from repro.core.results import CheckResult, Outcome, Result
from repro.report.record import changed_words, flatten, jsonable
from repro.report.run_files import Numbers, finite
from repro.report.window import curve, level
from repro.report.wording import part_words

Point = tuple[str, float, int]
"""A metric: name, value, step."""

SIGNS = {"supported": 1.0, "inconclusive": 0.0, "contradicted": -1.0}
"""A verdict as a metric: columns of metrics can be sorted, and compared between runs."""

DIGITS = 5
"""Of a number in the UI's columns, which are narrow; ``verdict.json`` has all of them."""

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
    """Begins with what tells two runs apart: the UI cuts the end of a long name.

    Four digits of the config's hash, the settings that a user has varied, seed and budget,
    and the theorem at the end: the saved views have a column for it.
    """
    settings = [
        f"{short}={float(str(result.config[key])):g}"
        for key, short in (("epsilon", "ε"), ("n_pairs", "n"), ("horizon", "T"))
        if result.config.get(key) is not None
    ]
    settings += [
        f"{'.'.join(path.split('.')[-2:])}={value}"
        for path, _, value in (word.partition("=") for word in changed_words(_changed(result)))
    ]
    parts = [result.config_hash[:4], *settings, f"s{result.seed}", result.budget, result.theorem]
    return " ".join(parts)


def _changed(result: Result) -> Mapping[str, object]:
    """Numbers and stages that were changed by their path."""
    changed = result.config.get("changed")
    return changed if isinstance(changed, Mapping) else {}


def params_of(values: Mapping[str, object]) -> dict[str, str]:
    """Flattened with dots, under names that MLflow accepts."""
    return {name_of(key): text[:MAX_VALUE] for key, text in flatten(values).items()}


def run_tags(result: Result) -> dict[str, str]:
    """Tags of the run, and of its checks too: filters do not reach from a parent to a child."""
    papers = dict.fromkeys(statement.split(".")[0] for statement in result.statements)
    part = part_words(result.checks_run)
    changed = ", ".join(changed_words(_changed(result)))[:MAX_VALUE]
    return {
        **({"changed": changed} if changed else {}),
        "papers": ",".join(papers),
        "statements": ",".join(result.statements)[:MAX_VALUE],
        "theorem": result.theorem,
        "verdict": part or result.verdict,
        "complete": str(not part).lower(),
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
    if (epsilon := item.check.settings.get("epsilon")) is not None:
        own["epsilon"] = str(epsilon)
    elif item.check.axis == "epsilon":
        own["epsilon"] = _swept(item)
    return run_tags(result) | own


def check_name(item: CheckResult) -> str:
    """Name of a check's own run: the ε in force where it has one, then the check.

    The same check of two runs differs in ε, and the UI cuts the end of a long name.
    """
    epsilon = item.check.settings.get("epsilon")
    if isinstance(epsilon, int | float):
        return f"ε={epsilon:g} {item.check.name}"
    swept = item.check.axis == "epsilon"
    return f"ε={_swept(item)} {item.check.name}" if swept else item.check.name


def _swept(item: CheckResult) -> str:
    return f"{min(item.check.grid):g} to {max(item.check.grid):g}"


def check_params(item: CheckResult) -> dict[str, str]:
    """What one check declares."""
    names = ("kind", "axis", "quantity", "method", "claim", "claimed", "direction", "tolerance")
    declared = {name: getattr(item.check, name, "") for name in (*names, "allowed")}
    given = {name: value for name, value in declared.items() if value != ""}
    return params_of(given | {"settings": item.check.settings, "grid": list(item.check.grid)})


def run_points(result: Result) -> Iterator[Point]:
    """Every check's curve and numbers under its name, so that two runs overlay in the UI.

    The UI's comparison begins with what comes first here: levels, which differ between settings.
    """
    for item in result.checks:
        yield from _level_points(f"{item.check.name}.log10_at", item)
    verdicts = [item.verdict for item in result.checks]
    for verdict in SIGNS:
        yield verdict, float(verdicts.count(verdict)), 0
    for item in result.checks:
        name = item.check.name
        if item.outcome.fit is None:
            yield from _curve_points(name, item.outcome)
        yield from _decade_points(f"{name}.log10", item.outcome)
        yield from _number_points(f"{name}.", item.check, item.outcome)


def check_points(item: CheckResult) -> Iterator[Point]:
    """One check's curve, controls and numbers, under names that all checks share."""
    yield from _curve_points("curve", item.outcome)
    yield from _decade_points("log10", item.outcome)
    yield from _number_points("", item.check, item.outcome)
    for control in item.controls:
        yield from _curve_points(f"control.{control.method}.curve", control)
        yield from _number_points(f"control.{control.method}.", item.check, control)


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
    measured = curve(outcome.series)
    for step, mean in zip(steps_of(measured.grid.tolist()), measured.mean.tolist(), strict=True):
        if finite(mean) is not None:
            yield name_of(name), mean, step


def _decade_points(name: str, outcome: Outcome) -> Iterator[Point]:
    """log10 of positive means against 100·log10 of the sweep: a power law is a straight line.

    The UI has no logarithmic step axis.
    """
    if outcome.fit is None:
        return
    measured = curve(outcome.series)
    for value, mean in zip(measured.grid.tolist(), measured.mean.tolist(), strict=True):
        if finite(mean) is not None and mean > 0:
            step = round(100 * math.log10(value)) if outcome.fit.log_axis else round(100 * value)
            yield name_of(name), math.log10(mean), step


def _level_points(prefix: str, item: CheckResult) -> Iterator[Point]:
    """log10 of the curve at one value of the sweep that runs at other budgets of privacy share."""
    measured = curve(item.outcome.series)
    scaled = float(str(item.check.settings.get("labels_scaled_by", 1.0)))
    if item.outcome.fit is None:
        return
    if point := level(measured.grid.tolist(), measured.mean.tolist(), item.check.axis, scaled):
        yield name_of(f"{prefix}_1e{point[0]}"), point[1], 0


def _number_points(prefix: str, check: DeclaredCheck, outcome: Outcome) -> Iterator[Point]:
    """Verdict, what is claimed and what was measured, with the ends of its interval."""
    numbers, checked = outcome.numbers, Numbers.model_validate(jsonable(outcome.numbers))
    points = {"verdict": SIGNS[outcome.verdict], "measured": checked.headline}
    points["claimed"] = _claimed(check, numbers)
    for key in ("tolerance", "slack"):
        points[key] = finite(numbers.get(key, getattr(check, key, None)))
    ends = checked.ci95 or (None, None)
    points |= dict(zip(("ci_low", "ci_high"), ends, strict=True))
    points["failed"] = float(outcome.series.failed)
    for key, value in points.items():
        if value is not None:
            yield name_of(prefix + key), float(f"{value:.{DIGITS}g}"), 0


def _claimed(check: DeclaredCheck, numbers: Mapping[str, object]) -> float | None:
    """A slope, a ratio, an epsilon, or the most that a frequency or a ratio may be."""
    for key in ("claimed", "claimed_epsilon", "allowed"):
        if (value := finite(numbers.get(key, getattr(check, key, None)))) is not None:
            return value
    return 1.0 if check.kind == "inequality" else None
