"""What the terminal shows of a run: one table, the verdict, where the files are."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from rich.console import Console

from repro.base.errors import at_most_ten
from repro.base.notation import AXES
from repro.core.results import Result
from repro.report.progress import progress
from repro.report.record import OVERRIDES, PLAIN, RunRecord, record_of
from repro.report.run_files import CheckEntry, ControlEntry, OutcomeEntry, VerdictContent
from repro.report.wording import (
    NO_CONTROL,
    NOTHING_COUNTS,
    beside,
    brief_words,
    caught_words,
    claim_words,
    failed_assumptions,
    found_words,
    in_force_words,
    measured_words,
    name_lines,
    narrow_words,
    note_words,
    other_settings,
    pinned_words,
    replicates_words,
    unmeasured_words,
    verdict_line,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


class Terminal(Console):
    """Raises ``BrokenPipeError``, where rich ends the process with 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Called by rich while it handles the error."""
        raise


COLOURS = {
    "supported": "green",
    "contradicted": "red",
    "inconclusive": "yellow",
    "assumption_failed": "magenta",
}


def facts(run: RunRecord) -> str:
    """Budget, seed, replicates, a special instance or channel, what was set, scaled or changed."""
    said, given = run.verdict, run.overrides
    words = [f"budget {said.budget}, seed {said.seed}, {replicates_words(said)}"]
    words += [f"instance {run.instance}"] if run.instance != PLAIN else []
    words += [f"{name} ({_group_words(values)})" for name, values in run.groups.items()]
    words += [_override_words(name, given[name], said) for name in OVERRIDES if name in given]
    scales = [check.settings.labels_scaled_by or 1 for check in said.checks]
    if (most := max(scales, default=1)) != 1:
        words.append(f"{'up to ' if min(scales) < most else ''}{most:.3g} times the labels")
    words += [f"with {', '.join(run.changed)}"] if run.changed else []
    return ", ".join(words)


def _override_words(name: str, value: object, run: VerdictContent) -> str:
    """A number that was given, and the checks that have another."""
    in_force = {check.name: getattr(check.settings, name, None) for check in run.checks}
    others = [check for check, own in in_force.items() if own not in (None, value)]
    return f"{name} {value}" + (f" (not {at_most_ten(name, others)})" if others else "")


def _group_words(values: Mapping[str, object]) -> str:
    """Its kind, then its numbers.

    >>> _group_words({"kind": "flips", "p0": 0.35, "p1": 0.4, "epsilon": 1})
    'flips, p0 0.35, p1 0.4, epsilon 1'
    """
    return ", ".join(
        str(value) if key == "kind" else f"{key} {value}" for key, value in values.items()
    )


def text(words: str, style: str) -> Text:
    """Text as it is: brackets are units and intervals, not markup."""
    from rich.text import Text

    return Text(words, style=style)


COLUMN_WIDTHS, CLAIM = (25, 16, 17, 14), 19
"""Of all columns but the last, within 80, and of a claim where the others leave it room; longer
words go on below."""


def checks_table(run: VerdictContent) -> Table:
    """The checks, one below the other."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.padding = (0, 1, 0, 0)
    heads = ("check", "claimed", "found, 95 %", "verdict")
    failed = bool(failed_assumptions(run))
    rows = [_cells(check, controls, failed) for check, controls in run.with_controls()]
    widths = _widths(heads, rows)
    for head, width in zip(heads, widths, strict=True):
        table.add_column(head, max_width=width, overflow="fold")
    if run.controls:
        table.add_column("ctrl", justify="right")
    for (name, *cells), check in zip(rows, run.checks, strict=True):
        broken = "\n".join(name_lines(check.name, widths[0]))
        name = text(broken, "").append(name.plain.removeprefix(check.name), "dim")
        table.add_row(name, *(cells if run.controls else cells[:-1]))
    return table


def _widths(heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[int]:
    """Largest width of each column: claims, then names get what the others do not need.

    A quantity below a name takes what is left.
    """
    columns = [[head, *(row[place].plain for row in rows)] for place, head in enumerate(heads)]
    needed = [
        max(len(line) for words in column for line in words.split("\n")) for column in columns
    ]
    widths = [min(width, need) for width, need in zip(COLUMN_WIDTHS, needed, strict=True)]
    widths[0] = min(widths[0], max(len(row[0].plain.split("\n")[0]) for row in rows))
    spare = sum(COLUMN_WIDTHS) - sum(widths)
    widths[1] = min(widths[1] + spare, CLAIM, max(needed[1], 1))
    widths[0] = min(sum(COLUMN_WIDTHS) - sum(widths[1:]), needed[0])
    return widths


def _cells(check: CheckEntry, controls: Sequence[ControlEntry], failed: bool) -> list[Text]:
    caught = sum(control.caught for control in controls)
    measured = found_words(brief_words(check), _notes(check))
    return [
        text(check.name + (f"\n{check.quantity}" if _is_ratio(check) else ""), ""),
        text(claim_words(check), ""),
        text(measured, ""),
        _verdict(check, failed),
        text(f"{caught}/{len(controls)}" if controls else "–",
             "" if caught == len(controls) else "bold red"),
    ]  # fmt: skip


def _is_ratio(check: CheckEntry) -> bool:
    """Whether the claim is "ratio ≤ 1", which does not say of what."""
    return check.kind == "inequality" and check.allowed is None


def _is_one_number(check: CheckEntry) -> bool:
    """Whether draws were measured, and their interval does not show."""
    there = check.evidence == "measured" and check.headline is not None and check.ci95 is not None
    return there and {"±", "["}.isdisjoint(brief_words(check))


def _notes(check: CheckEntry) -> str:
    return note_words(check, check.measured_in_all)


WIDE, NAME, NARROW_NAME = 96, 26, 17
"""Columns of a wide table, and those that a name has beside the others in it and in one of 80."""


def details_table(run: VerdictContent, width: int) -> Table:
    """A row a check, then a row for each of its controls."""
    from rich import box
    from rich.table import Table

    table = Table(title_style="", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("check: quantity along axis", overflow="fold")
    table.add_column("claimed", width=16 if width >= WIDE else 10, overflow="fold")
    table.add_column("found [95 % interval]", width=26, overflow="fold")
    table.add_column("verdict", width=14, overflow="fold")
    if run.controls:
        table.caption = text(_controls_words(run.controls), "dim")
        table.caption_justify, table.caption_style = "left", ""
    room = NAME if width >= WIDE else NARROW_NAME
    for check, controls in run.with_controls():
        table.add_row(*_check_row(check, bool(failed_assumptions(run)), room))
        for control in controls:
            table.add_row(*_control_row(control, check.measured_in_all, room))
    return table


def _controls_words(controls: Sequence[ControlEntry]) -> str:
    """What a control is, and what is wrong with each."""
    lines = [f"{control.name}: {control.mistake}" for control in controls if control.mistake]
    return "\n".join(["Controls are wrong on purpose and must be rejected.", *dict.fromkeys(lines)])


def _check_row(check: CheckEntry, failed: bool, room: int) -> list[Text]:
    """Cells of the method under test; its name has so many columns."""
    words = f"\n{check.quantity} along {AXES.get(check.axis, check.axis)}"
    words += f"\n{check.claim}" if check.claim else ""
    words += f"\nat {held}" if (held := in_force_words(check.settings)) else ""
    return [
        text("\n".join(name_lines(check.name, room)), "bold").append(words, style="not bold dim"),
        text(claim_words(check), ""),
        text(_found(check, check.measured_in_all), ""),
        _verdict(check, failed),
    ]


def _verdict(check: CheckEntry, failed: bool) -> Text:
    colour = COLOURS.get("assumption_failed" if failed else check.verdict, "")
    return text(pinned_words(check, failed), f"bold {colour}".strip())


def _control_row(control: ControlEntry, replicates: int, room: int) -> list[Text]:
    """Cells of a deliberately wrong method; its name and its branch have so many columns."""
    colour = "green" if control.caught else "bold red"
    name = "\n\u00a0\u00a0".join(name_lines(control.name, room - 2))
    cells = [text(f"└\u00a0{name}", ""), text("(control)", "dim")]
    measured = text(_found(control, replicates), "")
    return [*cells, measured, text(caught_words(control.verdict), colour)]


def _found(outcome: OutcomeEntry, replicates: int) -> str:
    return found_words(measured_words(outcome), note_words(outcome, replicates))


__all__ = ["print_folder", "print_result", "progress"]

WIDTH = 80
"""Columns where the output is no terminal."""
CONTROLS = "ctrl: controls rejected, of all that are wrong on purpose"
RATIO = "ratio ≤ 1: the largest share of what the claim allows"
NO_SPREAD = "without ± or [ ]: the same in all replicates, to the digits shown"
SLACK = "slack: room inside the claim, as a factor; of a slope, as a difference"
OFF = "off by: distance from the claim; nothing was drawn, so it has no interval"


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
        if detail == "checks" and any(map(_is_ratio, said.checks)):
            console.print(text(RATIO, "dim"))
        if detail == "checks" and any(map(_is_one_number, said.checks)):
            console.print(text(NO_SPREAD, "dim"))
        if detail == "checks" and any("slack " in _notes(check) for check in said.checks):
            console.print(text(SLACK, "dim"))
        if detail == "checks" and any("off by " in _notes(check) for check in said.checks):
            console.print(text(OFF, "dim"))
        _print_beside(run, console)
        _print_substitutes(said, console)
        _print_failures(said, console)
        if words := other_settings(said, run.overrides):
            console.print(text(f"? {words}", ""))
    colour = "" if said.contradicted_apart() else COLOURS.get(said.verdict, "")
    line = text(verdict_line(said), f"bold {colour}".strip())
    console.print(line, soft_wrap=detail == "verdict")


def print_folder(folder: Path, replaced: str = "") -> None:
    """Say where the files of a run are, and which command writes a page about it.

    Args:
        folder: of the files.
        replaced: why the run that was there is another; empty where there was none, or the same.
    """
    here = Path.cwd()
    runs = folder.relative_to(here) if folder.is_relative_to(here) else folder
    page = f"page: repro report {shlex.quote(f'runs={runs}')}"
    lines = [f"files: {folder}", page]
    lines += [f"replaced: the run in this folder, {replaced}"] if replaced else []
    standard_output(WIDTH).print(text("\n".join(lines), ""), soft_wrap=True)


def _print_beside(run: RunRecord, console: Console) -> None:
    """Where each contradicted claim fails, and the check with the form that holds."""
    for contradiction in beside(run.verdict, run.overrides):
        where = contradiction.witness or "contradicted"
        console.print(text(f"✗ {contradiction.name}: {where}", COLOURS["contradicted"]))
        if contradiction.corrected:
            console.print(text(f"  {contradiction.heading}: {contradiction.corrected}", ""))
        if contradiction.command:
            _print_unbroken(f"  {contradiction.command}", console)


def _print_unbroken(command: str, console: Console) -> None:
    """A command on its own line, to be copied."""
    console.print(text(command, ""), soft_wrap=True)


def _print_substitutes(run: VerdictContent, console: Console) -> None:
    """What was run in the place of a paper's model and data: no verdict on its figure or table."""
    substitutes = dict.fromkeys(check.substitute for check in run.checks if check.substitute)
    for words in substitutes:
        console.print(text(f"a substitute: {words}; no figure or table is reproduced", ""))


def _print_failures(run: VerdictContent, console: Console) -> None:
    """Assumptions that fail, controls that were not rejected, and what may decide more checks.

    A slope along a narrow grid says little about a rate, even where it is supported.
    """
    for words in failed_assumptions(run):
        console.print(text(f"! {words}; {NOTHING_COUNTS}", "bold magenta"))
    for control in run.controls:
        if not control.caught:
            words = f"✗ control {control.name} of {control.check} was NOT rejected: "
            if unmeasured := unmeasured_words(control):
                words += f"{unmeasured}; "
            console.print(text(words + "the run cannot be more than inconclusive", "bold"))
    alone = [
        c.name for c, controls in run.with_controls() if c.verdict == "supported" and not controls
    ]
    if alone:
        console.print(text(f"? {', '.join(alone)}: {NO_CONTROL}", ""))
    undecided = [
        check
        for check in run.checks
        if check.verdict == "inconclusive" != check.expected
        and check.evidence == "measured"
        and check.headline is not None
        and not check.not_a_number_at
    ]
    narrow = {check.name: narrow_words(check.kind, check.axis, check.grid) for check in run.checks}
    for check in run.checks:
        if narrow[check.name] and (check in undecided or check.verdict == "supported"):
            console.print(text(f"? {check.name}: {narrow[check.name]}", ""))
    if not all(narrow[check.name] for check in undecided) and not failed_assumptions(run):
        command = f"python -m repro suite power theorem={run.theorem}"
        console.print(text("? replicates that would decide, about:", ""))
        _print_unbroken(f"  {command}", console)


def standard_output(width: int) -> Console:
    """Standard output; a stream that cannot hold ε or ✓ shows ? instead of failing.

    Args:
        width: columns where it is no terminal.
    """

    if isinstance(sys.stdout, TextIOWrapper) and "utf" not in sys.stdout.encoding.lower():
        sys.stdout.reconfigure(errors="replace")
    return Terminal(width=None if sys.stdout.isatty() else width)
