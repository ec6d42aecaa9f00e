"""Replicates of every check, planned from a pilot and written into its config."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from repro.base.errors import BadInput
from repro.base.files import write_whole
from repro.base.places import Place, place_of
from repro.base.schema import Whole, validate
from repro.commands.runs.many_runs import ManyRuns
from repro.core.results import CheckResult
from repro.report.wording import nan_words, narrow_words
from repro.study.composition import compose_values
from repro.study.experiment import Budget
from repro.study.plan import built
from repro.study.power import planned, rounded

FEWEST = 0.05
"""One replicate in each of the 20 blocks of smoke."""

SAFE, LEAST = 1.3, 0.1
"""What a check keeps where it has too many: over what the pilot says, and at least."""


@dataclass(frozen=True)
class Form:
    """One of the two ways in which YAML writes a sweep.

    Attributes:
        pattern: what follows the name.
        factor: ``replicates`` within it.
        added: ``replicates`` at its end, and what closes it.
    """

    pattern: re.Pattern[str]
    factor: str
    added: str


FLOW = Form(re.compile(r"\{.*?\}(?=\n)", re.S), r",\s*replicates:[^,}]*", ", replicates: {:g}}}")
LINES = Form(
    re.compile(r".*\n(?:    .*\n)*"), r"(?m)^    replicates:.*\n", "\n    replicates: {:g}\n"
)


class PowerRequest(ManyRuns):
    """Arguments of the command.

    Attributes:
        budgets: the largest that a pinned verdict is to hold at.
        seed: of the pilot.
        write: put what is enough into the configs.
        lower: also where a check has twice as many as that, or more.
    """

    budgets: Literal["smoke", "laptop", "paper"] = "paper"
    seed: Whole = 0
    write: bool = False
    lower: bool = False

    def theorems(self) -> list[str]:
        """As for every such command; shipped configs are written where ``theorem`` names them.

        Raises:
            BadInput: also for ``write`` without ``theorem`` where the folder has no theorem.
        """
        if self.write and self.theorem is None and not Place(Path.cwd(), "").names():
            raise BadInput("write", "true", "allowed: theorem=NAME, or a folder with theorems")
        return super().theorems()


@dataclass(frozen=True)
class Planned:
    """What one check has and needs.

    Attributes:
        theorem: experiment.
        check: name of the check.
        now: factor on the budget's replicates in its config.
        needed: factor that is enough; inf where none is, 0 where nothing is random.
        not_a_number: the quantity and the grid values at which it is none, in words; may be empty.
        narrow: why a wider grid is needed and not more replicates, in words; may be empty.
    """

    theorem: str
    check: str
    now: float
    needed: float
    not_a_number: str = ""
    narrow: str = ""

    @property
    def factor(self) -> float:
        """The factor to write: a nice number, and never less than one replicate a block."""
        return rounded(max(self.needed, FEWEST))

    @property
    def lowered(self) -> float:
        """The factor that is kept where the check has far more, else what it has."""
        kept = rounded(max(SAFE * self.needed, LEAST))
        return kept if self.needed > 0 and kept <= self.now / 2 else self.now

    @property
    def enough(self) -> bool:
        """Whether the check comes out with what it has, on a grid that says something of a rate."""
        return self.needed <= self.now and not self.not_a_number and not self.narrow


def power(request: PowerRequest) -> list[Planned]:
    """Plan every check of some experiments from a pilot at budget=smoke.

    Raises:
        BadInput: an experiment that does not exist, or a folder that cannot be written to.
    """
    all_checks = []
    for theorem in request.theorems():
        checks = _planned(theorem, request)
        if request.write:
            _write(place_of(theorem).config(theorem), checks, request.lower)
        all_checks += checks
    return all_checks


def _planned(theorem: str, request: PowerRequest) -> list[Planned]:
    session, result = request.run(theorem, seed=request.seed, budget="smoke")
    factors = {check.name: check.sweep.replicates for check in built(session.plan).swept}
    names = ("smoke", "laptop", "paper")
    budgets = [_budget(theorem, name) for name in names[: names.index(request.budgets) + 1]]
    return [
        Planned(
            theorem,
            item.check.name,
            now := factors[item.check.name],
            now * planned(item, session.plan.budget, budgets),
            _not_a_number(item),
            narrow_words(item.check.kind, item.check.axis, item.check.grid),
        )
        for item in result.checks
    ]


def _not_a_number(item: CheckResult) -> str:
    """Where the algorithm under test has too few finite values; empty if nowhere."""
    places = item.outcome.series.not_a_number_at
    return f"{item.check.quantity} is {nan_words(item.check.axis, places)}" if places else ""


def _budget(theorem: str, name: str) -> Budget:
    """A budget as one experiment meets it: blocks that are trainings are counted by it."""
    return validate(Budget, compose_values(theorem, {"budget": name})["budget"])


def _write(path: Path, checks: Sequence[Planned], lower: bool) -> None:
    """Put what is enough into the sweeps of checks that have too few, or far too many.

    Raises:
        BadInput: a check has no sweep below ``sweeps``.
    """
    text = path.read_text(encoding="utf-8")
    for item in checks:
        if lower and item.enough and item.lowered < item.now:
            text = with_factor(text, item.check, item.lowered)
    for item in checks:  # one that shares the sweep of another was lowered with it
        kept = item.lowered if item.enough else item.factor
        if not item.narrow and math.isfinite(item.needed) and factor_of(text, item.check) < kept:
            text = with_factor(text, item.check, kept)
    write_whole(path, text)


def factor_of(text: str, check: str) -> float:
    """The ``replicates`` of one check's sweep in a config's text; 1 where it has none.

    >>> factor_of("sweeps:\\n  a: &a {grid: [1], replicates: 3}\\n  b: *a\\n", "b")
    3.0
    """
    import yaml

    content = yaml.safe_load(text)
    sweep = content.get("sweeps", {}).get(check, {})
    return float(sweep.get("replicates", 1.0))


def with_factor(text: str, check: str, factor: float) -> str:
    """A config's text with another ``replicates`` in one sweep; its first one of that name.

    >>> with_factor("sweeps:\\n  a: {grid: [1, 2], replicates: 3}\\n", "a", 5.0)
    'sweeps:\\n  a: {grid: [1, 2], replicates: 5}\\n'
    >>> with_factor("sweeps:\\n  a: {grid: [1, 2]}\\n", "a", 0.5)
    'sweeps:\\n  a: {grid: [1, 2], replicates: 0.5}\\n'
    """
    match = re.search(rf"^sweeps:.*?^  {re.escape(check)}:\s*(?:&\w+\s*)?", text, re.M | re.S)
    if match is None:
        raise BadInput("write", check, "it has no sweep to write to")
    if alias := re.compile(r"\*\w+").match(text, match.end()):
        merged = f"{{<<: {alias.group()}, replicates: {factor:g}}}"
        return text[: match.end()] + merged + text[alias.end() :]
    kind = FLOW if text.startswith("{", match.end()) else LINES
    sweep = kind.pattern.match(text, match.end())
    old = sweep.group() if sweep else ""
    kept = re.sub(kind.factor, "", old)[:-1]  # without what closes it
    return text[: match.end()] + kept + kind.added.format(factor) + text[match.end() + len(old) :]


def printed_lines(checks: Sequence[Planned]) -> str:
    """A line for each check that has too few replicates, then the sum."""
    short = [item for item in checks if not item.enough]
    random = [item for item in checks if item.needed > 0 or item.not_a_number]
    lines = [_line(item) for item in short]
    enough = f"{len(random) - len(short)} of {len(random)} random checks have enough"
    return "\n".join([*lines, enough])


def _line(item: Planned) -> str:
    name = f"{item.theorem} {item.check}"
    if item.not_a_number:
        return f"{name}: {item.not_a_number}; no number of replicates is enough"
    if item.narrow:
        return f"{name}: {item.narrow}"
    if math.isinf(item.needed):
        return (
            f"{name}: no number of replicates is enough: its value lies beyond the margin, or a "
            "control has no finite value"
        )
    return (
        f"{name}: {item.now:g} times the budget's replicates, needs about {item.factor:g} times, "
        "by this pilot"
    )
