"""The numbers of a run that two runs are compared by, for DVC."""

from __future__ import annotations

from typing import Any

from repro.report.record import RunRecord
from repro.report.run_files import CheckEntry


def run_numbers(run: RunRecord) -> dict[str, Any]:
    """Verdict of a run, and verdict and measured number of each check, by name.

    A run of some of its checks has how many they are in the place of its verdict.
    """
    checks = {check.name: _numbers(check) for check in run.verdict.checks}
    return {"verdict": run.part or run.verdict.verdict, **checks}


def _numbers(check: CheckEntry) -> dict[str, Any]:
    measured = check.headline
    return {"verdict": check.verdict} | ({} if measured is None else {"measured": measured})
