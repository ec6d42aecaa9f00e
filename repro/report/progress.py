"""Progress of a run on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[..., None]]:
    """Show how many of ``total`` blocks are done; yields ``advance(count=1)``.

    One plain line appears at once.  A terminal also gets a bar with elapsed and remaining time,
    which is gone when the run ends; nothing more is written anywhere else.
    """
    print(f"running {label}: {total} blocks", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        yield lambda count=1: None
        return
    with _bar() as bar:
        task = bar.add_task(label, total=total)
        yield lambda count=1: bar.advance(task, count)


def _bar():
    """A rich progress bar on standard error."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=4,
    )
