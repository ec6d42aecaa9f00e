"""What the files of a finished run hold, typed: all that is printed of a run is read from here.

A run that has just finished makes the same of its own result (``repro.report.record``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, SupportsFloat

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from repro.core.claims import Verdict
from repro.core.verdicts import worst

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=80)]
"""Becomes part of a file name."""


def finite(value: object) -> float | None:
    """``value`` as a float, or None where it is no finite number.

    >>> finite(float("nan")) is None
    True
    """
    number = _number(value)
    return number if number is not None and math.isfinite(number) else None


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, SupportsFloat | str) else None
    except (OverflowError, ValueError):
        return None


def _ends(value: object) -> tuple[float, float] | None:
    """Of an interval; None without two finite ones."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    low, high = finite(value[0]), finite(value[1])
    return None if low is None or high is None else (low, high)


Finite = Annotated[float | None, BeforeValidator(finite)]
Extended = Annotated[float | None, BeforeValidator(_number)]
"""Infinite, too: ε without privacy."""
Ends = Annotated[tuple[float, float] | None, BeforeValidator(_ends)]
Failures = Annotated[int, BeforeValidator(lambda value: int(finite(value) or 0))]
Given = bool | int | float | str | list[bool | int | float | str] | None
"""What stands at a key at the top of a config."""


class _Part(BaseModel):
    """Plain values as JSON and YAML have them; keys that nobody shows may be anything."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Numbers(_Part):
    """What was measured of an algorithm, and what that is held to; None for what is not there.

    Attributes:
        kind: of the check: slope, ratio, inequality or privacy.
        slope, value, max_ratio, exact_epsilon, audit_lower_bound: what was measured.
        ci95: its 95 % interval.
        cases: how many cases ``max_ratio`` is the largest of.
        curvature_ci95, end_slope: of the curve behind a slope.
        reason: why nothing could be measured.
        claimed, tolerance, direction: a slope or ratio, its margin, and the side that is allowed.
        allowed: the most that a frequency may be.
        claimed_epsilon, dp_delta: of a claim about privacy.
        slack, slack_pinned: how much sharper a one-sided claim could be, and the pin of that.
        off_curve: how far the curve is from its pin; beyond 1 it has left it.
    """

    kind: str = ""
    slope: Finite = None
    value: Finite = None
    max_ratio: Finite = None
    exact_epsilon: Finite = None
    audit_lower_bound: Finite = None
    ci95: Ends = None
    cases: Finite = None
    curvature_ci95: Ends = None
    end_slope: Finite = None
    reason: str = ""
    claimed: Finite = None
    tolerance: Finite = None
    direction: str = "two_sided"
    allowed: Finite = None
    claimed_epsilon: Finite = None
    dp_delta: Finite = None
    slack: Finite = None
    slack_pinned: Finite = None
    off_curve: Finite = None

    @property
    def headline(self) -> float | None:
        """The measured number, None where nothing could be measured."""
        numbers = (
            self.slope,
            self.value,
            self.max_ratio,
            self.exact_epsilon,
            self.audit_lower_bound,
        )
        return next((number for number in numbers if number is not None), None)


class OutcomeEntry(Numbers):
    """An algorithm of a check, judged."""

    name: str
    verdict: Verdict
    failed_replicates: Failures = 0


class ControlEntry(OutcomeEntry):
    """One that is wrong on purpose, with the name of its check and what is wrong."""

    check: str = ""
    mistake: str = ""

    @property
    def caught(self) -> bool:
        """Whether it came out contradicted, as it must."""
        return self.verdict == "contradicted"


class InForce(_Part):
    """Numbers of a measurement besides its grid; None for those that it has not."""

    epsilon: Extended = None
    n_pairs: Extended = None
    horizon: Extended = None
    labels_scaled_by: Finite = None


class WitnessEntry(_Part):
    """Where a contradicted claim fails.

    Attributes:
        at: value of the axis; measured and claimed are the numbers there.
        start, measured_from, factor: where a growth is counted from, the number there, and by what
            factor the quantity grows; claimed is then the factor that the claim allows.
        failures, cases: how often an event failed there.
        block, replicate: numbers of the draw, the first of those that fail.
    """

    at: Extended = None
    measured: Extended = None
    claimed: Extended = None
    start: Annotated[Extended, Field(alias="from")] = None
    measured_from: Extended = None
    factor: Extended = None
    failures: int | None = None
    cases: int | None = None
    block: int | None = None
    replicate: int | None = None


class CheckEntry(OutcomeEntry):
    """A check with the outcome of the algorithm under test.

    Attributes:
        quantity: what is measured, with its unit in brackets.
        claim: in words.
        statements: that it speaks for; None: all of its experiment's.
        replicates: at each value of ``grid``, those that failed among them.
        not_a_number_at: values of ``grid`` at which more replicates failed than a verdict allows.
        by_point_ci95: of a ratio, intervals at each value of ``grid`` that hold together.
        expected: the verdict that is pinned.
        why: the reason of one other than ``supported``.
        substitute: what stands in the place of what a paper ran; empty where nothing does.
        witness: where a contradicted claim fails.
        corrected: the check with the form that holds, ``experiment: check`` in another one.
    """

    quantity: str = ""
    axis: str = ""
    claim: str = ""
    statements: list[str] | None = None
    evidence: str = ""
    needs: list[str] = []
    settings: InForce = InForce()
    grid: list[Extended] = []
    by_point_ci95: list[Ends] = []
    replicates: int = 0
    not_a_number_at: list[Extended] = []
    expected: str = ""
    why: str = ""
    substitute: str = ""
    witness: WitnessEntry | None = None
    corrected: str = ""

    @property
    def measured_in_all(self) -> int:
        """Replicates along the whole sweep."""
        return self.replicates * len(self.grid)


class Assumption(_Part):
    """An executed assumption."""

    name: str
    holds: bool
    detail: str = ""


class Files(_Part):
    """Hashes of the files that a verdict was read off."""

    config: Annotated[str, Field(alias="config.yaml")]
    measurements: Annotated[str, Field(alias="measurements.parquet")]


class VerdictContent(_Part):
    """What a run says: ``verdict.json`` without its seal.

    Attributes:
        rows: how many checks were run, and how many the experiment has.
    """

    theorem: Name
    statements: list[str]
    verdict: Verdict
    expected: str = ""
    rows: Annotated[list[int], Field(min_length=2, max_length=2)]
    checks: list[CheckEntry]
    controls: list[ControlEntry]
    assumptions: list[Assumption] = []
    seed: int
    replicates: int | None = None
    budget: str
    config_hash: str | None = None

    @property
    def as_expected(self) -> bool:
        """Whether the verdict and that of every check are those that are pinned."""
        checks = all(check.verdict == check.expected for check in self.checks)
        return self.verdict == self.expected and checks

    def controls_of(self, check: CheckEntry) -> list[ControlEntry]:
        """Outcomes of what is wrong on purpose in a check."""
        return [control for control in self.controls if control.check == check.name]

    def with_controls(self) -> Iterator[tuple[CheckEntry, list[ControlEntry]]]:
        """Every check and its controls."""
        for check in self.checks:
            yield check, self.controls_of(check)

    def contradicted(self) -> Iterator[tuple[CheckEntry, CheckEntry | None]]:
        """Contradicted checks, each with the one that has the form that holds, if it was run."""
        named = {check.name: check for check in self.checks}
        for check in self.checks:
            if check.verdict == "contradicted":
                yield check, named.get(check.corrected)

    def speaking(self, statement: str) -> list[CheckEntry]:
        """Checks that speak for a statement."""
        names = ((check, check.statements) for check in self.checks)
        return [
            check for check, own in names if statement in (self.statements if own is None else own)
        ]

    def contradicted_apart(self) -> dict[Verdict, list[str]]:
        """Statements by verdict, the contradicted first, where a whole run contradicts only some.

        Empty of any other run: its verdict is that of all its statements.
        """
        by_verdict: dict[Verdict, list[str]] = {"contradicted": []}
        for statement in self.statements:
            if speaking := self.speaking(statement):
                verdict = worst(check.verdict for check in speaking)
                by_verdict.setdefault(verdict, []).append(statement)
        whole = self.rows[0] == self.rows[1] and self.verdict == "contradicted"
        return by_verdict if whole and by_verdict["contradicted"] and len(by_verdict) > 1 else {}


class VerdictFile(VerdictContent):
    """``verdict.json``; one without its seal is no run's."""

    complete: bool
    files: Files
    seal: str


class FactsFile(_Part):
    """``run.json``; ``code`` has digests of what the numbers come from."""

    code: dict[str, str] = {}
    seconds: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    finished: str = ""
    versions: dict[str, Any] | None = None


class Instance(_Part):
    """The instance of a config; ``path`` names text pairs, where it has some."""

    kind: Name = "linear"
    path: Any = None


class ConfigFile(_Part):
    """``config.yaml``: what a command says besides its experiment.

    Attributes:
        changed: by path, the numbers that are not those of the shipped config, and given stages.
    """

    instance: Instance | None = None
    channel: dict[str, Any] | None = None
    regulariser: dict[str, Any] | None = None
    reward_class: dict[str, Any] | None = None
    epsilon: Given = None
    n_pairs: Given = None
    horizon: Given = None
    kl_weight: Given = None
    only: Given = None
    changed: dict[str, Any] = {}
