"""``python -m repro report``: one HTML page over what has been run, tables and figures for papers.

Exit status: 0, or 2 for bad input, with nothing written.  1 if a finding disagrees with the runs,
or if the files of a run were changed since.  From Python: ``repro.report.write("outputs")``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from repro.base.errors import BadInput, one_line
from repro.base.files import write_whole
from repro.commands.process.command import run_command
from repro.commands.process.outcome import explained


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(
            2, f"error: {one_line(message)}; python -m repro report --help shows what is allowed\n"
        )


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = _Parser(prog="python -m repro report", description=(__doc__ or "").split("\n")[0])
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
    from repro.report.html.findings import findings, page
    from repro.report.html.runs import say_changes
    from repro.report.writing import material, written

    found = material(given.runs, given.paper)
    if given.latex:
        from repro.report.latex import write_latex

        print(f"{write_latex(found.runs, given.latex)} files in {given.latex}")
    elif given.findings:
        write_whole(given.findings, page(findings(found.notes, {r.key: r for r in found.runs})))
        _say_size(given.findings)
    else:
        _say_size(written(found, given.gallery, given.output).path)
    for line in found.disagreements:
        print(f"finding against the runs: {line}", file=sys.stderr)
    return max(say_changes(found.runs), int(bool(found.disagreements)))


def _say_size(path: Path) -> None:
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    run_command(main)
