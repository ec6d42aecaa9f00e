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
from dataclasses import replace
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
from repro.core.stream import stream
from repro.core.verdicts import IN_ROUNDING
from repro.study.plan import Plan, built

PINS = "slack.json"
WITHIN_EXACT, WITHIN_DRAWN = 0.001, 0.02
"""Shares of a pin that a point of a curve may leave it by, unless it is known to be steady: of a
check that draws nothing; and of one that draws, on top of what sampling allows."""
STEADY = (1e-7, 1e-5), (1e-5, 1e-4)
"""The largest share of a point by which other rounding may move it; and the share by which a run at
the seed of the pins may leave it then."""
SEED = 0
"""Of the pins, and of a run unless it says another."""
DRAWS = "edb9040e"
"""Hash of what numpy drew from a stream of that seed when the pins were written."""
SMALLEST, SMALLEST_STEADY = 1e-4, 1e-6
"""Points of an inequality below this share of what is allowed count as this: rounding is there.
The second where points are known to be steady."""
ROUNDING = 1e-9
"""What a point may leave its pin by, as a share of the largest: there is only rounding below."""
DIGITS = 8
"""Of a pinned number."""
CERTAIN = ("exact", "proved", "computed")
"""Evidence of checks whose numbers are the same at every seed, unless some of their cases drew."""
AT = 20, 400
"""Blocks and replicates of smoke: curves are compared at these alone."""
MISS = 1e-5
"""How often sampling alone may lead a check that draws off its curve."""


@cache
def pins() -> dict[str, dict[str, dict[str, Any]]]:
    """By experiment and check: ``of``, the hash of its numbers; ``slack``; ``curve``; ``error``."""
    return json.loads((conf_dir() / PINS).read_text(encoding="utf-8"))


@cache
def draws_now() -> str:
    """What this numpy draws from a stream, as a hash: other versions may draw other numbers."""
    rng = stream(SEED, PINS)
    each = [
        rng.random(), rng.uniform(-1, 1), rng.standard_normal(), rng.normal(1, 2),
        rng.integers(10**6), rng.binomial(10, 0.3), rng.binomial(10**6, 0.3), rng.choice(10**6),
    ]  # fmt: skip
    arrays = [rng.multinomial(10**6, [0.2, 0.8]), rng.dirichlet([0.5, 2]), rng.permutation(100)]
    return fingerprint([f"{number:.6g}" for number in np.concatenate([each, *arrays])])[:8]


def numbers_of(plan: Plan, check: DeclaredCheck) -> str:
    """A short hash of the numbers in force of a check; empty where they are another instance's."""
    if plan.setting.instance_kind != DEFAULT_INSTANCE:
        return ""
    sweep = plan.config["sweeps"][check.name]
    worlds = plan.config["worlds"]
    world = worlds.get(sweep.get("world"), worlds)  # of one world alone a sweep names none
    return fingerprint((sweep, world, dict(check.settings), check.grid))[:8]


def curve_and_beside(plan: Plan, result: CheckResult) -> tuple[list[float], list[float]]:
    """All numbers that a check is pinned to, as they have come out."""
    curve = [at.value for at in _means(result.check, (result.outcome, *result.controls))]
    return curve, _beside(plan, result.check)


def new_pin(
    plan: Plan, result: CheckResult, otherwise: Sequence[Sequence[float]] = ((), ())
) -> dict[str, object]:
    """The pin of a check as it has come out.

    Args:
        otherwise: ``curve_and_beside``, measured at the same seed with other rounding; a check is
            held closely to its own numbers only where this is given.

    Returns:
        ``of``; ``slack`` of a one-sided check that draws nothing; ``curve``; ``beside``, means
        beside the largest ratio; ``within``, the shares that rounding allows of the algorithm
        under test, of each control and of the means beside, 0 where it decides; and of a check
        that draws ``error``, standard errors, and ``size``, its blocks and the replicates of one.
    """
    check, outcomes = result.check, (result.outcome, *result.controls)
    slack = result.outcome.numbers.get("slack")
    pin: dict[str, object] = {"of": numbers_of(plan, check)}
    means, own = _means(check, outcomes), point_estimates(result.outcome.series)
    constant = not any(map(_varies, own))
    draws = check.evidence not in CERTAIN or any(map(_varies, means))
    if isinstance(slack, float) and check.evidence in CERTAIN and constant:
        pin["slack"] = _short(slack, 4)
    values, points = [at.value for at in means], len(check.grid)
    pin["curve"] = [_short(value, DIGITS) for value in values]
    beside = _beside(plan, check)
    pairs = [(values[:points], otherwise[0][:points])]
    pairs += [(values[at : at + 1], otherwise[0][at : at + 1]) for at in range(points, len(values))]
    pairs += [(beside, otherwise[1])] if beside else []
    within = [_within(check, own, other) for own, other in pairs]
    pin |= {"within": within} if any(within) else {}
    if draws:
        pin |= {"error": [_short(at.error, 2) for at in means], "size": _size(result.outcome)}
    if beside:
        pin["beside"] = [_short(number, DIGITS) for number in beside]
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
        if beside := pin.get("beside"):
            pin["beside"] = beside[:: len(beside) // 2]  # of the first algorithm at either end
    if "curve" in pin and pin.get("size", _size(outcomes[0])) == _size(outcomes[0]):
        with np.errstate(over="ignore"):  # squares of a control that is wrong by 1e200
            same = plan.seed == SEED and draws_now() == DRAWS
            numbers["off_curve"] = _off_curve(pin, check, _means(check, outcomes), same)
    if "beside" in pin:
        now = [Estimate(number, 0.0, math.nan) for number in _beside(plan, check)]
        beside = {"curve": pin["beside"], "within": pin.get("within", [0])[-1:] * len(now)}
        beside_off = _off_curve(beside, replace(check, grid=(0.0,)), now)
        numbers["off_curve"] = max(numbers.get("off_curve", 0.0), beside_off)
    return numbers


def _off_curve(
    pin: dict[str, Any], check: DeclaredCheck, means: list[Estimate], same: bool = False
) -> float:
    """The largest distance from the pin, each in units of what is allowed there.

    That is a share of the pin, and rounding; of a check that draws also what Student's interval of
    the difference of two runs allows, for all points together.  Where nothing or the same is drawn,
    what is known to be steady may move by a smaller share.
    """
    curve, values = np.array(pin["curve"], dtype=float), np.array([at.value for at in means])
    if len(curve) != len(values):
        return math.inf
    points, (own, *more) = len(check.grid), pin.get("within", [0])
    least = SMALLEST_STEADY if own else SMALLEST
    curve, values = _above_rounding(check, curve, least), _above_rounding(check, values, least)
    largest = np.nan_to_num(abs(curve[:points])).max()
    allowed = np.array(WITHIN_EXACT * abs(curve))
    if "error" in pin:
        errors = np.array([pin["error"], [at.error for at in means]], dtype=float)
        half = -stdtrit(pin["size"][0] - 1, MISS / 2 / len(curve))
        allowed = WITHIN_DRAWN * abs(curve) + half * np.hypot(*np.nan_to_num(errors))
    if same or "error" not in pin:
        shares = np.array([*[own] * points, *more, *[0] * len(curve)][: len(curve)])
        allowed = np.where(shares > 0, shares * abs(curve), allowed)
    allowed = allowed + ROUNDING * largest
    lost = np.isnan(values) != np.isnan(curve)
    distances = np.where(lost, math.inf, np.nan_to_num(abs(values - curve)))
    return float((distances / np.where(allowed > 0, allowed, ROUNDING)).max())


def _beside(plan: Plan, check: DeclaredCheck) -> list[float]:
    """Means beside the largest ratio, of every algorithm at the first and the last world."""
    swept = next(swept for swept in built(plan).swept if swept.name == check.name)
    quantity, worlds = swept.check.quantity, swept.sweep.worlds
    mean, ends = getattr(quantity.of, "beside", None), (worlds[0], worlds[-1])
    if mean:
        numbers = [mean(quantity, world, own) for world in ends for own in swept.algorithms]
    else:
        several = [own.cases for own in swept.algorithms if hasattr(own, "cases")]
        numbers = [float(np.mean(list(cases(world)))) for world in ends for cases in several]
    return [number if math.isfinite(number) else math.nan for number in numbers]


def _means(check: DeclaredCheck, outcomes: Sequence[Outcome]) -> list[Estimate]:
    """At each grid point that of the algorithm under test, then of each control over the grid."""
    right, *wrong = (point_estimates(outcome.series) for outcome in outcomes)
    if check.quantity.endswith(IN_ROUNDING):
        right = [replace(at, value=math.nan, error=0.0) for at in right]
    return [*right, *map(pooled, wrong)]


def _above_rounding(check: DeclaredCheck, curve: np.ndarray, least: float) -> np.ndarray:
    """Points of an inequality that are not told from rounding count as the least."""
    if not isinstance(check, InequalityCheck):
        return curve
    # a mean beside the largest ratio may be negative
    return np.where(abs(curve) < least, least, curve)


def _within(check: DeclaredCheck, own: Sequence[float], otherwise: Sequence[float]) -> float:
    """The share that points may move by, where other rounding leaves them; 0: it does not."""
    if len(own) != len(otherwise):
        return 0
    before, after = (
        _above_rounding(check, np.array(points), SMALLEST_STEADY) for points in (own, otherwise)
    )
    least = ROUNDING * float(np.nan_to_num(np.abs(before)).max())
    for moved, share in STEADY:
        if np.allclose(before, after, rtol=moved, atol=least, equal_nan=True):
            return share
    return 0


def _varies(mean: Estimate) -> bool:
    """Whether blocks differ by more than rounding."""
    return mean.error > ROUNDING * abs(mean.value)


def _size(outcome: Outcome) -> list[int]:
    """Blocks, and replicates of one."""
    return list(outcome.series.values.shape[1:])


def _short(number: float, digits: int) -> float | None:
    return float(f"{number:.{digits}g}") if math.isfinite(number) else None
