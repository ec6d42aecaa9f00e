"""The numbers of a run that two runs are compared by, for DVC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from repro.report.wording import headline, part_words


def run_numbers(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Verdict of a run, and verdict and measured number of each row, by name.

    A run of some of its checks has how many they are in the place of its verdict.

    Args:
        verdict: content of ``verdict.json``.

    >>> row = {"name": "n_pairs", "verdict": "supported", "kind": "slope", "slope": -1.01}
    >>> run_numbers({"verdict": "supported", "rows": [1, 1], "checks": [row]})
    {'verdict': 'supported', 'n_pairs': {'verdict': 'supported', 'measured': -1.01}}
    """
    rows = {row["name"]: _row(row) for row in verdict["checks"]}
    return {"verdict": part_words(verdict["rows"]) or verdict["verdict"], **rows}


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    measured = headline(row)
    return {"verdict": row["verdict"]} | ({} if measured is None else {"measured": measured})
