"""``python -m repro.catalogue [--json | --slips]``: every numbered statement, with its status.

``--slips`` prints the suspected errors and what settled each, as Markdown.

Exit status 0 if the catalogue is sound, 1 if it has a gap or a dangling name (one line each on
stderr), 2 for an unknown argument or a malformed file.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from repro.base.errors import BadInput
from repro.catalogue import slips
from repro.catalogue.coverage import (
    MISSING,
    Row,
    completed,
    problems,
    rows,
    statements_of_experiments,
)
from repro.catalogue.entries import counted, load
from repro.catalogue.table import print_table
from repro.cli.command import run_command


def summary(found: list[Row]) -> dict[str, int]:
    """Number of counted statements, in all and by status."""
    numbered = [row for row in found if counted(row.id)]
    return {"numbered": len(numbered), **Counter(row.status for row in numbered)}


def main(arguments: Sequence[str]) -> int:
    """Print the catalogue and return the exit status."""
    try:
        if list(arguments) not in ([], ["--json"], ["--slips"]):
            raise BadInput("argument", " ".join(arguments), "allowed: --json, --slips, or nothing")
        catalogue = load()
        if "--slips" in arguments:
            print(slips.page(slips.load(), catalogue.papers), end="")
            return 0
        existing = statements_of_experiments()
    except BadInput as problem:
        print(problem, file=sys.stderr)
        return 2
    catalogue = completed(catalogue, existing)
    found = rows(catalogue, existing)
    wrong = problems(catalogue, existing)
    if "--json" in arguments:
        plain = {
            "papers": catalogue.papers,
            "summary": summary(found),
            "problems": wrong,
            "items": [row.plain() for row in found],
        }
        print(json.dumps(plain, ensure_ascii=False, indent=1))
    else:
        _print_all(catalogue, found)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def _print_all(catalogue, found: list[Row]) -> None:
    console = Console()
    print_table(console, catalogue, found)
    counts = summary(found)
    to_come = counts.get(MISSING, 0)
    console.print(
        f"{counts['numbered']} numbered statements, {len(found) - counts['numbered']} more; "
        f"{to_come} without an experiment yet",
        highlight=False,
    )


if __name__ == "__main__":
    run_command(main, __doc__)
