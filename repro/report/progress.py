"""Progress of a run on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from repro.base.errors import number_of

MINUTE = 60.0
ENOUGH = 0.1
"""Share of the blocks after which the time that is left is estimated: the first blocks of a run
also pay for what is read and built once, and may be of its dearest check."""


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[..., None]]:
    """Show how many of ``total`` blocks are done; yields ``advance(count=1)``.

    One plain line appears at once.  A terminal also gets a bar with elapsed and remaining time,
    which is gone when the run ends; anything else gets a line a minute.
    """
    print(f"running {label}: {number_of(total, 'block')}", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        yield _Lines(total, label).advance
        return
    with _bar() as bar:
        task = bar.add_task(label, total=total)
        yield lambda count=1: bar.advance(task, count)


@contextmanager
def loading(what: str) -> Iterator[None]:
    """On a terminal, say that libraries are being imported; the line is gone afterwards."""
    if not sys.stderr.isatty():
        yield
        return
    line = f"loading {what}"
    print(line, end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(" " * len(line), end="\r", file=sys.stderr, flush=True)


class _Lines:
    """A plain line for each minute in which something was done."""

    def __init__(self, total: int, label: str) -> None:
        self._total, self._label, self._done = total, label, 0
        self._said = self._began = time.monotonic()

    def advance(self, count: int = 1) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._said < MINUTE or self._done >= self._total:
            return
        self._said, gone = now, now - self._began
        line = f"{self._label}: {self._done} of {self._total} blocks after {gone / MINUTE:.0f} min"
        if self._done >= ENOUGH * self._total:
            left = gone * (self._total - self._done) / self._done
            line += f", about {left / MINUTE:.0f} min left"
        print(line, file=sys.stderr, flush=True)


def _bar():
    """A rich progress bar on standard error."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return super().render(task) if task.percentage >= 100 * ENOUGH else Text("-:--:--")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeLeft(),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=4,
    )
