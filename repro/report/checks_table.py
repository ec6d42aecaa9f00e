"""A line for each check: claimed, measured, the verdict, how many controls were caught."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.report.cells import COLOURS, text
from repro.report.wording import brief_words, claim_words, note_words, verdict_words
from repro.study.results import CheckResult, Result

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

WIDTHS = (25, 16, 17, 14)
"""Of all columns but the last, within 80; longer words go on below."""


def checks_table(result: Result) -> Table:
    """The checks, one below the other."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.padding = (0, 1, 0, 0)
    heads = ("check", "claimed", "measured, 95 %", "verdict")
    for head, width in zip(heads, WIDTHS, strict=True):
        table.add_column(head, max_width=width, overflow="fold")
    if any(item.controls for item in result.checks):
        table.add_column("ctrl", justify="right")
    for item in result.checks:
        table.add_row(*_cells(item))
    return table


def _cells(item: CheckResult) -> list[Text]:
    check, outcome = item.check, item.outcome
    caught = sum(control.verdict == "contradicted" for control in item.controls)
    measured, notes = brief_words(outcome.numbers), note_words(outcome)
    said = verdict_words(outcome.verdict)
    if outcome.verdict != check.expected:
        said += f"\nexpected: {check.expected.replace('_', ' ')}"
    return [
        text(check.name, ""),
        text(claim_words(check, outcome.numbers), ""),
        text(measured + (f"\n{notes}" if notes else ""), ""),
        text(said, f"bold {COLOURS.get(outcome.verdict, '')}".strip()),
        text(f"{caught}/{len(item.controls)}" if item.controls else "–",
             "" if item.caught else "bold red"),
    ]  # fmt: skip
