"""The one ``main`` of every command: signals, streams and exit status of a process."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable
from itertools import groupby
from textwrap import fill
from typing import NoReturn

from repro.commands.process import signals
from repro.commands.process.outcome import INTERNAL, MACHINE, REFUSED, explained, say

Main = Callable[[list[str]], int]
WIDTH = 80
"""Columns of what ``--help`` prints."""
NEW_OBJECTS = 10_000
"""After so many, in the place of 700, Python looks for cycles: a tenth of the CPU of a short run
went into looking through what was being imported."""


def run_command(main: Main, private: bool = False) -> NoReturn:
    """Run a command's ``main`` as this process, and end it.

    Args:
        main: from the words of the command line to an exit status of the contract; whatever takes
            long to import is imported by it.
        private: the command reads raw labels; no message of an exception is kept.

    Exit status: that of ``main``; 2 for ``BadInput``; 129, 130, 143 for SIGHUP, SIGINT, SIGTERM;
    141 for a reader that has gone; 74 where the machine fails (a full disk, no memory, no free
    file); 70 for a bug, with a line that names the file of its details.
    """
    gc.set_threshold(NEW_OBJECTS, 10, 10)
    _refuse_lost_ground()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

    def with_signals(words: list[str]) -> int:
        signals.hear()  # where ``status_of`` meets what a signal raises, be it ever so soon
        return main(words)

    status = _flushed(status_of(with_signals, sys.argv[1:], private))
    if signals.received():  # without taking down all modules, which takes seconds more
        atexit._run_exitfuncs()
        os._exit(status)
    gc.freeze()  # or the end looks for cycles in all that was imported: a second of CPU
    sys.exit(status)


def status_of(main: Main, words: list[str], private: bool = False) -> int:
    """What a process that runs ``main`` with these words ends with; what went wrong is said."""
    try:
        status = main(words)
        if not isinstance(status, int):
            raise TypeError(f"{main} returned {status!r}")  # sys.exit(None) would say 0
        if status < 128:  # a main that has said so itself returns 128 and more
            signals.stop_if_received()
    except SystemExit as left:
        status = _of_exit(left)
    except BaseException as problem:  # noqa: BLE001 - the outermost of all: none may pass
        # a library that was stopped in its import may have made another error of it
        stopped = signals.received() and not isinstance(problem, KeyboardInterrupt)
        of_a_stream = isinstance(problem, OSError) and problem.filename is None
        status = (_flushed(0) if of_a_stream else 0) or explained(
            KeyboardInterrupt(signals.KEPT) if stopped else problem, private
        )
    number = signals.received()
    return status if number is None else 128 + number


def help_of(text: str) -> str:
    """A docstring as ``--help`` prints it: prose within 80 columns, indented lines as they are.

    >>> help_of("Run ``it``.\\n\\n  repro it   an example\\n")
    'Run it.\\n\\n  repro it   an example'
    """
    lines = text.replace("``", "").strip().splitlines()
    blocks = groupby(lines, key=lambda line: bool(line.strip()) and not line.startswith(" "))
    return "\n".join(
        fill(" ".join(block), WIDTH, break_on_hyphens=False) if prose else "\n".join(block)
        for prose, block in blocks
    )


def _of_exit(left: SystemExit) -> int:
    """argparse and Hydra leave by themselves."""
    if left.code is None or isinstance(left.code, int):
        return left.code or 0
    say(str(left.code))
    return INTERNAL


def _refuse_lost_ground() -> None:
    """End where nothing can be said, or where no file has a place, before any work is lost.

    Python sets a stream that was closed to None; the next file to be opened would take its place.
    """
    streams = {"standard output": sys.stdout, "standard error": sys.stderr}
    if closed := " and ".join(name for name, stream in streams.items() if stream is None):
        say(f"error: {closed}: closed; allowed: an open file, such as /dev/null")
        sys.exit(MACHINE)
    try:
        os.getcwd()
    except OSError:
        say("error: the current folder: deleted, or out of reach; allowed: one that exists")
        sys.exit(REFUSED)


def _flushed(status: int) -> int:
    """The status, unless something that was printed could not be written."""
    for name, stream in (("standard output", sys.stdout), ("standard error", sys.stderr)):
        try:
            stream.flush()
        except OSError as problem:
            # or the interpreter's own flush would end with 120 (docs.python.org, note on SIGPIPE)
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            unwritten = explained(OSError(problem.errno, problem.strerror, name))
            status = unwritten if status < INTERNAL else status
    return status
