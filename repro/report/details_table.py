"""Every check in full: quantity, axis, claim, the numbers in force, and each control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.base.notation import AXES
from repro.report.cells import COLOURS, text
from repro.report.run_files import CheckEntry, ControlEntry, OutcomeEntry, VerdictContent
from repro.report.wording import (
    caught_words,
    claim_words,
    found_words,
    in_force_words,
    measured_words,
    name_lines,
    note_words,
    pinned_words,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


NAME = 26
"""Columns that a name has beside the others in a table of 100."""


def details_table(run: VerdictContent, width: int) -> Table:
    """A row a check, then a row for each of its controls."""
    from rich import box
    from rich.table import Table

    table = Table(title_style="", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("check: quantity along axis", overflow="fold")
    table.add_column("claimed", width=16 if width >= 96 else 10, overflow="fold")
    table.add_column("found [95 % interval]", width=26, overflow="fold")
    table.add_column("verdict", width=14, overflow="fold")
    if run.controls:
        table.caption = text("Controls are wrong on purpose and must be caught.", "dim")
        table.caption_justify, table.caption_style = "left", ""
    for check, controls in run.with_controls():
        table.add_row(*_check_row(check))
        for control in controls:
            table.add_row(*_control_row(control, check.measured_in_all))
    return table


def _check_row(check: CheckEntry) -> list[Text]:
    """Cells of the method under test."""
    words = f"\n{check.quantity} along {AXES.get(check.axis, check.axis)}"
    words += f"\n{check.claim}" if check.claim else ""
    words += f"\nat {held}" if (held := in_force_words(check.settings)) else ""
    return [
        text("\n".join(name_lines(check.name, NAME)), "bold").append(words, style="not bold dim"),
        text(claim_words(check), ""),
        text(_found(check, check.measured_in_all), ""),
        text(pinned_words(check), f"bold {COLOURS.get(check.verdict, '')}".strip()),
    ]


def _control_row(control: ControlEntry, replicates: int) -> list[Text]:
    """Cells of a deliberately wrong method."""
    colour = "green" if control.caught else "bold red"
    name = "\n\u00a0\u00a0".join(name_lines(control.name, NAME))
    cells = [text(f"└\u00a0{name}", ""), text("(control)", "dim")]
    found = text(_found(control, replicates), "")
    return [*cells, found, text(caught_words(control.verdict), colour)]


def _found(outcome: OutcomeEntry, replicates: int) -> str:
    return found_words(measured_words(outcome), note_words(outcome, replicates))
