"""Every check in full: quantity, axis, claim, the numbers in force, and each control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.base.notation import AXES
from repro.core.results import CheckResult, Outcome, Result
from repro.report.cells import COLOURS, facts, text
from repro.report.wording import (
    caught_words,
    claim_words,
    in_force_words,
    measured_words,
    name_lines,
    note_words,
    verdict_words,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


NAME = 26
"""Columns that a name has beside the others in a table of 100."""


def details_table(result: Result, width: int) -> Table:
    """A row a check, then a row for each of its controls."""
    from rich import box
    from rich.table import Table

    title = text(f"{result.title}\n{facts(result)}", "bold")
    table = Table(title=title, title_style="", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("check: quantity along axis", overflow="fold")
    table.add_column("claimed", width=16 if width >= 96 else 10, overflow="fold")
    table.add_column("found [95 % interval]", width=26, overflow="fold")
    table.add_column("verdict", width=14, overflow="fold")
    if any(item.controls for item in result.checks):
        table.caption = text("Controls are wrong on purpose and must be caught.", "dim")
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
    words += f"\nat {held}" if (held := in_force_words(check)) else ""
    verdict = verdict_words(outcome.verdict)
    if outcome.verdict != check.expected:
        verdict += f"\nexpected: {check.expected.replace('_', ' ')}"
    return [
        text("\n".join(name_lines(check.name, NAME)), "bold").append(words, style="not bold dim"),
        text(claim_words(check, outcome.numbers), ""),
        text(_found(outcome), ""),
        text(verdict, f"bold {COLOURS.get(outcome.verdict, '')}".strip()),
    ]


def _control_row(control: Outcome) -> list[Text]:
    """Cells of a deliberately wrong method."""
    colour = "green" if control.verdict == "contradicted" else "bold red"
    method = "\n\u00a0\u00a0".join(name_lines(control.method, NAME))
    cells = [text(f"└\u00a0{method}", ""), text("(control)", "dim")]
    return [*cells, text(_found(control), ""), text(caught_words(control.verdict), colour)]


def _found(outcome: Outcome) -> str:
    """The number, and below it what else there is to know."""
    notes = note_words(outcome)
    return measured_words(outcome.numbers) + (f"\n{notes}" if notes else "")
