"""What a run leaves behind: measurements, check results, the verdict of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from repro.core.claims import DeclaredCheck, Verdict

MAX_FAILED_SHARE = 0.01
"""Beyond this share of failed replicates a check is inconclusive: the rest may be a selection."""


@dataclass(frozen=True)
class Series:
    """Replicates of one method of one check.

    Attributes:
        grid: (G,) swept values.
        values: (G, K, R) measured quantity: grid point, block, replicate; NaN where it failed.
    """

    grid: np.ndarray
    values: np.ndarray

    @property
    def at_each_point(self) -> int:
        """Number of replicates at a grid point, those that failed among them."""
        return int(np.prod(self.values.shape[1:]))

    @property
    def failed(self) -> int:
        """Number of replicates without a finite value."""
        return int((~np.isfinite(self.values)).sum())

    @property
    def not_a_number_at(self) -> tuple[float, ...]:
        """Grid values at which too many replicates failed; none where a verdict allows them all."""
        if self.failed <= MAX_FAILED_SHARE * self.values.size:
            return ()
        failed = ~np.isfinite(self.values).reshape(len(self.grid), -1)
        many = failed.mean(axis=1) > MAX_FAILED_SHARE
        return tuple(float(value) for value in np.asarray(self.grid)[many])

    @property
    def block_means(self) -> np.ndarray:
        """(G, K) mean over the finite replicates of each block; NaN where there is none."""
        return finite_mean(self.values, axis=2)

    @property
    def means(self) -> np.ndarray:
        """(G,) mean over all finite replicates; NaN where there is none."""
        return finite_mean(self.values.reshape(len(self.grid), -1), axis=1)

    @property
    def standard_errors(self) -> np.ndarray:
        """(G,) standard error of ``means``; NaN below two finite replicates."""
        flat = self.values.reshape(len(self.grid), -1)
        count = np.isfinite(flat).sum(axis=1)
        squares = finite_mean((flat - self.means[:, None]) ** 2, axis=1)
        return np.sqrt(squares / np.where(count > 1, count - 1, np.nan))


def finite_mean(values: np.ndarray, axis: int) -> np.ndarray:
    """Mean over the finite entries along an axis; NaN where there is none."""
    finite = np.isfinite(values)
    count = finite.sum(axis=axis)
    total = np.where(finite, values, 0.0).sum(axis=axis)
    return total / np.where(count > 0, count, np.nan)


@dataclass(frozen=True)
class Fit:
    """The straight line behind a slope verdict, for figures: log y = intercept + slope·t.

    ``t`` is log of the axis, or the axis itself where ``log_axis`` is false.
    """

    slope: float
    intercept: float
    log_axis: bool


@dataclass(frozen=True)
class Outcome:
    """One method of one check, judged.

    Attributes:
        method: name of the implementation.
        verdict: what the numbers say.
        numbers: JSON fields of the contract (slope, ci95, …).
        series: its measurements.
        fit: the fitted line, for slopes.
    """

    method: str
    verdict: Verdict
    numbers: Mapping[str, object]
    series: Series
    fit: Fit | None = None


@dataclass(frozen=True)
class CheckResult:
    """A check with its outcome, the outcomes of its controls and the statements it speaks for.

    Attributes:
        witness: where a contradicted claim fails, as JSON fields (``repro.core.witness``).
    """

    check: DeclaredCheck
    outcome: Outcome
    controls: tuple[Outcome, ...]
    statements: tuple[str, ...] = ()
    witness: Mapping[str, object] | None = None

    @property
    def verdict(self) -> Verdict:
        """What the numbers of the method under test say."""
        return self.outcome.verdict

    @property
    def caught(self) -> bool:
        """Whether every control came out contradicted."""
        return all(control.verdict == "contradicted" for control in self.controls)


@dataclass(frozen=True)
class AssumptionResult:
    """A condition of the statement or the experiment, and whether the instance meets it."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class Result:
    """All of one run; ``repro.report`` reads it and never computes."""

    theorem: str
    statements: tuple[str, ...]
    title: str
    verdict: Verdict
    expected: Verdict
    as_expected: bool
    checks: tuple[CheckResult, ...]
    assumptions: tuple[AssumptionResult, ...]
    config: Mapping[str, object]
    config_hash: str
    seed: int
    replicates: int
    budget: str
    defined_checks: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def checks_run(self) -> tuple[int, int]:
        """How many checks were run, and how many the experiment has."""
        run_checks = len(self.checks)
        return run_checks, max(self.defined_checks, run_checks)


@dataclass(frozen=True)
class Finding:
    """What one check did when one thing was taken away.

    Attributes:
        theorem, check: whose check it is.
        evidence: how the check knows.
        need: what it needs if it noticed.
        ablation: what was taken away, in words.
        before, after: its verdict with everything in place, and then; ``error`` and what it says
            where measuring stops.
        blind: why the check need not notice; empty where it gives no reason.
        unmeasured: why nothing could be measured then; empty where it could.
    """

    theorem: str
    check: str
    evidence: str
    need: str
    ablation: str
    before: str
    after: str
    blind: str = ""
    unmeasured: str = ""

    @property
    def noticed(self) -> bool:
        """Whether a verdict changed."""
        return not self.undecided and self.before != self.after

    @property
    def undecided(self) -> bool:
        """Whether there was no verdict that could have changed."""
        return self.before == "inconclusive"
