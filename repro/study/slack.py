"""What the numbers of a check are pinned to: its slack, and its curve.

``slack`` of an inequality, a frequency or a bound is a factor, of a slope the distance to the
exponent that is claimed; of checks that draw nothing ``conf/slack.json`` keeps it.  Of every check
it keeps the curve: the mean at each grid point, then that of each control over the grid, with
standard errors where the check draws.  Of a largest ratio, of a proof or of a list of cases, it
keeps the mean besides, over points of the box or over the cases, at either end of the grid.
Each pin has a hash of the numbers that it belongs to: a run with other numbers is not held to it.
``python -m tools.slack --write`` writes the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.special import stdtrit

from repro.base.places import conf_dir
from repro.core.claims import DeclaredCheck, InequalityCheck
from repro.core.door import DEFAULT_INSTANCE
from repro.core.fingerprint import fingerprint
from repro.core.rates import Estimate, point_estimates, pooled
from repro.core.results import CheckResult, Outcome
from repro.study.plan import Plan, built

PINS = "slack.json"
WITHIN_EXACT, WITHIN_DRAWN = 0.001, 0.02
"""Shares of a pin that a point of a curve may leave it by: of a check that draws nothing; and, on
top of what sampling allows, of one that draws."""
SMALLEST = 1e-4
"""Points of an inequality below this share of what is allowed count as this: rounding is there."""
ROUNDING = 1e-9
"""What a point may leave its pin by, as a share of the largest: there is only rounding below."""
CERTAIN = ("exact", "proved", "computed")
"""Evidence of checks whose numbers are the same at every seed, unless some of their cases drew."""
IN_ROUNDING = "/ rounding"
"""End of the words of a quantity that has no curve to pin: what rounding leaves, over its size."""
AT = 20, 400
"""Blocks and replicates of smoke: curves are compared at these alone."""
MISS = 1e-5
"""How often sampling alone may lead a check that draws off its curve."""


@cache
def pins() -> dict[str, dict[str, dict[str, Any]]]:
    """By experiment and check: ``of``, the hash of its numbers; ``slack``; ``curve``; ``error``."""
    return json.loads((conf_dir() / PINS).read_text(encoding="utf-8"))


def numbers_of(plan: Plan, check: DeclaredCheck) -> str:
    """A short hash of the numbers in force of a check; empty where they are another instance's."""
    if plan.setting.instance_kind != DEFAULT_INSTANCE:
        return ""
    sweep = plan.config["sweeps"][check.name]
    worlds = plan.config["worlds"]
    world = worlds.get(sweep.get("world"), worlds)  # of one world alone a sweep names none
    return fingerprint((sweep, world, dict(check.settings), check.grid))[:8]


def new_pin(plan: Plan, result: CheckResult) -> dict[str, object]:
    """The pin of a check as it has come out.

    Returns:
        ``of``; ``slack`` of a one-sided check that draws nothing; ``curve``; ``beside``, means
        beside the largest ratio; and of a check that draws ``error``, standard errors, and
        ``size``, its blocks and the replicates of one.
    """
    check, means = result.check, _means((result.outcome, *result.controls))
    slack = result.outcome.numbers.get("slack")
    pin: dict[str, object] = {"of": numbers_of(plan, check)}
    draws = check.evidence not in CERTAIN or any(map(_varies, means))
    constant = not any(map(_varies, means[: len(check.grid)]))
    if isinstance(slack, float) and check.evidence in CERTAIN and constant:
        pin["slack"] = _short(slack, 4)
    if check.quantity.endswith(IN_ROUNDING):
        return pin
    pin["curve"] = [_short(at.value, 4 if draws else 6) for at in means]
    if draws:
        pin |= {"error": [_short(at.error, 2) for at in means], "size": _size(result.outcome)}
    if numbers := _beside(plan, check):
        pin["beside"] = [_short(number, 6) for number in numbers]
    return pin


def pinned(plan: Plan, check: DeclaredCheck, outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What a check is pinned to at these numbers.

    Args:
        outcomes: of the algorithm under test and of the controls, judged.

    Returns:
        ``slack_pinned``; and ``off_curve``, how far the curve is from its pin at the worst point:
        1 is as far as it may be.  Each is left out where there is no such pin, and where a
        stage has been replaced.
    """
    pin = pins().get(plan.slug, {}).get(check.name, {})
    if plan.setting.stages or pin.get("of") != numbers_of(plan, check):
        return {}
    numbers = {"slack_pinned": pin["slack"]} if "slack" in pin else {}
    if (plan.budget.blocks, plan.budget.replicates) != AT:
        return numbers
    if len(outcomes) == 1:  # without its controls, as tools.mutation runs it
        pin = pin | {
            name: pin[name][: len(check.grid)] for name in ("curve", "error") if name in pin
        }
    if "curve" in pin and pin.get("size", _size(outcomes[0])) == _size(outcomes[0]):
        with np.errstate(over="ignore"):  # squares of a control that is wrong by 1e200
            numbers["off_curve"] = _off_curve(pin, check, _means(outcomes))
    if "beside" in pin:
        now = [Estimate(number, 0.0, math.nan) for number in _beside(plan, check)]
        numbers["off_curve"] = max(
            numbers.get("off_curve", 0.0), _off_curve({"curve": pin["beside"]}, check, now)
        )
    return numbers


def _off_curve(pin: dict[str, Any], check: DeclaredCheck, means: list[Estimate]) -> float:
    """The largest distance from the pin, each in units of what is allowed there.

    That is a share of the pin, and rounding; of a check that draws also what Student's interval of
    the difference of two runs allows, for all points together.
    """
    curve, values = np.array(pin["curve"], dtype=float), np.array([at.value for at in means])
    if len(curve) != len(values):
        return math.inf
    if isinstance(check, InequalityCheck):
        curve, values = np.maximum(curve, SMALLEST), np.maximum(values, SMALLEST)
    draws, largest = "error" in pin, np.nan_to_num(abs(curve[: len(check.grid)])).max()
    allowed = (WITHIN_DRAWN if draws else WITHIN_EXACT) * abs(curve) + ROUNDING * largest
    if draws:
        errors = np.array([pin["error"], [at.error for at in means]], dtype=float)
        half = -stdtrit(pin["size"][0] - 1, MISS / 2 / len(curve))
        allowed = allowed + half * np.hypot(*np.nan_to_num(errors))
    lost = np.isnan(values) != np.isnan(curve)
    distances = np.where(lost, math.inf, np.nan_to_num(abs(values - curve)))
    return float((distances / np.where(allowed > 0, allowed, ROUNDING)).max())


def _beside(plan: Plan, check: DeclaredCheck) -> list[float]:
    """Means beside the largest ratio, of every algorithm at the first and the last world."""
    swept = next(swept for swept in built(plan).swept if swept.name == check.name)
    quantity, worlds = swept.check.quantity, swept.sweep.worlds
    if (mean := getattr(quantity.of, "beside", None)) is None:
        return []
    ends = (worlds[0], worlds[-1])
    numbers = [mean(quantity, world, own) for world in ends for own in swept.algorithms]
    return [number if math.isfinite(number) else math.nan for number in numbers]


def _means(outcomes: Sequence[Outcome]) -> list[Estimate]:
    """At each grid point that of the algorithm under test, then of each control over the grid."""
    right, *wrong = (point_estimates(outcome.series) for outcome in outcomes)
    return [*right, *map(pooled, wrong)]


def _varies(mean: Estimate) -> bool:
    """Whether blocks differ by more than rounding."""
    return mean.error > ROUNDING * abs(mean.value)


def _size(outcome: Outcome) -> list[int]:
    """Blocks, and replicates of one."""
    return list(outcome.series.values.shape[1:])


def _short(number: float, digits: int) -> float | None:
    return float(f"{number:.{digits}g}") if math.isfinite(number) else None
