"""Every numbered statement of the papers and what settles it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repro.catalogue.coverage import StatementCoverage


def rows(runs: str | Path = "outputs") -> list[StatementCoverage]:
    """Every statement as it stands: its id, title, experiments and their pinned verdicts.

    Args:
        runs: a folder with finished runs, by which experiments of the current folder are known; no
            code of that folder is run.  It may be missing.

    Raises:
        BadInput: a paper is malformed, or a file in ``runs`` is no run's.

    >>> next(row.expected for row in rows() if row.id == "p2.thm_5_2")["square_chipo"]
    'supported'
    """
    from repro.catalogue import coverage, papers, summaries
    from repro.report.html.runs import find_runs

    existing = summaries.summaries(find_runs(Path(runs)) if Path(runs).is_dir() else ())
    return coverage.rows(coverage.completed(papers.load(), existing), existing)
