"""What the terminal shows of a run: one table, the verdict, where the files are."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.notation import AXES
from repro.report.progress import progress
from repro.report.wording import (
    caught_words,
    claim_words,
    expected_words,
    measured_words,
    note_words,
    verdict_words,
)
from repro.study.results import CheckResult, Outcome, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["print_result", "progress"]

WIDTH = 100
"""Columns of the table where the output is no terminal."""

COLOURS = {
    "supported": "green",
    "contradicted": "red",
    "inconclusive": "yellow",
    "assumption_failed": "magenta",
}


def print_result(result: Result, folder: Path, console: Console | None = None) -> None:
    """Print the checks with their controls, the overall verdict and the folder.

    Args:
        result: the finished run.
        folder: where its files are.
        console: where to print, standard output by default.
    """
    console = _stdout() if console is None else console
    console.print(_table(result, console.width))
    for one in result.assumptions:
        if not one.holds:
            console.print(_text(f"✗ assumption {one.name} fails: {one.detail}", "bold magenta"))
    for item in result.checks:
        for control in item.controls:
            if control.verdict != "contradicted":
                words = f"✗ control {control.method} of {item.check.name} was NOT caught: "
                console.print(_text(words + "the run cannot be more than inconclusive", "bold"))
    line = f"{result.theorem}: {verdict_words(result.verdict)} ({expected_words(result)})"
    console.print(_text(line, f"bold {COLOURS.get(result.verdict, '')}".strip()))
    console.print(_text(f"files: {folder}", ""), soft_wrap=True)


def _stdout() -> Console:
    """Standard output; a stream that cannot hold ε or ✓ shows ? instead of failing."""
    from rich.console import Console

    if isinstance(sys.stdout, TextIOWrapper) and "utf" not in sys.stdout.encoding.lower():
        sys.stdout.reconfigure(errors="replace")
    return Console(width=None if sys.stdout.isatty() else WIDTH)


def _table(result: Result, width: int) -> Table:
    """A row a check, then a row for each of its controls."""
    from rich import box
    from rich.table import Table

    facts = f"budget {result.budget}, seed {result.seed}, {result.replicates} replicates"
    title = _text(f"{result.title}\n{facts}", "bold")
    table = Table(title=title, title_style="", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("check: quantity along axis", overflow="fold")
    table.add_column("claimed", width=16 if width >= 96 else 10, overflow="fold")
    table.add_column("measured [95 % interval]", width=26, overflow="fold")
    table.add_column("verdict", width=14, overflow="fold")
    if any(item.controls for item in result.checks):
        table.caption = _text("Controls are wrong on purpose and must be caught.", "dim")
        table.caption_justify, table.caption_style = "left", ""
    for item in result.checks:
        table.add_row(*_check_row(item))
        for control in item.controls:
            table.add_row(*_control_row(control))
    return table


def _check_row(item: CheckResult) -> list[Text]:
    """Cells of the method under test."""
    check, outcome = item.check, item.outcome
    words = f"\n{check.quantity} along {AXES.get(check.axis, check.axis)}"
    words += f"\n{check.claim}" if check.claim else ""
    verdict = verdict_words(outcome.verdict)
    if outcome.verdict != check.expected:
        verdict += f"\nexpected: {check.expected.replace('_', ' ')}"
    return [
        _text(check.name, "bold").append(words, style="not bold dim"),
        _text(claim_words(check, outcome.numbers), ""),
        _text(_found(outcome), ""),
        _text(verdict, f"bold {COLOURS.get(outcome.verdict, '')}".strip()),
    ]


def _control_row(control: Outcome) -> list[Text]:
    """Cells of a deliberately wrong method."""
    colour = "green" if control.verdict == "contradicted" else "bold red"
    cells = [_text(f"└\u00a0{control.method}", ""), _text("(control)", "dim")]
    return [*cells, _text(_found(control), ""), _text(caught_words(control.verdict), colour)]


def _found(outcome: Outcome) -> str:
    """The number, and below it what else there is to know."""
    notes = note_words(outcome)
    return measured_words(outcome.numbers) + (f"\n{notes}" if notes else "")


def _text(words: str, style: str) -> Text:
    """Text as it is: brackets are units and intervals, not markup."""
    from rich.text import Text

    return Text(words, style=style)
