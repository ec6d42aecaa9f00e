"""What the terminal shows of a run: one table, the verdict, where the files are."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from repro.core.results import Result
from repro.report.cells import COLOURS, facts, text
from repro.report.checks_table import checks_table
from repro.report.details_table import details_table
from repro.report.progress import progress
from repro.report.record import record_of
from repro.report.run_files import VerdictContent
from repro.report.witness_words import beside
from repro.report.wording import expected_words, slack_words, verdict_words

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_folder", "print_result", "progress"]

WIDTH = 80
"""Columns where the output is no terminal."""
CONTROLS = "ctrl: controls caught, of those that are wrong on purpose"
SLACK = "slack: how many times sharper the claim could be; of a slope, by how much"


def print_result(
    result: Result,
    detail: Literal["verdict", "checks", "all"] = "checks",
    console: Console | None = None,
) -> None:
    """Print the checks and the overall verdict.

    Args:
        result: the finished run.
        detail: the verdict alone, a line for each check, or everything about each.
        console: where to print, standard output by default.
    """
    console = standard_output(WIDTH) if console is None else console
    run = record_of(result)
    said, title = run.verdict, text(f"{result.title}\n{facts(run)}", "bold")
    if detail != "verdict":
        if detail == "checks":
            console.print(title)
        table = checks_table(said) if detail == "checks" else details_table(said, console.width)
        if detail == "all":
            table.title = title
        console.print(table)
        if detail == "checks" and said.controls:
            console.print(text(CONTROLS, "dim"))
        if detail == "checks" and any(slack_words(one) for one in said.checks):
            console.print(text(SLACK, "dim"))
        _print_beside(said, console)
        _print_substitutes(said, console)
        _print_failures(said, console)
    line = f"{said.theorem}: {verdict_words(said.verdict)} ({expected_words(said)})"
    console.print(text(line, f"bold {COLOURS.get(said.verdict, '')}".strip()))


def print_folder(folder: Path) -> None:
    """Say where the files of a run are."""
    standard_output(WIDTH).print(text(f"files: {folder}", ""), soft_wrap=True)


def _print_beside(run: VerdictContent, console: Console) -> None:
    """Where each contradicted claim fails, and the row with the form that holds."""
    for one in beside(run):
        where = one.witness or "contradicted"
        console.print(text(f"✗ {one.name}: {where}", COLOURS["contradicted"]))
        if one.corrected:
            ran = f" (`{one.command}`)" if one.command else ""
            console.print(text(f"  what holds: {one.corrected}{ran}", ""))


def _print_substitutes(run: VerdictContent, console: Console) -> None:
    """What was run in the place of a paper's model and data: no verdict on its figure or table."""
    told = dict.fromkeys(check.substitute for check in run.checks if check.substitute)
    for words in told:
        console.print(text(f"a substitute: {words}; no figure or table is reproduced", ""))


def _print_failures(run: VerdictContent, console: Console) -> None:
    """Assumptions that fail and controls that were not caught."""
    for one in run.assumptions:
        if not one.holds:
            console.print(text(f"✗ assumption {one.name} fails: {one.detail}", "bold magenta"))
    for control in run.controls:
        if not control.caught:
            words = f"✗ control {control.name} of {control.check} was NOT caught: "
            console.print(text(words + "the run cannot be more than inconclusive", "bold"))


def standard_output(width: int) -> Console:
    """Standard output; a stream that cannot hold ε or ✓ shows ? instead of failing.

    Args:
        width: columns where it is no terminal.
    """
    from repro.report.console import Terminal

    if isinstance(sys.stdout, TextIOWrapper) and "utf" not in sys.stdout.encoding.lower():
        sys.stdout.reconfigure(errors="replace")
    return Terminal(width=None if sys.stdout.isatty() else width)
