"""Every numbered statement of the papers and what settles it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repro.catalogue.coverage import StatementCoverage


def rows() -> list[StatementCoverage]:
    """Every statement as it stands: its id, title, experiments and their pinned verdicts.

    >>> next(row.expected for row in rows() if row.id == "p2.thm_5_2")["square_chipo"]
    'supported'
    """
    from repro.catalogue import coverage, papers, summaries

    existing = summaries.summaries()
    return coverage.rows(coverage.completed(papers.load(), existing), existing)
