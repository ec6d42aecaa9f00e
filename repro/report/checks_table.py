"""A line for each check: claimed, measured, the verdict, how many controls were caught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repro.report.cells import COLOURS, text
from repro.report.run_files import CheckEntry, ControlEntry, VerdictContent
from repro.report.wording import (
    brief_words,
    claim_words,
    found_words,
    name_lines,
    note_words,
    pinned_words,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

WIDTHS, CLAIM = (25, 16, 17, 14), 19
"""Of all columns but the last, within 80, and of a claim where the others leave it room; longer
words go on below."""


def checks_table(run: VerdictContent) -> Table:
    """The checks, one below the other."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.padding = (0, 1, 0, 0)
    heads = ("check", "claimed", "found, 95 %", "verdict")
    rows = [_cells(check, controls) for check, controls in run.with_controls()]
    widths = _widths(heads, rows)
    for head, width in zip(heads, widths, strict=True):
        table.add_column(head, max_width=width, overflow="fold")
    if run.controls:
        table.add_column("ctrl", justify="right")
    for name, *others in rows:
        table.add_row(text("\n".join(name_lines(name.plain, widths[0])), ""), *others)
    return table


def _widths(heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[int]:
    """Largest width of each column: claims, then names get what the others do not need."""
    columns = [[head, *(row[place].plain for row in rows)] for place, head in enumerate(heads)]
    needed = [max(len(line) for words in one for line in words.split("\n")) for one in columns]
    widths = [min(width, need) for width, need in zip(WIDTHS, needed, strict=True)]
    spare = sum(WIDTHS) - sum(widths)
    widths[1] = min(widths[1] + spare, CLAIM, max(needed[1], 1))
    widths[0] = min(sum(WIDTHS) - sum(widths[1:]), needed[0])
    return widths


def _cells(check: CheckEntry, controls: Sequence[ControlEntry]) -> list[Text]:
    caught = sum(control.caught for control in controls)
    found = found_words(brief_words(check), note_words(check, check.measured_in_all))
    return [
        text(check.name, ""),
        text(claim_words(check), ""),
        text(found, ""),
        text(pinned_words(check), f"bold {COLOURS.get(check.verdict, '')}".strip()),
        text(f"{caught}/{len(controls)}" if controls else "–",
             "" if caught == len(controls) else "bold red"),
    ]  # fmt: skip
