"""The catalogue as a table in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from repro.catalogue.coverage import REASON, StatementCoverage
from repro.catalogue.entries import kind, number, paper
from repro.catalogue.papers import Catalogue
from repro.catalogue.standing import standing


def print_table(console: Console, catalogue: Catalogue, coverage: list[StatementCoverage]) -> None:
    """One table a paper: number, title, verdict, and the experiments or the reason."""
    for name in dict.fromkeys(paper(row.id) for row in coverage):
        title = Text(catalogue.paper_said(name), style="italic")
        table = Table(title=title, title_justify="left")
        evidence = "experiments (recorded verdict) or reason"
        for heading in ("statement", "title", "verdict", evidence):
            table.add_column(heading, overflow="fold")
        for row in coverage:
            if paper(row.id) == name:
                table.add_row(
                    f"{kind(row.id)} {number(row.id)}".strip(),
                    row.item.title,
                    standing(row, catalogue).verdict_words,
                    _settled_by(row),
                )
        console.print(table, markup=False)


def _settled_by(row: StatementCoverage) -> str:
    if row.status == REASON:
        return str(row.item.reason)
    # one theorem a statement, a contradiction first; `python -m repro catalogue ID` has the others
    existing = [f"{slug} ({verdict.replace('_', ' ')})" for slug, verdict in row.recorded.items()]
    to_come = [f"{slug} (to come)" for slug in row.missing]
    proved = [
        f"machine checked: {proof.file} ({proof.theorem})" for proof in row.machine_checked[:1]
    ]
    settled = ", ".join([*existing, *to_come, *proved])
    return ": ".join(part for part in (settled, row.item.shown) if part)
