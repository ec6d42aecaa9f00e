"""``python -m repro.report``: one HTML page over what has been run, tables and figures for papers.

Exit status 0; 1 if a finding disagrees with the runs, or the files of a run were changed since;
2 for bad input, with nothing written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from repro.base.errors import BadInput, one_line
from repro.base.files import write_whole
from repro.cli.command import run_command
from repro.cli.outcome import explained


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(
            2, f"error: {one_line(message)}; python -m repro.report --help shows what is allowed\n"
        )


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = _Parser(prog="python -m repro.report", description=(__doc__ or "").split("\n")[0])
    found.add_argument("--runs", type=Path, default=Path("outputs"), metavar="DIR",
                       help="where finished runs are (outputs)")  # fmt: skip
    found.add_argument("--output", type=Path, metavar="FILE",
                       help="the page (report.html inside DIR)")  # fmt: skip
    found.add_argument("--paper", choices=("p1", "p2", "p3", "p4"),
                       help="one paper alone (report_p1.html inside DIR)")  # fmt: skip
    found.add_argument("--gallery", action="store_true",
                       help="every figure, no more (gallery.html inside DIR)")  # fmt: skip
    found.add_argument("--findings", type=Path, metavar="FILE",
                       help="write the findings as Markdown, and nothing else")  # fmt: skip
    found.add_argument("--latex", type=Path, metavar="DIR",
                       help="write booktabs tables and PDF figures, and nothing else")  # fmt: skip
    return found


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say."""
    try:
        given = parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return _write(given)
    except (BadInput, OSError) as problem:
        return explained(problem)


def _write(given: argparse.Namespace) -> int:
    from repro.catalogue import entries, slips
    from repro.report.html import ablations, one_paper
    from repro.report.html.findings import disagreements, findings, page
    from repro.report.html.gallery import gallery_html
    from repro.report.html.page import TITLE, report_html
    from repro.report.html.runs import find_runs, say_changes

    runs, notes, listed = find_runs(given.runs), slips.load(), entries.load()
    title = TITLE
    if given.paper:
        runs, notes = one_paper.runs_of(runs, given.paper), one_paper.slips_of(notes, given.paper)
        title = f"{TITLE}. {given.paper.upper()}: {listed.paper_said(given.paper)}"
        listed = one_paper.catalogue_of(listed, given.paper)
    by_key = {run.key: run for run in runs}
    if not runs:
        raise BadInput("runs", str(given.runs), "allowed: a folder with finished runs; run some")
    if given.latex:
        from repro.report.latex import write_latex

        print(f"{write_latex(runs, given.latex)} files in {given.latex}")
    elif given.findings:
        _save(given.findings, page(findings(notes, by_key)))
    elif given.gallery:
        whose = f"_{given.paper}" if given.paper else ""
        _save(given.output or given.runs / f"gallery{whose}.html", gallery_html(runs))
    else:
        found = ablations.read(given.runs)
        if given.paper:
            found = one_paper.ablations_of(found, runs)
        text = report_html(runs, listed, notes, found, title)
        name = f"report_{given.paper}.html" if given.paper else "report.html"
        _save(given.output or given.runs / name, text)
    wrong = list(disagreements(notes, by_key))
    for line in wrong:
        print(f"finding against the runs: {line}", file=sys.stderr)
    return max(say_changes(runs), int(bool(wrong)))


def _save(path: Path, text: str) -> None:
    write_whole(path, text)
    print(f"{path} ({len(text.encode()) / 1e6:.1f} MB)")


if __name__ == "__main__":
    run_command(main)
