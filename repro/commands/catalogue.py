"""``python -m repro catalogue [STATEMENT | WORDS]``: where every numbered statement stands.

  repro catalogue                    all of them, by paper
  repro catalogue p1.thm_4_2         one: verdict, why, counterexample, what
                                     holds; as printed, evidence
  repro catalogue "P2 Theorem 5.2"   the same, as people say it
  repro catalogue p1                 a line for each statement of a paper
  repro catalogue contradicted       a line for each statement of that verdict
  repro catalogue coverage           a line for each statement about it
  repro catalogue --json             all of them, for programs
  repro catalogue --page             all of them as docs/statements.md
  repro catalogue p1 --page          those of a paper, likewise
  repro catalogue --slips            the suspected errors and what decided each

Where ./outputs has runs, their measured numbers are shown.

Exit status: 0 if the catalogue is sound, 2 for an unknown argument or a malformed file.  1 if it
names something that does not exist, or an experiment has no statement, with a line for each on
stderr.  A statement without an experiment yet leaves it sound.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from repro.base.errors import BadInput, among, number_of
from repro.base.places import names, places, shipped
from repro.catalogue import machine_checked, slips
from repro.catalogue.coverage import (
    MISSING,
    StatementCoverage,
    completed,
    counterexample_problems,
    evidence_problems,
    problems,
    rows,
)
from repro.catalogue.entries import OWN, counted, paper
from repro.catalogue.papers import Catalogue, files, load
from repro.catalogue.standing import (
    OWN_PAGE,
    PAGE,
    named,
    near_names,
    standing,
    statements_page,
)
from repro.catalogue.summaries import summaries
from repro.catalogue.table import print_table
from repro.report.html.runs import StoredRun, find_runs
from repro.report.one_statement import list_entry, page
from repro.report.terminal import Terminal

RUNS = Path("outputs")
"""Where runs are kept unless their output_dir says otherwise."""
NOT_RUN = "not run yet; python -m repro theorem=NAME runs one"
"""Before the names of experiments that have no finished run in RUNS."""


def summary(coverage: list[StatementCoverage]) -> dict[str, int]:
    """Number of counted statements, in all and by status."""
    numbered = [row for row in coverage if counted(row.id)]
    return {"numbered": len(numbered), **Counter(row.status for row in numbered)}


def main(arguments: Sequence[str]) -> int:
    """Print the catalogue and return the exit status."""
    _refuse_options(arguments)
    catalogue = load()
    papers = {name: paper.said for name, paper in catalogue.papers.items()}
    if "--slips" in arguments:
        proved = machine_checked.by_slip(catalogue.theorems)
        print(slips.page(catalogue.slips, papers, proved), end="")
        return 0
    runs = {run.slug: run for run in find_runs(RUNS)} if RUNS.is_dir() else {}
    existing = summaries(runs.values())
    catalogue = completed(catalogue, existing)
    coverage = rows(catalogue, existing)
    if "--page" in arguments:
        names_of_pages = [word for word in arguments if word != "--page"] or [*papers, OWN]
        for name in names_of_pages:
            if name not in (*papers, OWN):
                raise BadInput("paper", name, among(name, papers))
        _print_page(names_of_pages, coverage, catalogue, " ".join(arguments))
        return 0
    unread = [name for name in names() if name not in existing or existing[name].not_run]
    if arguments and arguments[0] != "--json":
        meant = _print_some(" ".join(arguments), coverage, catalogue, runs)
        suspected = {f"{paper(row.id)}.{slip}" for row in meant for slip in row.item.slips}
        for line in (
            *counterexample_problems(catalogue, existing, {row.id for row in meant}),
            *evidence_problems(catalogue, existing, unread, suspected),
        ):
            print(line, file=sys.stderr)
        return 0
    wrong = [*problems(catalogue, existing, unread), *machine_checked.dangling(catalogue)]
    if "--json" in arguments:
        plain = {
            "papers": papers,
            "summary": summary(coverage),
            "problems": wrong,
            "items": [row.plain() for row in coverage],
        }
        print(json.dumps(plain, indent=1))
    else:
        _print_all(catalogue, coverage)
    for line in wrong:
        print(line, file=sys.stderr)
    if unread:
        print(f"{NOT_RUN}: {', '.join(unread)}", file=sys.stderr)
    return 1 if wrong else 0


def _print_page(
    names_of_pages: Sequence[str],
    coverage: Sequence[StatementCoverage],
    catalogue: Catalogue,
    words: str,
) -> None:
    """Print the page of some papers; that of a paper of the current folder has its own results."""
    here = places()[-1]
    own = here != shipped() and set(names_of_pages) <= {file.stem for file in files(here)} - {OWN}
    experiments = set(here.names() if own else ())
    shown = [
        row
        for row in coverage
        if paper(row.id) in names_of_pages
        or (paper(row.id) == OWN and not experiments.isdisjoint(row.item.experiments))
    ]
    papers = {name: paper.said for name, paper in catalogue.papers.items()}
    text = statements_page(
        shown, papers, catalogue, f"catalogue {words}", OWN_PAGE if own else PAGE
    )
    print(text, end="")


def _refuse_options(arguments: Sequence[str]) -> None:
    options = [word for word in arguments if word.startswith("-")]
    page_of_papers = options == ["--page"]
    if (options and len(arguments) > 1 and not page_of_papers) or not set(options) <= {
        "--json",
        "--page",
        "--slips",
    }:
        allowed = (
            "allowed: one of --json, --page, --slips; a statement or words; p1 --page; nothing"
        )
        raise BadInput("argument", " ".join(arguments), allowed)


def _print_some(
    words: str,
    coverage: list[StatementCoverage],
    catalogue: Catalogue,
    runs: Mapping[str, StoredRun],
) -> list[StatementCoverage]:
    """Print the statement that is meant, or a line for each of several; all that are meant.

    Raises:
        BadInput: nothing is meant.
    """
    meant = named(words, coverage, catalogue)
    if not meant:
        papers = f"a paper ({', '.join(catalogue.papers)}; one of yours in its folder)"
        forms = (
            f"an id like p1.thm_4_2, P1 Theorem 4.2, {papers}, contradicted, or words of a title"
        )
        raise BadInput("statement", words, f"{near_names(words, coverage)}allowed: {forms}")
    if len(meant) == 1:
        print(page(meant[0], catalogue, runs))
        return meant
    for row in meant:
        line = standing(row, catalogue).line
        line = line if row.id in line else f"{row.id}  {line}"
        print(list_entry(line))
    return meant


def _print_all(catalogue: Catalogue, coverage: list[StatementCoverage]) -> None:
    console = Terminal()
    print_table(console, catalogue, coverage)
    to_come = sum(row.status == MISSING for row in coverage)
    proved = sum(bool(row.machine_checked) for row in coverage)
    own = sum(paper(row.id) == OWN for row in coverage)
    console.print(
        f"{len(coverage) - own} statements of papers, {number_of(own, 'own result')}; "
        f"{to_come} without an experiment yet; {proved} machine checked",
        highlight=False,
    )
